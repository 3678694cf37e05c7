import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { lockFolder } from '../../src/storage/file/folder.ts'
import { newFolder } from './folders.ts'

const [PROCESSES, ROUNDS] = [4, 500]

test('two processes never hold the same lock at the same time', async () => {
  const folder = newFolder()
  mkdirSync(folder)
  const file = fileURLToPath(new URL('./fixtures/locker.ts', import.meta.url))
  const run = () => promisify(execFile)(process.execPath, [file, folder, String(ROUNDS)])
  const outputs = await Promise.all(Array.from({ length: PROCESSES }, run))
  expect(outputs.map(({ stdout }) => JSON.parse(stdout))).toEqual(
    Array(PROCESSES).fill({ taken: ROUNDS, violations: 0 }),
  )
})

const NOBODY = 65_534
const ROOT_ONLY = process.getuid?.() === 0 ? '' : ' (skipped: only root can become a user who may not write)'

test.skipIf(ROOT_ONLY !== '')(`a read-only lock file is refused${ROOT_ONLY}`, () => {
  const folder = newFolder()
  mkdirSync(folder)
  lockFolder(folder).close()
  for (const path of [dirname(folder), folder]) chownSync(path, NOBODY, NOBODY)
  chmodSync(join(folder, 'fish.lock'), 0o444)
  process.seteuid?.(NOBODY)
  try {
    expect(() => lockFolder(folder)).toThrow(expect.objectContaining({ name: 'StorageError', code: 'read_only' }))
  } finally {
    process.seteuid?.(0)
  }
})
