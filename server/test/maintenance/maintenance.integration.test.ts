import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '@fish-crab/server/app'
import { backupStore, MaintenanceError, restoreStore, rotateSecret } from '@fish-crab/server/maintenance'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeWithRedis, startRedis } from '../../../scripts/test-support/redis-server.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { plainPasswords } from '../app/memory-service.ts'
import { basic, SESSION_SECRET } from '../app/test-service.ts'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'

const [OLD, NEW] = ['the secret of the beginning, long', 'the secret from now on, long enough']

/** Creates a data folder with a store of about this size. */
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

describe('on a full or read-only disk,', () => {
  it('a backup and a restore fail with a one-line message, and leave existing files unchanged', async ({ skip }) => {
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
    expect(await refusal(restoreStore({ env: onDisk, backup: folder }))).toBe('full')
    expect(readdirSync(disk)).toEqual(['ballast'])

    execFileSync('mount', ['-o', 'remount,ro', disk])
    expect(await refusal(backupStore({ env, target: join(disk, 'copy') }))).toBe('read_only')
    expect(await refusal(restoreStore({ env: onDisk, backup: folder }))).toBe('read_only')
  })
})

describeWithRedis('a rotation of the secret of a Redis', () => {
  it('works while users are created, and leaves every key encrypted with the new secret', async () => {
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
    expect(counts).toMatchObject({ reencrypted: 600, undecryptable: [] })
    expect(created.length).toBeGreaterThan(0)
    expect(await rotateSecret({ env })).toMatchObject({ reencrypted: 0 })

    const after = appUnder(NEW)
    await after.checkSecrets()
    await expect(appUnder(OLD).checkSecrets()).rejects.toThrow(/encrypted with a secret/)
    for (const { name, fernetKey } of [...first.slice(0, 20), ...created.slice(0, 20)]) {
      const headers = { authorization: basic(name, 'the-password') }
      const response = await after.fetch(new Request('http://service.test/get/user/key', { headers }))
      expect(await response.json()).toEqual({ fernetKey })
    }
  })

  it('waits for the number of replicas in FISH_REDIS_WAIT', async () => {
    const redis = await startRedis()
    onTestFinished(redis.stop)
    const storage = await createStorage({ driver: 'redis', url: redis.url })
    onTestFinished(() => storage.dispose())
    const secrets = { encryption: OLD, session: SESSION_SECRET }
    const clientAddress = () => '192.0.2.1'
    const app = createApp({ storage, secrets, passwords: plainPasswords, version: '0', clientAddress })
    await app.checkSecrets()
    await app.users.create({ name: 'Alex' })
    const env = { FISH_STORAGE: redis.url, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
    await expect(rotateSecret({ env: { ...env, FISH_REDIS_WAIT: '1' } })).rejects.toThrow(/reached 0 of 1/)
    expect(await rotateSecret({ env })).toMatchObject({ reencrypted: 1 })
  })

  it('requires FISH_SECRET, and does not generate a secret', async () => {
    const env = { FISH_STORAGE: 'redis://127.0.0.1:1' }
    expect(await refusal(rotateSecret({ env }))).toBe('missing_secret')
    expect(await refusal(rotateSecret({ env: { ...env, FISH_SECRET: NEW }, makeNew: true }))).toBe('invalid_settings')
    expect(await refusal(rotateSecret({ env: { FISH_STORAGE: 'memory:' } }))).toBe('invalid_settings')
  })
})
