import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  backupStore,
  type MaintenanceOptions,
  type MaintenanceProgress,
  restoreStore,
  rotateSecret,
} from '@fish-crab/server/maintenance'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folderContent } from '../../../scripts/test-support/folder-content.ts'
import { createEncryption } from '../../src/app/users/encryption.ts'
import { newFolder } from '../node/data-folder.ts'
import { newRecord } from '../storage-suite/samples.ts'

const SECRET = 'the secret of the beginning, long'

/** Records progress. */
function listener() {
  const reports: MaintenanceProgress[] = []
  return { reports, onProgress: (progress: MaintenanceProgress) => reports.push(progress) }
}

/** The steps in order, each with the first and the last count. A count that restarts begins a new step. */
function stepsOf(reports: readonly MaintenanceProgress[]) {
  const steps: { step: string; from: number; to: number; total: number | undefined; times: number }[] = []
  for (const { step, done, total } of reports) {
    const last = steps.at(-1)
    if (last?.step === step && done >= last.to && total === last.total) {
      last.to = done
      last.times += 1
    } else steps.push({ step, from: done, to: done, total, times: 1 })
  }
  return steps
}

/** A file store with more encrypted keys than a rotation checks in one batch. */
async function encryptedStore() {
  const path = join(newFolder(), 'data')
  const storage = await createStorage({ driver: 'file', path })
  const encryption = createEncryption([SECRET], (bytes) => crypto.getRandomValues(bytes))
  const ids = Array.from({ length: 2000 }, (_, index) => `filler-${index}`)
  await Promise.all(
    ids.map(async (id) => storage.items.setItem(`secret:${id}:fernet`, await encryption.encrypt('a key', id))),
  )
  await storage.dispose()
  return { env: { FISH_STORAGE: `file:${path}`, FISH_SECRET: SECRET }, count: ids.length }
}

const LARGE = 17_000_000

/** A file store that is copied in several steps. */
async function large() {
  const parent = newFolder()
  const path = join(parent, 'data')
  const storage = await createStorage({ driver: 'file', path })
  await storage.items.setItem('audit:filler', 'x'.repeat(LARGE))
  await storage.dispose()
  return { parent, path, env: { FISH_STORAGE: `file:${path}` } }
}

/** Replaces the child process of a copy with a shell script. */
function copiesWith(script: string) {
  const program = join(newFolder(), 'program')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o700)
  const before = process.execPath
  process.execPath = program
  onTestFinished(() => {
    process.execPath = before
  })
}

describe('the progress', () => {
  it('of a backup and a restore counts all copied bytes', async () => {
    const { parent, path, env } = await large()
    const [backup, restore] = [listener(), listener()]
    await backupStore({ env, target: join(parent, 'copy'), ...backup })
    await restoreStore({ env: { FISH_STORAGE: `file:${join(parent, 'other')}` }, backup: path, ...restore })
    for (const { reports } of [backup, restore]) {
      const [copy, ...more] = stepsOf(reports)
      expect(more).toEqual([])
      expect(copy).toMatchObject({ step: 'copy', from: 0, to: copy?.total })
      expect(copy?.total).toBeGreaterThan(LARGE)
    }
  })

  it('of a rotation counts all checked keys', async () => {
    const { env, count } = await encryptedStore()
    const { reports, onProgress } = listener()
    await rotateSecret({ env, onProgress })
    expect(stepsOf(reports)).toMatchObject([{ step: 'rotate', from: 0, to: count, total: count }])
    expect(reports.length).toBeGreaterThan(2)
  })
})

