import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { backupStore, restoreStore } from '@fish-crab/server/maintenance'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'
import { prepareFailures } from './failing-files.ts'

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A data folder that a server has used. */
async function served(): Promise<string> {
  const data = join(newFolder(), 'data')
  await (await startTestServer({ ...envOf(data), FISH_ADMIN_PASSWORD: 'boss-password' })).close()
  return data
}

/** Runs `work` on new folders. In the n-th run, the n-th file call fails, until a run makes fewer than n calls. */
async function failEverywhere(
  prepare: () => string,
  work: (folder: string) => Promise<unknown>,
  check: (folder: string, error: unknown, call: number) => void,
): Promise<number> {
  const files = prepareFailures()
  for (let call = 1; ; call += 1) {
    const folder = prepare()
    files.fail((at) => at === call)
    const error = await work(folder).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (files.stop() < call) {
      expect(error).toBeUndefined()
      return call
    }
    check(folder, error, call)
  }
}

describe('if any call of the file system fails,', () => {
  it('a restore into a new folder either succeeds, or fails and leaves nothing behind', async () => {
    const backup = await served()
    const restore = (folder: string) => restoreStore({ env: envOf(join(folder, 'data')), backup })
    const calls = await failEverywhere(newFolder, restore, (folder, error, call) => {
      const names = readdirSync(folder, { recursive: true })
      if (error === undefined) expect(names).toContain(join('data', 'fish.db'))
      else expect(names, `call ${call}`).toEqual([])
    })
    expect(calls).toBeGreaterThan(8)
  })

  it('a backup either succeeds, or fails and leaves nothing behind', async () => {
    const data = await served()
    const calls = await failEverywhere(
      newFolder,
      (folder) => backupStore({ env: envOf(data), target: join(folder, 'new') }),
      (folder, error, call) => {
        if (error === undefined) expect(existsSync(join(folder, 'new'))).toBe(true)
        else expect(readdirSync(folder, { recursive: true }), `call ${call}`).toEqual([])
      },
    )
    expect(calls).toBeGreaterThan(2)
  })
})
