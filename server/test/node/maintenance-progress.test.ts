import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import {
  backupStore,
  exportStore,
  importStore,
  type MaintenanceProgress,
  resealStore,
  restoreStore,
} from '@fish-crab/server'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { createVault } from '../../src/app/users/vault.ts'
import { newFolder } from './data-folder.ts'
import { writeExport } from './export-file.ts'

const ITEMS = 5000
const SECRET = 'the secret of the beginning, long'
const NOW = new Date(0)

/** Keeps what it is told. */
function listener() {
  const told: MaintenanceProgress[] = []
  return { told, onProgress: (progress: MaintenanceProgress) => told.push(progress) }
}

/** The steps in their order, a further one where a count begins anew, each with the first and the last of its counts. */
function stepsOf(told: readonly MaintenanceProgress[]) {
  const steps: { step: string; from: number; to: number; total: number | undefined; times: number }[] = []
  for (const { step, done, total } of told) {
    const last = steps.at(-1)
    if (last?.step === step && done >= last.to && total === last.total) {
      last.to = done
      last.times += 1
    } else steps.push({ step, from: done, to: done, total, times: 1 })
  }
  return steps
}

/** A file store with many items, filled by an import. */
async function filled() {
  const parent = newFolder()
  const file = join(parent, 'fish.jsonl')
  writeExport(file, ITEMS)
  const env = { FISH_STORAGE: `file:${join(parent, 'data')}`, FISH_SECRET: SECRET }
  const { told, onProgress } = listener()
  await importStore({ env, file, onProgress })
  return { parent, file, env, importing: told }
}

describe('progress', () => {
  it('of an import counts the bytes that are checked, then the lines that are written, up to all of them', async () => {
    const { importing } = await filled()
    const [check, write, check2] = stepsOf(importing)
    expect(check).toMatchObject({ step: 'check', to: check?.total })
    expect(check?.times).toBeGreaterThan(2)
    expect(write).toMatchObject({ step: 'write', from: 0, to: ITEMS, total: ITEMS })
    expect(write?.times).toBeGreaterThan(ITEMS / 1000)
    expect(check2).toMatchObject({ step: 'check', from: 0, to: check2?.total })
  })

  it('of an export checks the store, then counts the lines that are written, up to all of them', async () => {
    const { env } = await filled()
    const { told, onProgress } = listener()
    const { items } = await exportStore({ env, target: new PassThrough().resume(), now: NOW, onProgress })
    const [check, write] = stepsOf(told)
    expect(check).toMatchObject({ step: 'check', from: 0, to: check?.total })
    expect(write).toMatchObject({ step: 'write', from: 0, to: items, total: items })
    expect(write?.times).toBeGreaterThan(5)
  })

  it('of a backup and a restore tells each check and each copy when it begins and when it ends', async () => {
    const { parent, env } = await filled()
    const [backup, restore] = [listener(), listener()]
    const target = join(parent, 'copy')
    const { bytes } = await backupStore({ env, target, ...backup })
    expect(stepsOf(backup.told).map(({ step }) => step)).toEqual(['check', 'copy', 'check'])
    expect(backup.told.at(-1)).toEqual({ step: 'check', unit: 'bytes', done: bytes, total: bytes })
    const other = { ...env, FISH_STORAGE: `file:${join(parent, 'other')}` }
    await restoreStore({ env: other, backup: target, now: NOW, ...restore })
    expect(stepsOf(restore.told).map(({ step }) => step)).toEqual(['check', 'check', 'copy', 'check'])
    expect(restore.told.every(({ done, total }) => done === 0 || done === total)).toBe(true)
  })

  it('of a resealing counts the keys that were looked at', async () => {
    const path = join(newFolder(), 'data')
    const storage = await createStorage({ driver: 'file', path })
    const vault = createVault([SECRET], (bytes) => crypto.getRandomValues(bytes))
    const ids = Array.from({ length: 2000 }, (_, index) => `filler-${index}`)
    await Promise.all(
      ids.map(async (id) => storage.items.setItem(`secret:${id}:fernet`, await vault.seal('a key', id))),
    )
    await storage.dispose()
    const env = { FISH_STORAGE: `file:${path}`, FISH_SECRET: SECRET }
    const { told, onProgress } = listener()
    await resealStore({ env, onProgress })
    expect(told.at(-1)).toEqual({ step: 'reseal', unit: 'keys', done: ids.length })
    expect(told.length).toBeGreaterThan(2)
  })

  it('changes nothing of what is done', async () => {
    const { parent, env } = await filled()
    const report = { ...(await exportStore({ env, target: join(parent, 'a.jsonl'), now: NOW })), file: null }
    const target = join(parent, 'b.jsonl')
    const told = await exportStore({ env, target, now: NOW, onProgress: listener().onProgress })
    expect({ ...told, file: null }).toEqual(report)
  })
})