describe('an interruption', () => {
  /** Aborts soon after the first report of this step. */
  function abortIn(step: MaintenanceProgress['step']) {
    const stop = new AbortController()
    const steps: MaintenanceProgress[] = []
    const onProgress = (progress: MaintenanceProgress) => {
      steps.push(progress)
      if (progress.step === step) setImmediate(() => stop.abort(new Error('stopped by hand')))
    }
    return { signal: stop.signal, onProgress, steps }
  }

  it('of a copy takes effect immediately, and leaves nothing behind', async () => {
    const { parent, path, env } = await large()
    // The script runs longer than the test may take.
    copiesWith('exec sleep 120')
    const before = folderContent(parent)
    const target = join(parent, 'deep', 'target')
    for (const [message, run] of [
      [`${join(parent, 'copy')} was not made.`, (work) => backupStore({ env, target: join(parent, 'copy'), ...work })],
      [
        'Nothing was restored.',
        (work) => restoreStore({ env: { FISH_STORAGE: `file:${target}` }, backup: path, ...work }),
      ],
    ] satisfies [string, (work: MaintenanceOptions) => Promise<object>][]) {
      const { steps, ...work } = abortIn('copy')
      await expect(run(work)).rejects.toMatchObject({ code: 'interrupted', message: `Interrupted. ${message}` })
      expect(steps.at(-1)).toMatchObject({ step: 'copy' })
      expect(folderContent(parent)).toEqual(before)
    }
  })

  it('of a rotation keeps the keys that are already re-encrypted, and the next run finishes', async () => {
    const { env, count } = await encryptedStore()
    const given = { ...env, FISH_SECRET: 'the secret from now on, long enough', FISH_SECRET_PREVIOUS: SECRET }
    /** Aborts after some of the keys are checked. */
    const interrupted = () => {
      const stop = new AbortController()
      const onProgress = ({ done }: MaintenanceProgress) => {
        if (done > 0) stop.abort(new Error('stopped by hand'))
      }
      return rotateSecret({ env: given, signal: stop.signal, onProgress })
    }
    await expect(interrupted()).rejects.toMatchObject({
      name: 'MaintenanceError',
      code: 'interrupted',
      message: 'Interrupted. Keys that the new secret encrypts stay so.',
      hint: 'Run the rotation again to finish.',
    })
    const { reencrypted } = await rotateSecret({ env: given })
    expect(reencrypted).toBeGreaterThan(0)
    expect(reencrypted).toBeLessThan(count)
  })

  it('of a backup does not affect a server that writes to the store', async () => {
    const { parent, path, env } = await large()
    const storage = await createStorage({ driver: 'file', path })
    const place = { owner: 'ann', kind: 'fish', gamemode: 'earth' }
    await storage.append(place, newRecord())
    let [isOver, written] = [false, 1]
    const writing = (async () => {
      for (; !isOver; written += 1) await storage.append(place, newRecord())
    })()
    const target = join(parent, 'copy')
    await expect(backupStore({ env, target, ...abortIn('copy') })).rejects.toMatchObject({ code: 'interrupted' })
    const before = written
    const report = await backupStore({ env, target })
    isOver = true
    await writing
    expect(report.records).toBeGreaterThanOrEqual(before)
    expect(report.records).toBeLessThan(written)
    await storage.dispose()
    expect(await backupStore({ env, target: join(parent, 'all') })).toMatchObject({ records: written })
  })
})

describe('a backup', () => {
  it.each([
    ['small', 100],
    ['large', LARGE],
  ])('of a store with %s records contains no deleted data', async (_, size) => {
    const parent = newFolder()
    const path = join(parent, 'data')
    const storage = await createStorage({ driver: 'file', path })
    const place = { owner: 'ann', kind: 'fish', gamemode: 'earth' }
    const removed = newRecord({ entries: ['a removed catch'.repeat(size / 10)] })
    await storage.append(place, removed)
    await storage.append(place, newRecord({ entries: ['a kept catch'] }))
    await storage.items.setItem('secret:ann:fernet', 'a removed key')
    await storage.removeRecord(place, removed.id)
    await storage.items.removeItem('secret:ann:fernet')
    const target = join(parent, 'copy')
    await backupStore({ env: { FISH_STORAGE: `file:${path}` }, target })
    await storage.dispose()
    expect(readdirSync(target)).toEqual(['fish.db'])
    const content = readFileSync(join(target, 'fish.db'), 'latin1')
    expect(content).toContain('a kept catch')
    expect(content).not.toContain('a removed')
    expect(statSync(join(target, 'fish.db')).mode & 0o777).toBe(0o600)
  })

  it('is refused if the secrets are rotated meanwhile, and is readable only by its owner when it is repeated', async () => {
    const { parent, path } = await large()
    const [target, env] = [join(parent, 'copy'), { FISH_STORAGE: `file:${path}` }]
    const secrets = join(path, 'secrets.json')
    writeFileSync(secrets, JSON.stringify({ encryption: 'the old secret', session: 'a session secret' }))
    const onProgress = ({ step, done }: MaintenanceProgress) => {
      if (step !== 'copy' || done > 0) return
      writeFileSync(secrets, JSON.stringify({ encryption: 'the new secret', session: 'a session secret' }))
    }
    await expect(backupStore({ env, target, onProgress })).rejects.toMatchObject({ code: 'unavailable' })
    expect(existsSync(target)).toBe(false)
    await backupStore({ env, target })
    expect(readdirSync(parent).sort()).toEqual(['copy', 'data'])
    expect(readdirSync(target).sort()).toEqual(['fish.db', 'secrets.json'])
    if (process.platform === 'win32') return
    for (const [name, mode] of Object.entries({ '.': 0o700, 'fish.db': 0o600, 'secrets.json': 0o600 }))
      expect([name, statSync(join(target, name)).mode & 0o777]).toEqual([name, mode])
  })
})

describe('if the child process of a copy fails', () => {
  it.for([
    ['is missing', 'exit 127'],
    ['is killed', 'kill -9 $$'],
  ] as const)('because it %s, the backup fails and leaves nothing behind', async ([, script], { skip }) => {
    if (process.platform === 'win32') return skip('Windows starts no script')
    const { parent, env } = await large()
    copiesWith(script)
    const before = folderContent(parent)
    await expect(backupStore({ env, target: join(parent, 'copy') })).rejects.toMatchObject({ code: 'unavailable' })
    expect(folderContent(parent)).toEqual(before)
  })
})
