import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupStore, MaintenanceError, restoreStore } from '@fish-crab/server/maintenance'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { folderContent } from '../../../scripts/test-support/folder-content.ts'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'
import { newRecord } from '../storage-suite/samples.ts'

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A data folder with records that a server has used. */
async function served(env: Readonly<Record<string, string>> = {}) {
  const parent = newFolder()
  const data = join(parent, 'data')
  await (await startTestServer({ ...envOf(data), FISH_ADMIN_PASSWORD: 'boss-password', ...env })).close()
  const storage = await createStorage({ driver: 'file', path: data })
  for (const owner of ['ann', 'bob']) {
    await storage.append({ owner, kind: 'fish', gamemode: 'earth' }, newRecord())
  }
  await storage.dispose()
  return { parent, data, env: { ...envOf(data), ...env } }
}

/** The outcome of a command: the report, or the code, message and hint of the error. */
async function outcomeOf(work: Promise<object>) {
  return work.then(
    (report) => ({ report }),
    (error: unknown) => {
      expect(error).toBeInstanceOf(MaintenanceError)
      const { code, message, hint } = error as MaintenanceError
      return { code, message, hint }
    },
  )
}

/** Expects that the command fails with this code and changes nothing below the folder. */
async function expectRefusal(parent: string, code: string, work: () => Promise<object>) {
  const before = folderContent(parent)
  expect(await outcomeOf(work())).toMatchObject({ code })
  expect(folderContent(parent)).toEqual(before)
}

describe('a backup', () => {
  it('with an invalid source or target is refused and changes nothing', async () => {
    const { parent, env } = await served()
    const [there, file] = [join(parent, 'there'), join(parent, 'a-file')]
    mkdirSync(there)
    writeFileSync(file, '')
    for (const [code, target] of [
      ['exists', there],
      ['no_store', join(parent, 'no', 'copy')],
      ['no_store', join(file, 'copy')],
    ] as const) {
      await expectRefusal(parent, code, () => backupStore({ env, target }))
    }
    const target = join(parent, 'copy')
    for (const [code, from] of [
      ['no_store', envOf(there)],
      ['invalid_settings', { FISH_STORAGE: 'memory:' }],
    ] as const) {
      await expectRefusal(parent, code, () => backupStore({ env: from, target }))
    }
  })

  it('of a damaged store is refused and leaves nothing behind', async () => {
    const { parent, data, env } = await served()
    const target = join(parent, 'copy')
    const bytes = readFileSync(join(data, 'fish.db'))
    writeFileSync(join(data, 'fish.db'), bytes.fill(0x5a, 4096, 5 * 4096))
    const before = folderContent(parent)
    expect(await outcomeOf(backupStore({ env, target }))).toHaveProperty('code')
    expect(folderContent(parent)).toEqual(before)
  })
})

describe('a target of a backup or restore', () => {
  it('that is a dangling link is refused', async () => {
    const { parent, data, env } = await served()
    const there = join(parent, 'there')
    mkdirSync(there)
    const [dangling, round, store] = [join(parent, 'dangling'), join(parent, 'round'), join(there, 'fish.db')]
    symlinkSync(join(parent, 'nowhere'), dangling)
    symlinkSync(round, round)
    symlinkSync(join(parent, 'nowhere'), store)
    for (const target of [dangling, round]) {
      await expectRefusal(parent, 'exists', () => backupStore({ env, target }))
    }
    for (const folder of [dangling, join(dangling, 'deep', 'data'), there]) {
      await expectRefusal(parent, 'exists', () => restoreStore({ env: envOf(folder), backup: data }))
    }
  })
})

describe('a restore', () => {
  async function backedUp() {
    const { parent, data, env } = await served()
    const backup = join(parent, 'backup')
    await backupStore({ env, target: backup })
    return { parent, data, env, backup }
  }

  it('with an invalid source or target is refused and changes nothing', async () => {
    const { parent, backup, env } = await backedUp()
    const refused = (code: string, more: object = {}) =>
      expectRefusal(parent, code, () => restoreStore({ env, backup, ...more }))
    writeFileSync(join(parent, 'a-file'), '')
    await refused('exists')
    await refused('not_a_store', { env: envOf(join(parent, 'a-file')) })
    await refused('exists', { env: envOf(join(parent, 'a-file', 'data')) })
    await refused('no_store', { backup: join(parent, 'none') })
  })
})
