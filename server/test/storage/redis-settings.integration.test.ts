import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { inspect } from 'node:util'
import { createStorage } from '@fish-crab/server/storage'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  describeWithRedis,
  freePort,
  type RedisServer,
  startRedis,
} from '../../../scripts/test-support/redis-server.ts'
import { parseStorageAddress } from '../../src/node/settings.ts'
import { newCollection, newRecord, readNames, talliesOf } from '../storage-suite/samples.ts'

const PASSWORD = 'p@ss:w/rd?#%hunter2'

describeWithRedis('the settings of a Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis({ requirepass: PASSWORD })
  })
  afterAll(() => server.stop())

  const urlWith = (password: string, rest = '') =>
    `redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}${rest}`
  const open = async (url = urlWith(PASSWORD)) => {
    const storage = await createStorage({ driver: 'redis', url })
    onTestFinished(() => storage.dispose())
    return storage
  }
  const openAddress = async (address: string) => {
    const storage = await createStorage(parseStorageAddress(address))
    onTestFinished(() => storage.dispose())
    return storage
  }
  const configured = async (settings: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(settings)) await server.admin.config('SET', name, value)
    return open()
  }

  test.each([
    ['yes', 'always', 'noeviction', /appendonly always: .*survives a crash and a power loss\.$/, []],
    ['yes', 'everysec', 'noeviction', /appendonly every second: a crash may lose up to two seconds\.$/, []],
    ['yes', 'no', 'noeviction', /half minute/, []],
    ['yes', 'always', 'volatile-ttl', /survives/, [/may delete rate limits.*volatile-ttl/]],
    ['no', 'always', 'volatile-random', /appendonly no.*last snapshot/, [/not append-only/, /volatile-random/]],
  ])(
    'determine the reported durability: appendonly %s, appendfsync %s, %s',
    async (appendonly, appendfsync, policy, text, warnings) => {
      const storage = await configured({ appendonly, appendfsync, 'maxmemory-policy': policy, save: '' })
      expect(storage.durability).toMatch(text)
      expect(storage.durability).toMatch(/^[A-Z].+\.$/)
      expect(storage.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)))
    },
  )

  test('prevent the start if Redis could evict users and catches, even if the CONFIG command is forbidden', async () => {
    await server.admin.call('ACL', 'SETUSER', 'guest', 'on', '>secret', '~fish:*', '+@all', '-config')
    await server.admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    onTestFinished(async () => void (await server.admin.config('SET', 'maxmemory-policy', 'noeviction')))
    for (const login of [urlWith(PASSWORD), `redis://guest:secret@127.0.0.1:${server.port}`]) {
      await expect(open(login)).rejects.toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(/maxmemory-policy is allkeys-lru\. .*CONFIG SET maxmemory-policy noeviction/),
      })
    }
  })

  test('prevent the start for a user who has only read permissions, even if the store exists', async () => {
    await (await open()).items.setItem('a:b', 'c')
    await server.admin.call('ACL', 'SETUSER', 'commands', 'on', '>secret', '~fish:*', '+@all', '-@write')
    await server.admin.call('ACL', 'SETUSER', 'keys', 'on', '>secret', '%R~fish:*', '+@all')
    for (const user of ['commands', 'keys']) {
      await expect(open(`redis://${user}:secret@127.0.0.1:${server.port}`)).rejects.toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(/lacks permissions/),
      })
    }
  })

  const openAs = async (user: string, ...rules: string[]) => {
    await server.admin.call('ACL', 'SETUSER', user, 'reset', 'on', '>secret', '~fish:*', ...rules)
    return open(`redis://${user}:secret@127.0.0.1:${server.port}`)
  }

  test.each(['XADD', 'HSET', 'UNLINK', 'HMGET', 'ZLEXCOUNT'])(
    'prevent the start for a user who lacks the permission for %s, and nothing is changed',
    async (command) => {
      await server.admin.flushall()
      await expect(openAs('partial', '+@all', `-${command}`)).rejects.toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(`lacks permissions: ${command}\\. It needs`),
      })
      expect(await server.admin.dbsize()).toBe(0)
    },
  )

  test('prevent the start if a required command is disabled for all users', async () => {
    const without = await startRedis({ 'rename-command': 'XADD ""' })
    onTestFinished(without.stop)
    await expect(open(without.url)).rejects.toMatchObject({ message: expect.stringMatching(/permissions: XADD\. /) })
    expect(await without.admin.dbsize()).toBe(0)
  })

  test.each(['HMGET', 'XRANGE', 'XREVRANGE', 'HGETALL', 'ZRANGE', 'ZADD', 'PING'])(
    'make a ping fail while the user lacks the permission for %s',
    async (command) => {
      const storage = await openAs('later', '+@all')
      expect(await storage.ping()).toBeUndefined()
      await server.admin.call('ACL', 'SETUSER', 'later', `-${command}`)
      const ping = () => storage.ping().catch((error: unknown) => error)
      await expect
        .poll(ping, { timeout: 5000 })
        .toMatchObject({ name: 'StorageError', message: expect.stringContaining('lacks permissions') })
      await server.admin.call('ACL', 'SETUSER', 'later', `+${command}`)
      await expect.poll(ping, { timeout: 5000 }).toBeUndefined()
    },
  )

  test.each(['HINCRBY', 'XADD', 'HSET', 'ZINCRBY', 'HDEL', 'XDEL'])(
    'that forbid %s leave no partial write, and the write can be repeated later',
    async (command) => {
      const storage = await openAs('later', '+@all')
      const collection = newCollection({ kind: command })
      const [kept, removed] = [newRecord(), newRecord()]
      await storage.append(collection, removed)
      await server.admin.call('ACL', 'SETUSER', 'later', `-${command}`)
      const append = () => storage.append(collection, kept)
      const remove = () => storage.removeRecord(collection, removed.id)
      const outcomes = await Promise.allSettled([append(), remove()])
      await server.admin.call('ACL', 'SETUSER', 'later', `+${command}`)
      expect(outcomes.map(({ status }) => status)).toContain('rejected')
      if (outcomes[1].status === 'rejected') expect(await remove()).toMatchObject({ count: 1 })
      await append()
      expect(await readNames(storage, collection)).toEqual([kept.id])
      expect((await talliesOf(storage, command)).map(({ count }) => count)).toEqual([1])
      const leaders = [{ owner: collection.owner, count: 1 }]
      for (const gamemode of [undefined, 'earth']) {
        expect(await storage.leaders({ kind: command, gamemode, limit: 9 })).toEqual(leaders)
      }
    },
  )

  test('let a user open and use a storage if the user has only the permissions that the refusal lists', async () => {
    const basic = ['+eval', '+evalsha', '+info']
    const error = await openAs('least', ...basic).catch((caught: unknown) => caught)
    const [, missing = ''] = /permissions: ([A-Z, ]+)\. It needs/.exec(String(error)) ?? []
    const storage = await openAs('least', ...basic, ...missing.split(', ').map((command) => `+${command}`))
    const [collection, record] = [newCollection(), newRecord()]
    await storage.append(collection, record)
    expect(await storage.findRecord(collection.owner, record.dedupeKey ?? '')).toBe(record.id)
    expect(await readNames(storage, collection)).toEqual([record.id])
    await storage.items.setItem('a:b', 'c')
    expect(await storage.items.getItem('a:b')).not.toBeNull()
    expect((await storage.listItems({ base: 'a:', limit: 1 })).items).toEqual([{ key: 'a:b', value: 'c' }])
    expect(await storage.countItems('a:')).toBe(1)
    await storage.items.removeItem('a:b')
    await storage.countInWindow('k:1', { durationMs: 1000, limit: 1, now: Date.now() })
    expect(await storage.version(collection)).not.toBe('empty')
    expect(await storage.tallies()).not.toEqual([])
    expect(await storage.leaders({ kind: collection.kind, limit: 1 })).not.toEqual([])
    expect(await storage.removeRecord(collection, record.id)).toMatchObject({ count: 1 })
    await storage.removeOwner(collection.owner)
    await storage.ping()
  })

  test('do not prevent the start while Redis is full, since removals free memory', async () => {
    await (await open()).items.setItem('a:b', 'c')
    await server.admin.config('SET', 'maxmemory', '1')
    onTestFinished(async () => void (await server.admin.config('SET', 'maxmemory', '0')))
    const storage = await open()
    await expect(storage.ping()).rejects.toMatchObject({ code: 'full' })
    await storage.items.removeItem('a:b')
  })

  test('are reported as unknown if the user may not read the settings', async () => {
    await server.admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '~fish:*', '+@all', '-config')
    const storage = await open(`redis://app:secret@127.0.0.1:${server.port}`)
    expect(storage.durability).toMatch(/unknown.*CONFIG GET is refused/)
    expect(storage.warnings).toEqual([])
    await storage.items.setItem('a:b', 'c')
    expect(await storage.items.getItem('a:b')).toBe('c')
  })

  test('keep the databases of one server separate', async () => {
    const [one, other] = [await open(), await open(urlWith(PASSWORD, '/3'))]
    await one.items.setItem('db:a', 'x')
    expect(await other.items.getItem('db:a')).toBeNull()
    await expect(open(urlWith(PASSWORD, '/99'))).rejects.toMatchObject({ message: expect.stringMatching(/number/) })
  })

  test('never put a password into an error, its cause or the storage object', async () => {
    const secret = 'hunter2'
    for (const url of [urlWith(`wrong-${secret}`), `redis://nobody:${secret}@127.0.0.1:${server.port}`]) {
      const error = await open(url).catch((caught: unknown) => caught)
      expect(error).toMatchObject({
        name: 'StorageError',
        code: 'unavailable',
        message: expect.stringMatching(/refused the login/),
      })
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret)
    }
    const noLogin = await open(`redis://127.0.0.1:${server.port}`).catch((caught: unknown) => caught)
    expect(noLogin).toMatchObject({ message: expect.stringMatching(/refused the login/) })
    for (const url of [
      `redis://:${secret}@[::1`,
      `redis://:${secret}`,
      `http://:${secret}@host`,
      `redis://:%${secret}@h`,
    ]) {
      const error = await open(url).catch((caught: unknown) => caught)
      expect(error).toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(/^The address of Redis must be redis:/),
      })
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret)
    }
    expect(inspect(await open(), { depth: 10, showHidden: true })).not.toContain(secret)
  })

  test('never put a password into an error, even if Redis repeats an unknown login command', async () => {
    const old = await startRedis({ 'rename-command': 'AUTH NOTAUTH' })
    onTestFinished(() => old.stop())
    const error = await open(`redis://:hunter2@127.0.0.1:${old.port}`).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'StorageError', code: 'unavailable' })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hunter2')
  })

  test('cause an error that names TLS if Redis has no TLS, whether or not a password is given', async () => {
    const { port } = server
    const addresses = ['rediss', 'rediss-cluster'].flatMap((scheme) =>
      ['', ':hunter2@'].map((login) => `${scheme}://${login}127.0.0.1:${port}`),
    )
    await Promise.all(
      addresses.map(async (address) => {
        const right = address.startsWith('rediss-cluster') ? 'redis-cluster' : 'redis'
        await expect(openAddress(address)).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining(`If this Redis has no TLS, begin FISH_STORAGE with ${right}://.`),
        })
      }),
    )
  })

  test('cause an error that does not mention TLS if TLS is not the reason', async () => {
    const port = await freePort()
    for (const scheme of ['redis', 'rediss']) {
      await expect(openAddress(`${scheme}://127.0.0.1:${port}`)).rejects.toMatchObject({
        message: `Redis is unreachable: connect ECONNREFUSED 127.0.0.1:${port}.`,
      })
    }
  })

  test('encrypt the connection, and require a trusted certificate', async ({ skip }) => {
    if (spawnSync('openssl', ['version']).status !== 0) {
      if (process.env.CI) throw new Error('openssl is not installed (Debian package: openssl)')
      skip('openssl is not installed')
    }
    const folder = mkdtempSync(join(tmpdir(), 'fish-tls-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '2']
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    const port = String(await freePort())
    const tls = { 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-auth-clients': 'no' }
    const secure = await startRedis({ port: '0', 'tls-port': port, ...tls })
    onTestFinished(() => secure.stop())
    const trusted = getCACertificates()
    onTestFinished(() => setDefaultCACertificates(trusted))

    const url = `rediss://localhost:${port}`
    await expect(open(url)).rejects.toMatchObject({ message: expect.stringMatching(/certificate/) })
    for (const scheme of ['redis', 'redis-cluster']) {
      for (const login of ['', ':hunter2@']) {
        const error = await openAddress(`${scheme}://${login}localhost:${port}`).catch((caught: unknown) => caught)
        expect(error).toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining(
            `If this Redis uses TLS, begin FISH_STORAGE with ${scheme.replace('redis', 'rediss')}://.`,
          ),
        })
      }
    }
    setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')])
    const storage = await open(url)
    await storage.items.setItem('a:b', 'c')
    expect(await storage.items.getItem('a:b')).toBe('c')
  })
})
