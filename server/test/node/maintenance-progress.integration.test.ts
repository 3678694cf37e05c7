import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough, Writable } from 'node:stream'
import {
  backupStore,
  exportStore,
  importStore,
  type MaintenanceOptions,
  type MaintenanceProgress,
  restoreStore,
  rotateSecret,
} from '@fish-crab/server'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEncryption } from '../../src/app/users/encryption.ts'
import { newRecord } from '../../src/storage-conformance/samples.ts'
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

/** A file store with more sealed keys than are looked at together. */
async function sealedStore() {
  const path = join(newFolder(), 'data')
  const storage = await createStorage({ driver: 'file', path })
  const vault = createEncryption([SECRET], (bytes) => crypto.getRandomValues(bytes))
  const ids = Array.from({ length: 2000 }, (_, index) => `filler-${index}`)
  await Promise.all(
    ids.map(async (id) => storage.items.setItem(`secret:${id}:fernet`, await vault.encrypt('a key', id))),
  )
  await storage.dispose()
  return { env: { FISH_STORAGE: `file:${path}`, FISH_SECRET: SECRET }, count: ids.length }
}

/** From 16 MiB on, a store is read in a process of its own. */
const LARGE = 17_000_000

/** A file store that is read in a process of its own. */
async function large() {
  const parent = newFolder()
  const path = join(parent, 'data')
  const storage = await createStorage({ driver: 'file', path })
  await storage.items.setItem('audit:filler', 'x'.repeat(LARGE))
  await storage.dispose()
  return { parent, path, file: join(path, 'fish.db'), env: { FISH_STORAGE: `file:${path}` } }
}

/** Makes readers of a store wait for {@link hold}: without a log beside the store, who writes keeps them away. */
function holdable(file: string) {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = DELETE')
  db.close()
}

