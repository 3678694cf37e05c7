import { execFileSync } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@fish-crab/sdk'
import { freePort, type RedisServer, startRedis } from '../../test-support/redis-server.ts'
import type { Experiment, Finding, Scale } from '../experiment.ts'
import { Journal } from '../journal.ts'
import { Load } from '../load.ts'
import { catchesOf, nothingLost, type Posting, whilePosting } from '../posted.ts'
import { readCollections, Service, temporaryFolder } from '../service.ts'
import { noRedis } from '../system.ts'

/** Redis flushes each write, so that it cannot lose acknowledged catches. */
const DURABLE = { appendfsync: 'always' }

const TIMES: Readonly<Record<Scale, number>> = { short: 3, long: 100 }

async function disturbedAgain(
  env: Readonly<Record<string, string>>,
  times: number,
  disturb: (posting: Posting) => Promise<void>,
): Promise<Finding> {
  const catches = await whilePosting(env, async (posting) => {
    for (let time = 0; time < times; time += 1) {
      await disturb(posting)
      await posting.load.acknowledgements(10)
    }
  })
  return nothingLost(`${times} times`, catches)
}

/** Creates an experiment that repeats one fault of Redis. */
function disturbing(
  name: string,
  how: string,
  disturb: (redis: RedisServer, posting: Posting) => Promise<void>,
): Experiment {
  return {
    name,
    how,
    missing: noRedis,
    async run(scale) {
      await using redis = await startRedis(DURABLE)
      return await disturbedAgain({ FISH_STORAGE: redis.url }, TIMES[scale], (posting) => disturb(redis, posting))
    },
  }
}

/** Waits until `count` more requests have failed. */
async function failures({ load }: Posting, count: number): Promise<void> {
  const before = load.failed
  while (load.failed < before + count) await wait(5)
}

/** Starts a proxy in front of Redis. After a call of `slow()`, the proxy delays all bytes. */
async function slowWay(port: number, delayMs: number) {
  let isSlow = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        const pass = () => to.writable && to.write(bytes)
        if (isSlow) setTimeout(pass, delayMs / 2)
        else pass()
      })
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  const at = await freePort()
  await new Promise<void>((resolve) => {
    server.listen(at, '127.0.0.1', resolve)
  })
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  const slow = () => {
    isSlow = true
  }
  return { url: `redis://127.0.0.1:${at}`, slow, [Symbol.dispose]: close }
}

/** Returns the settings of a Redis that accepts only TLS, except on the administrator's port. */
async function tlsSettings(folder: string) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ],
    { stdio: 'pipe' },
  )
  const port = String(await freePort())
  const settings = {
    ...DURABLE,
    'tls-port': port,
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-auth-clients': 'no',
  }
  return { settings, env: { FISH_STORAGE: `rediss://localhost:${port}`, NODE_EXTRA_CA_CERTS: certificate } }
}

async function killAndStart(redis: RedisServer, posting: Posting): Promise<void> {
  await redis.kill()
  await failures(posting, 1)
  await redis.start()
}

const FROZEN_MS: Readonly<Record<Scale, number>> = { short: 4000, long: 30_000 }

export const REDIS_EXPERIMENTS: readonly Experiment[] = [
  disturbing('Redis killed', 'While 16 clients post, Redis is killed and started again.', killAndStart),
  {
    name: 'Redis over TLS killed',
    how: 'While 16 clients post, a Redis that uses TLS is killed and started again.',
    missing: noRedis,
    async run(scale) {
      using folder = temporaryFolder()
      const { settings, env } = await tlsSettings(folder.path)
      await using redis = await startRedis(settings)
      return await disturbedAgain(env, TIMES[scale], (posting) => killAndStart(redis, posting))
    },
  },
  {
    name: 'Redis frozen',
    how: 'Redis is frozen and continues later. While Redis is frozen, every request gets a response.',
    missing: noRedis,
    async run(scale) {
      await using redis = await startRedis(DURABLE)
      const catches = await whilePosting({ FISH_STORAGE: redis.url }, async ({ load }) => {
        redis.freeze()
        await wait(FROZEN_MS[scale])
        redis.thaw()
        await load.acknowledgements()
      })
      return nothingLost(`${FROZEN_MS[scale] / 1000} s`, catches)
    },
  },
  {
    name: 'Redis slow by 500 ms',
    how: 'Every round trip to Redis takes 500 ms longer.',
    missing: noRedis,
    async run(scale) {
      await using redis = await startRedis(DURABLE)
      using way = await slowWay(redis.port, 500)
      const posts = scale === 'short' ? 4 : 500
      const catches = await whilePosting({ FISH_STORAGE: way.url }, async ({ load }) => {
        way.slow()
        await load.acknowledgements(posts)
      })
      return nothingLost(`${posts} waits`, catches)
    },
  },
  disturbing(
    'Redis out of memory',
    'The memory limit of Redis is lowered to the used memory, then raised again.',
    async ({ admin }, posting) => {
      const [, used = '0'] = /used_memory:(\d+)/.exec(await admin.info('memory')) ?? []
      await admin.config('SET', 'maxmemory', used)
      await failures(posting, 16)
      await admin.config('SET', 'maxmemory', '0')
    },
  ),
  disturbing(
    'Redis becomes a read-only replica',
    'Redis becomes the replica of a server that does not exist, then a primary again.',
    async ({ admin }, posting) => {
      await admin.call('REPLICAOF', '127.0.0.1', String(await freePort()))
      await failures(posting, 16)
      await admin.call('REPLICAOF', 'NO', 'ONE')
    },
  ),
  {
    name: 'lost signals of new catches',
    how: 'Clients post to one server, and a listener follows the events at another server. Redis closes the connection for signals every 50 ms. Events that are missing, doubled or in the wrong order count as lost.',
    missing: noRedis,
    async run(scale) {
      const kills = scale === 'short' ? 20 : 1000
      await using redis = await startRedis(DURABLE)
      using folder = temporaryFolder()
      await using here = await Service.start({ FISH_STORAGE: redis.url })
      await using there = await Service.start({ FISH_STORAGE: redis.url })
      const players = await here.createPlayers(1)
      const [player] = players
      if (!player) throw new Error('No player.')
      await using journal = await Journal.create(join(folder.path, 'journal'))
      const stop = new AbortController()
      const seen: string[] = []
      const client = createClient({ baseUrl: there.url, user: player.name, gamemode: 'earth', apiKey: player.apiKey })
      let connected = () => {}
      const isConnected = new Promise<void>((resolve) => {
        connected = resolve
      })
      const listening = (async () => {
        const entries = client.watch({ kind: 'fish', signal: stop.signal, onConnect: () => connected() })
        for await (const { id } of entries) seen.push(id)
      })().catch((error: unknown) => {
        if (!stop.signal.aborted) throw error
      })
      await isConnected
      const load = new Load(players, journal, () => here.url, { clients: 4 })
      for (let kill = 0; kill < kills; kill += 1) {
        await redis.admin.client('KILL', 'TYPE', 'pubsub')
        await wait(50)
      }
      await load.end()
      const stored = await readCollections(here.url, players)
      const ids = (stored.get(player.name) ?? []).map(({ id }) => id)
      for (let polls = 0; seen.length < ids.length && polls < 500; polls += 1) await wait(20)
      stop.abort()
      await listening
      const missed = ids.filter((id, index) => seen[index] !== id).length + Math.max(0, seen.length - ids.length)
      const catches = catchesOf(journal, load, stored)
      return nothingLost(`${kills} times, ${ids.length} events`, { ...catches, lost: catches.lost + missed })
    },
  },
]
