import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@fish-crab/server'
import { backupStore, restoreStore, rotateSecret } from '@fish-crab/server/maintenance'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'

describe('arguments that the types forbid', () => {
  const target = join(tmpdir(), 'never-made')
  const env = { FISH_STORAGE: `file:${target}` }
  const noEnv = /^env must be an object of variables, such as process\.env\.$/
  const noPath = /^The path must be a string\.$/

  it.each<[string, (given: never) => unknown, unknown, RegExp]>([
    ['readConfig() without env', readConfig, {}, noEnv],
    ['backupStore() without a target', backupStore, { env: {} }, noPath],
    ['backupStore() without env', backupStore, { target }, noEnv],
    ['restoreStore() without a backup', restoreStore, { env }, noPath],
    ['rotateSecret() without env', rotateSecret, {}, noEnv],
    [
      'a file storage without a path',
      createStorage,
      { driver: 'file' },
      /^createStorage: path must be a folder, such as/,
    ],
  ])('(%s) are refused with a clear error', async (_, call, given, message) => {
    await expect((async () => call(given as never))()).rejects.toThrow(message)
  })
})
