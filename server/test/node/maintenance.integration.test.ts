import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs, {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import {
  backupStore,
  exportStore,
  importStore,
  MaintenanceError,
  resetAdminPassword,
  restoreStore,
  rotateSecret,
} from '@fish-crab/server'
import { createApp } from '@fish-crab/server/app'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeWithRedis, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { plainPasswords } from '../app/memory-service.ts'
import { basic, SESSION_SECRET } from '../app/test-service.ts'
import { newFolder } from './data-folder.ts'
import { startTestServer } from './running.ts'

const [OLD, NEW] = ['the secret of the beginning, long', 'the secret from now on, long enough']

/** A data folder with a store of some size. */
async function storeOf(folder: string, bytes: number) {
  const env = { FISH_STORAGE: `file:${folder}` }
  await (await startTestServer({ ...env, FISH_ADMIN_PASSWORD: 'boss-password' })).close()
  const storage = await createStorage({ driver: 'file', path: folder })
  await storage.items.setItem('audit:filler', randomBytes(bytes / 2).toString('hex'))
  await storage.dispose()
  return env
}

const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MaintenanceError)
  const { code, message } = error as MaintenanceError
  expect(message).not.toContain('\n')
  return code
}

const SERVICE = 65_534
const ROOT_ONLY = process.getuid?.() === 0 ? '' : ' (skipped: only root can work for another user)'

describe('by root, on the data folder of another user,', () => {
  /** A data folder of the user of a service, with a store and a backup of it. */
  async function serviceFolder() {
    const parent = newFolder()
    const [folder, backup] = [join(parent, 'data'), join(parent, 'backup')]
    const env = { FISH_STORAGE: `file:${folder}` }
    await (await startTestServer({ ...env, FISH_ADMIN_PASSWORD: 'boss-password' })).close()
    await backupStore({ env, target: backup })
    for (const path of [parent, folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
      chownSync(path, SERVICE, SERVICE)
    }
    return { env, folder, backup }
  }
  const ownersIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name)).uid)

  it.skipIf(ROOT_ONLY !== '').each([
    ['a rotation', async ({ env }) => rotateSecret({ env, makeNew: true })],
    ['a restore', async ({ env, backup }) => restoreStore({ env, backup, force: true, now: new Date(0) })],
    [
      'an import',
      async ({ env, folder }) => {
        const file = join(folder, '..', 'export')
        await exportStore({ env, target: file, now: new Date(0) })
        for (const name of readdirSync(folder)) if (name !== 'secrets.json') rmSync(join(folder, name))
        await importStore({ env, file })
      },
    ],
    [
      'a reset of a password',
      async ({ env, folder }) => {
        rmSync(join(folder, 'fish.lock'))
        await resetAdminPassword({ env, username: 'admin', password: 'another-password' })
      },
    ],
  ] as [string, (service: Awaited<ReturnType<typeof serviceFolder>>) => Promise<unknown>][])(
    `%s leaves all files to that user${ROOT_ONLY}`,
    async (_, work) => {
      const service = await serviceFolder()
      await work(service)
      expect(new Set(ownersIn(service.folder))).toEqual(new Set([SERVICE]))
    },
  )

  it.skipIf(ROOT_ONLY !== '')(`a dry run changes no owner${ROOT_ONLY}`, async () => {
    const { env, folder, backup } = await serviceFolder()
    chownSync(join(folder, 'fish.mark'), 0, 0)
    await rotateSecret({ env, makeNew: true, dryRun: true })
    await restoreStore({ env, backup, force: true, now: new Date(0), dryRun: true })
    expect(statSync(join(folder, 'fish.mark')).uid).toBe(0)
  })

  it.skipIf(ROOT_ONLY !== '')(`nothing else changes its owner${ROOT_ONLY}`, async () => {
    const { env, folder } = await serviceFolder()
    const outside = join(folder, '..', 'of-root')
    writeFileSync(outside, '')
    symlinkSync(outside, join(folder, 'fish.link'))
    linkSync(outside, join(folder, 'fish.hard'))
    writeFileSync(join(folder, 'notes'), '')
    await rotateSecret({ env, makeNew: true })
    expect([outside, join(folder, 'notes')].map((path) => statSync(path).uid)).toEqual([0, 0])
    expect(lstatSync(join(folder, 'fish.link')).uid).toBe(0)
  })
})

describe.skipIf(ROOT_ONLY !== '')(`by root, while that user exchanges folders for links,${ROOT_ONLY}`, () => {
  const readdir = fs.readdirSync
  const exchangeAfterReading = (name: string, exchange: () => void) => {
    const read = (path: string, options: never) => {
      const names = readdir(path, options)
      if (realpathSync(path).endsWith(`/${name}`)) exchange()
      return names
    }
    fs.readdirSync = read as typeof readdir
    syncBuiltinESMExports()
    onTestFinished(() => {
      fs.readdirSync = readdir
      syncBuiltinESMExports()
    })
  }

  it('what is behind such a link keeps its owner', async () => {
    const folder = newFolder()
    const [data, victim] = [join(folder, 'data'), join(folder, 'victim')]
    const env = await storeOf(data, 1000)
    const replaced = join(data, 'replaced-x')
    for (const path of [victim, replaced]) {
      mkdirSync(path)
      writeFileSync(join(path, 'shadow'), '')
    }
    for (const path of [data, replaced]) chownSync(path, SERVICE, SERVICE)
    let isExchanged = false
    exchangeAfterReading('replaced-x', () => {
      if (isExchanged) return
      isExchanged = true
      renameSync(replaced, join(folder, 'aside'))
      symlinkSync(victim, replaced)
    })
    await rotateSecret({ env, makeNew: true })
    expect(isExchanged).toBe(true)
    expect(statSync(join(victim, 'shadow')).uid).toBe(0)
  })
})

