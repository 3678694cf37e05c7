import { rmSync } from 'node:fs'
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
import { newRecord } from '../storage/samples.ts'
import { newFolder } from './data-folder.ts'
import { writeExport } from './export-file.ts'
import { folderContent } from './folder-content.ts'

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

const LARGE = 100_000_000

/** A file store that takes a while to be read. */
async function large() {
  const parent = newFolder()
  const path = join(parent, 'data')
  const storage = await createStorage({ driver: 'file', path })
  const value = 'x'.repeat(1_000_000)
  for (let at = 0; at * value.length < LARGE; at += 1) await storage.items.setItem(`audit:filler-${at}`, value)
  await storage.dispose()
  return { parent, path, env: { FISH_STORAGE: `file:${path}` } }
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

  it('of a resealing counts the keys that were looked at, up to all of them', async () => {
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
    expect(stepsOf(told)).toMatchObject([{ step: 'reseal', from: 0, to: ids.length, total: ids.length }])
    expect(told.length).toBeGreaterThan(2)
  })

  it('of the backup and the restore of a large store counts the bytes that are copied, while others go on', async () => {
    const { parent, env } = await large()
    const [backup, restore] = [listener(), listener()]
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 5)
    const target = join(parent, 'copy')
    const { bytes } = await backupStore({ env, target, ...backup })
    clearInterval(turning)
    expect(turns).toBeGreaterThan(10)
    const copy = stepsOf(backup.told).find(({ step }) => step === 'copy')
    expect(copy).toMatchObject({ from: 0, to: copy?.total })
    expect(copy?.total).toBeGreaterThan(LARGE)
    expect(copy?.times).toBeGreaterThan(3)
    expect(backup.told.filter(({ step, done }) => step === 'copy' && done > 0 && done < bytes)).not.toEqual([])
    await restoreStore({ env: { FISH_STORAGE: `file:${join(parent, 'other')}` }, backup: target, now: NOW, ...restore })
    expect(stepsOf(restore.told).find(({ step }) => step === 'copy')?.times).toBeGreaterThan(3)
  })

  it('changes nothing of what is done', async () => {
    const { parent, env } = await filled()
    const report = { ...(await exportStore({ env, target: join(parent, 'a.jsonl'), now: NOW })), file: null }
    const target = join(parent, 'b.jsonl')
    const told = await exportStore({ env, target, now: NOW, onProgress: listener().onProgress })
    expect({ ...told, file: null }).toEqual(report)
  })
})

describe('an interruption', () => {
  /** Aborts in the first step of this name, once it has begun and is under way. */
  function abortIn(step: MaintenanceProgress['step'], from = 0) {
    const stop = new AbortController()
    const onProgress = (progress: MaintenanceProgress) => {
      if (progress.step !== step || progress.done < from) return
      setTimeout(() => stop.abort(new Error('stopped by hand')), 20)
    }
    return { signal: stop.signal, onProgress }
  }

  it.each([
    ['check', 0],
    ['copy', 1],
  ] as const)('in the %s of a large store ends at once and leaves nothing', async (step, from) => {
    const { parent, path, env } = await large()
    const before = folderContent(parent)
    const backup = backupStore({ env, target: join(parent, 'copy'), ...abortIn(step, from) })
    await expect(backup).rejects.toMatchObject({
      code: 'interrupted',
      message: `Interrupted. ${join(parent, 'copy')} was not made.`,
    })
    const target = { FISH_STORAGE: `file:${join(parent, 'target')}` }
    const restore = restoreStore({ env: target, backup: path, now: NOW, ...abortIn(step, from) })
    await expect(restore).rejects.toMatchObject({ code: 'interrupted', message: 'Interrupted. Nothing was restored.' })
    rmSync(join(parent, 'target'), { recursive: true, force: true })
    expect(folderContent(parent)).toEqual(before)
  })

  it('of a backup leaves a server on the store as it was, which writes meanwhile', async () => {
    const { parent, path, env } = await large()
    const storage = await createStorage({ driver: 'file', path })
    const place = { owner: 'ann', kind: 'fish', gamemode: 'earth' }
    let [isOver, written] = [false, 0]
    const writing = (async () => {
      for (; !isOver; written += 1) await storage.append(place, newRecord())
    })()
    const target = join(parent, 'copy')
    await expect(backupStore({ env, target, ...abortIn('copy', 1) })).rejects.toMatchObject({ code: 'interrupted' })
    const before = written
    expect(before).toBeGreaterThan(0)
    const report = await backupStore({ env, target })
    isOver = true
    await writing
    expect(report.records).toBeGreaterThanOrEqual(before)
    expect(report.records).toBeLessThan(written)
    await storage.dispose()
    expect(await backupStore({ env, target: join(parent, 'all'), dryRun: true })).toMatchObject({ records: written })
  })
})