/** Keeps readers of a store waiting, until the answer is called. */
function hold(file: string): () => void {
  const db = new DatabaseSync(file)
  db.exec('BEGIN EXCLUSIVE')
  return () => {
    if (db.isOpen) db.close()
  }
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

  it('of a rotation counts the keys that were checked, up to all of them', async () => {
    const { env, count } = await sealedStore()
    const { told, onProgress } = listener()
    await rotateSecret({ env, onProgress })
    expect(stepsOf(told)).toMatchObject([{ step: 'rotate', from: 0, to: count, total: count }])
    expect(told.length).toBeGreaterThan(2)
  })

  it('of the copy of a large store is told again and again while it is under way, since other work goes on', async () => {
    const { parent, path, file, env } = await large()
    holdable(file)
    /** Lets the copy end once it was told a few times. */
    const telling = () => {
      const { told, onProgress } = listener()
      let letGo = () => {}
      return {
        told,
        onProgress(progress: MaintenanceProgress) {
          onProgress(progress)
          const times = told.filter(({ step }) => step === 'copy').length
          if (progress.step === 'copy' && times === 1) letGo = hold(file)
          if (times === 4) letGo()
        },
      }
    }
    const [backup, restore] = [telling(), telling()]
    await backupStore({ env, target: join(parent, 'copy'), ...backup })
    await restoreStore({ env: { FISH_STORAGE: `file:${join(parent, 'other')}` }, backup: path, now: NOW, ...restore })
    for (const { told } of [backup, restore]) {
      const copies = stepsOf(told).filter(({ step }) => step === 'copy')
      expect(copies).toMatchObject([{ from: 0, to: copies[0]?.total }])
      expect(copies[0]?.total).toBeGreaterThan(LARGE)
      expect(copies[0]?.times).toBeGreaterThanOrEqual(5)
    }
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
  function abortIn(step: MaintenanceProgress['step'], onBegin: () => void = () => {}) {
    const stop = new AbortController()
    let isBegun = false
    const onProgress = (progress: MaintenanceProgress) => {
      if (progress.step !== step || isBegun) return
      isBegun = true
      onBegin()
      setTimeout(() => stop.abort(new Error('stopped by hand')), 20)
    }
    return { signal: stop.signal, onProgress }
  }

  it.each(['check', 'copy'] as const)(
    'in the %s of a large store waits for nothing and leaves nothing',
    async (step) => {
      const { parent, path, file, env } = await large()
      holdable(file)
      const before = folderContent(parent)
      const target = join(parent, 'deep', 'target')
      for (const [message, run] of [
        [
          `${join(parent, 'copy')} was not made.`,
          (work) => backupStore({ env, target: join(parent, 'copy'), ...work }),
        ],
        [
          'Nothing was restored.',
          (work) => restoreStore({ env: { FISH_STORAGE: `file:${target}` }, backup: path, now: NOW, ...work }),
        ],
      ] satisfies [string, (work: MaintenanceOptions) => Promise<object>][]) {
        let [letGo, hasReaderGivenUp] = [() => {}, false]
        const work = abortIn(step, () => {
          letGo = hold(file)
          // As long as a reader waits for what is held.
          setTimeout(() => (hasReaderGivenUp = true), 5000).unref()
        })
        await expect(run(work)).rejects.toMatchObject({ code: 'interrupted', message: `Interrupted. ${message}` })
        expect(hasReaderGivenUp).toBe(false)
        letGo()
        expect(folderContent(parent)).toEqual(before)
      }
    },
  )

  it('of a rotation says that what the new secret encrypts stays so; run again, it does the rest', async () => {
    const { env, count } = await sealedStore()
    const given = { ...env, FISH_SECRET: 'the secret from now on, long enough', FISH_SECRET_PREVIOUS: SECRET }
    /** Aborts once a part of the keys was looked at. */
    const interrupted = (dryRun: boolean) => {
      const stop = new AbortController()
      const onProgress = ({ done }: MaintenanceProgress) => {
        if (done > 0) stop.abort(new Error('stopped by hand'))
      }
      return rotateSecret({ env: given, signal: stop.signal, onProgress, dryRun })
    }
    await expect(interrupted(true)).rejects.toMatchObject({
      name: 'MaintenanceError',
      code: 'interrupted',
      message: 'Interrupted. Nothing was changed.',
      hint: 'Run it again.',
    })
    expect(await rotateSecret({ env: given, dryRun: true })).toMatchObject({ seen: count, resealed: count })
    await expect(interrupted(false)).rejects.toMatchObject({
      name: 'MaintenanceError',
      code: 'interrupted',
      message: 'Interrupted. Keys that the new secret encrypts stay so.',
      hint: 'Run it again: it does the rest.',
    })
    const { resealed } = await rotateSecret({ env: given })
    expect(resealed).toBeGreaterThan(0)
    expect(resealed).toBeLessThan(count)
  })

  it.each(['a dry run', 'a stream that never waits'])(
    'of an export by what is heard between two turns of the event loop ends it: %s',
    async (way) => {
      const { parent, env } = await filled()
      const before = folderContent(parent)
      const dryRun = way === 'a dry run'
      let isEnded = false
      // Such as stdout that is a file: it takes everything at once.
      const stream = new Writable({
        write(chunk, _encoding, done) {
          isEnded ||= String(chunk).includes('{"end":')
          done()
        },
      })
      const [stop, reason] = [new AbortController(), new Error('stopped by hand')]
      const onProgress = ({ unit, done }: MaintenanceProgress) => {
        if (unit === 'lines' && done === 0) setImmediate(() => stop.abort(reason))
      }
      const target = dryRun ? join(parent, 'out.jsonl') : stream
      const work = { env, target, now: NOW, signal: stop.signal, onProgress, dryRun }
      await expect(exportStore(work)).rejects.toMatchObject({ code: 'interrupted', cause: reason })
      expect(isEnded).toBe(false)
      expect(folderContent(parent)).toEqual(before)
    },
  )

  it('of a backup leaves a server on the store as it was, which writes meanwhile', async () => {
    const { parent, path, env } = await large()
    const storage = await createStorage({ driver: 'file', path })
    const place = { owner: 'ann', kind: 'fish', gamemode: 'earth' }
    let [isOver, written] = [false, 0]
    const writing = (async () => {
      for (; !isOver; written += 1) await storage.append(place, newRecord())
    })()
    const target = join(parent, 'copy')
    await expect(backupStore({ env, target, ...abortIn('copy') })).rejects.toMatchObject({ code: 'interrupted' })
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

describe('where the process that reads a large store', () => {
  /** Has that process run a script instead. */
  function childRuns(script: string) {
    const program = join(newFolder(), 'program')
    writeFileSync(program, `#!/bin/sh\n${script}\n`)
    chmodSync(program, 0o700)
    const before = process.execPath
    process.execPath = program
    onTestFinished(() => {
      process.execPath = before
    })
  }

  it('starts and ends without a word, this one does its work', async ({ skip }) => {
    if (process.platform === 'win32') return skip('Windows starts no script')
    const { parent, env } = await large()
    childRuns('exit 127')
    const target = join(parent, 'copy')
    const report = await backupStore({ env, target })
    expect(report.bytes).toBeGreaterThan(LARGE)
    expect(statSync(join(target, 'fish.db')).size).toBe(report.bytes)
  })

  it.for(['echo Welcome', 'echo "{}"; exit 1'])(
    'is another program (%s), this one does its work',
    async (script, { skip }) => {
      if (process.platform === 'win32') return skip('Windows starts no script')
      const { parent, env } = await large()
      childRuns(script)
      const report = await backupStore({ env, target: join(parent, 'copy'), dryRun: true })
      expect(report.bytes).toBeGreaterThan(LARGE)
    },
  )

  it('ends by itself behind a part of the copy, nothing is made of that part', async ({ skip }) => {
    if (process.platform === 'win32') return skip('Windows starts no script')
    const { parent, env } = await large()
    const before = folderContent(parent)
    childRuns('for last; do :; done; case "$last" in */copy.partial-*) echo part > "$last" ;; esac; exit 1')
    await expect(backupStore({ env, target: join(parent, 'copy') })).rejects.toMatchObject({ code: 'unavailable' })
    expect(folderContent(parent)).toEqual(before)
  })

  it('is ended by another, it says so and leaves nothing', async ({ skip }) => {
    if (process.platform === 'win32') return skip('Windows starts no script')
    const { parent, env } = await large()
    const before = folderContent(parent)
    childRuns('kill -9 $$')
    await expect(backupStore({ env, target: join(parent, 'copy') })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The process that read the store was killed.',
      hint: 'Run it again.',
    })
    expect(folderContent(parent)).toEqual(before)
  })
})