describe('on a full disk, or one that cannot be written,', () => {
  it('a backup and a restore end with one line, and leave what was there', async ({ skip }) => {
    const mounted = mountSmallDisk()
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const { disk } = mounted
    const folder = join(newFolder(), 'data')
    const env = await storeOf(folder, 1_500_000)
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(1024 * 1024))
    const onDisk = { FISH_STORAGE: `file:${join(disk, 'data')}` }
    expect(await refusal(backupStore({ env, target: join(disk, 'copy') }))).toBe('full')
    expect(await refusal(restoreStore({ env: onDisk, backup: folder, now: new Date(0) }))).toBe('full')
    expect(readdirSync(disk)).toEqual(['ballast'])

    execFileSync('mount', ['-o', 'remount,ro', disk])
    expect(await refusal(backupStore({ env, target: join(disk, 'copy') }))).toBe('read_only')
    expect(await refusal(restoreStore({ env: onDisk, backup: folder, now: new Date(0) }))).toBe('read_only')
  })
})

describe('a restore that cannot finish', () => {
  it('leaves the store that is there, although it was to be replaced', async ({ skip }) => {
    const mounted = mountSmallDisk()
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const large = join(newFolder(), 'data')
    await storeOf(large, 2_500_000)
    const folder = join(mounted.disk, 'data')
    const env = await storeOf(folder, 100_000)
    const before = readFileSync(join(folder, 'fish.db'))
    const names = readdirSync(folder).sort()
    expect(await refusal(restoreStore({ env, backup: large, force: true, now: new Date(0) }))).toBe('full')
    expect(readFileSync(join(folder, 'fish.db')).equals(before)).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(names)
    await (await startTestServer(env)).close()
  })
})

describeWithRedis('rotating the secret of a Redis', () => {
  it('goes on while players get new keys and keys are read, and ends with everything under the first secret', async () => {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const storage = await createStorage({ driver: 'redis', url: redis.url })
    onTestFinished(() => storage.dispose())
    const appUnder = (encryption: string, ...previousEncryption: string[]) =>
      createApp({
        storage,
        secrets: { encryption, previousEncryption, session: SESSION_SECRET },
        passwords: plainPasswords,
        version: '0',
        clientAddress: () => '192.0.2.1',
        rateLimit: { requests: 1000, windowMs: 300_000 },
      })
    const before = appUnder(OLD)
    await before.checkSecrets()
    const first: Awaited<ReturnType<typeof before.users.create>>[] = []
    while (first.length < 600) {
      const names = Array.from({ length: 100 }, (_, index) => `old${first.length + index}`)
      first.push(...(await Promise.all(names.map((name) => before.users.create({ name, password: 'the-password' })))))
    }
    const app = appUnder(NEW, OLD)
    await app.checkSecrets()
    const env = { FISH_STORAGE: redis.url, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
    let done = false
    const created: Awaited<ReturnType<typeof app.users.create>>[] = []
    const creating = (async () => {
      while (!done) created.push(await app.users.create({ name: `new${created.length}`, password: 'the-password' }))
    })()
    const counts = await rotateSecret({ env })
    done = true
    await creating
    expect(counts).toMatchObject({ resealed: 600, unopened: [] })
    expect(created.length).toBeGreaterThan(0)
    expect(await rotateSecret({ env })).toMatchObject({ resealed: 0 })

    const after = appUnder(NEW)
    await after.checkSecrets()
    await expect(appUnder(OLD).checkSecrets()).rejects.toThrow(/encrypted with a secret/)
    for (const { name, fernetKey } of [...first.slice(0, 20), ...created.slice(0, 20)]) {
      const headers = { authorization: basic(name, 'the-password') }
      const response = await after.fetch(new Request('http://service.test/get/user/key', { headers }))
      expect(await response.json()).toEqual({ fernetKey })
    }
  })

  it('waits for as many replicas as FISH_REDIS_WAIT says: for none, where the last one was removed for good', async () => {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const storage = await createStorage({ driver: 'redis', url: redis.url })
    onTestFinished(() => storage.dispose())
    const secrets = { encryption: OLD, session: SESSION_SECRET }
    const clientAddress = () => '192.0.2.1'
    const app = createApp({ storage, secrets, passwords: plainPasswords, version: '0', clientAddress })
    await app.checkSecrets()
    await app.users.create({ name: 'Alex' })
    await redis.admin.set('fish:replicated', 1)
    const env = { FISH_STORAGE: redis.url, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
    await expect(rotateSecret({ env })).rejects.toThrow(/reached 0 of 1/)
    expect(await rotateSecret({ env: { ...env, FISH_REDIS_WAIT: '0' } })).toMatchObject({ resealed: 1 })
  })

  it('needs FISH_SECRET, and makes none', async () => {
    const env = { FISH_STORAGE: 'redis://127.0.0.1:1' }
    expect(await refusal(rotateSecret({ env }))).toBe('missing_secret')
    expect(await refusal(rotateSecret({ env: { ...env, FISH_SECRET: NEW }, makeNew: true }))).toBe('invalid_settings')
    expect(await refusal(rotateSecret({ env: { FISH_STORAGE: 'memory:' } }))).toBe('invalid_settings')
  })
})
