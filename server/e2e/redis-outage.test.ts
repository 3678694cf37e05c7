import { type CreatedUser, HEADERS, ROUTES, routePath } from '@fish-crab/sdk/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, type RedisServer, startRedis, until } from '../../scripts/test-support/redis-server.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { isReady } from './outage.ts'
import {
  type Administrator,
  administrator,
  ask,
  logIn,
  newClient,
  plainFishPath,
  postToken,
  readFish,
  type Target,
  tokenOf,
} from './requests.ts'
import { openSlowly } from './slow-reader.ts'

/** Returns one request of each kind that needs the storage, by name. */
function requests(chief: Administrator, user: CreatedUser, token: string) {
  const basic = { authorization: `Basic ${btoa(`${user.name}:${user.password}`)}` }
  const anonymous = () => ({ ...user, apiKey: '' })
  return {
    'a read': (server: Target) => readFish(server, anonymous()),
    'a read with an API key': (server: Target) => readFish(server, user),
    'a write': (server: Target) => postToken(server, anonymous(), token),
    'a write with an API key': (server: Target) => postToken(server, user, token),
    'a key reading': (server: Target) => ask(server, ROUTES.getUserKey.path, { headers: { ...newClient(), ...basic } }),
    'a path that is not there': (server: Target) => ask(server, '/nothing', { headers: newClient() }),
    'a login': (server: Target) => logIn(server),
    'a listing of users': (server: Target) => chief.ask(server, 'GET', ROUTES.listUsers.path),
    'a creation': (server: Target) => chief.ask(server, 'POST', ROUTES.createUser.path, { name: 'Nobody' }),
    'a deletion': (server: Target) => chief.ask(server, 'DELETE', routePath('deleteUser', { name: 'Nobody' })),
    'the stats': (server: Target) => chief.ask(server, 'GET', ROUTES.stats.path),
    'the leaderboard': (server: Target) => chief.ask(server, 'GET', `${ROUTES.leaderboard.path}?type=fish`),
    'the audit log': (server: Target) => chief.ask(server, 'GET', ROUTES.audit.path),
  }
}

describeWithRedis('an outage of Redis', () => {
  let redis: RedisServer
  let fleet: Fleet
  let chief: Administrator
  beforeAll(async () => {
    redis = await startRedis({ appendfsync: 'always' })
    fleet = await startFleet(redis.url, 2)
    chief = administrator((await logIn(fleet.at(0))).body.token)
  })
  afterAll(async () => {
    await fleet?.stop()
    await redis?.stop()
  })
  /** Freezes Redis until the end of the test. If a request waited for Redis, the test would time out. */
  const freeze = () => {
    redis.freeze()
    onTestFinished(() => void redis.thaw())
  }

  test('servers report a frozen Redis, respond to all requests, and recover when Redis continues', async () => {
    const user = await chief.createUser(fleet.at(0), 'Frozen')
    const token = await tokenOf(user, 'Salmon')
    freeze()
    for (const server of fleet.servers) {
      const ready = await ask(server, ROUTES.readyz.path)
      expect([ready.status, ready.body.code]).toEqual([503, 'unavailable'])
    }
    for (let round = 0; round < 2; round += 1) {
      const asked = fleet.servers.flatMap((server) => [
        ask(server, ROUTES.livez.path).then(({ status }) => expect(status).toBe(200)),
        ask<{ status: string }>(server, ROUTES.status.path, { headers: newClient() }).then(({ status, body }) =>
          expect([status, body.status]).toEqual([503, 'unavailable']),
        ),
        ...Object.entries(requests(chief, user, token)).map(async ([name, send]) => {
          const { status, body } = await send(server)
          expect([status, body.code], name).toEqual([500, 'storage_error'])
        }),
      ])
      await Promise.all(asked)
    }

    redis.thaw()
    await until(isReady(fleet.servers))
    const ids = await Promise.all(fleet.servers.map(async (server) => (await postToken(server, user, token)).body.id))
    expect(new Set(ids).size).toBe(1)
    for (const server of fleet.servers) {
      expect((await readFish(server, user)).body.fish).toEqual([{ name: 'Salmon', rarity: 'Bronze' }])
      expect((await ask(server, ROUTES.status.path, { headers: newClient() })).status).toBe(200)
    }
  })

  test('after Redis is twice killed and restarted under load, every acknowledged catch is stored exactly once', async () => {
    const user = await chief.createUser(fleet.at(0), 'Killed')
    const acknowledged = new Map<string, string>()
    const unanswered: { name: string; token: string }[] = []
    let made = 0
    for (let round = 0; round < 2; round += 1) {
      let isDown = false
      const goal = acknowledged.size + 150
      const write = async (server: Target) => {
        while (!isDown) {
          made += 1
          const name = `fish ${made}`
          const token = await tokenOf(user, name)
          const { status, body } = await postToken(server, user, token)
          if (status === 201) acknowledged.set(name, body.id)
          else {
            expect(body.code).toBe('storage_error')
            unanswered.push({ name, token })
          }
        }
      }
      const writers = Promise.all(Array.from({ length: 8 }, (_, index) => write(fleet.at(index))))
      await until(async () => acknowledged.size >= goal)
      await redis.kill()
      await until(async () => unanswered.length >= 8 * (round + 1))
      isDown = true
      await writers
      for (const server of fleet.servers) {
        expect((await ask(server, ROUTES.readyz.path)).status).toBe(503)
      }
      await redis.start()
      await until(isReady(fleet.servers))
    }
    // Send each unacknowledged token to both servers again. Each token must be stored once, even if an earlier attempt
    // already stored the token.
    for (const { name, token } of unanswered) {
      const [one, other] = await Promise.all(fleet.servers.map((server) => postToken(server, user, token)))
      expect(one?.body.id).toBe(other?.body.id)
      acknowledged.set(name, one?.body.id ?? '')
    }
    for (const server of fleet.servers) {
      const { fish } = (await readFish(server, user, { query: '&detail=full' })).body
      expect(fish).toHaveLength(made)
      expect(new Map(fish.map(({ name, id }) => [name, id]))).toEqual(acknowledged)
    }
  })

  test('a server aborts a response if Redis freezes midway, so that the client does not mistake a partial response for a complete response', async () => {
    const user = await chief.createUser(fleet.at(0), 'Slow')
    const fish = Array.from({ length: 500 }, () => ({ name: 'x'.repeat(100), rarity: 1 }))
    for (let written = 0; written < 80; written += 1) {
      expect((await chief.ask(fleet.at(0), 'POST', plainFishPath(user.name), { fish })).status).toBe(201)
    }
    const path = `${ROUTES.getFish.path}?name=${user.name}&gamemode=earth&detail=full`
    const reader = await openSlowly(fleet.at(0), path, { [HEADERS.apiKey]: user.apiKey })
    freeze()
    const outcome = await reader.readOn().then(
      () => 'complete',
      () => 'broken off',
    )
    expect(outcome).toBe('broken off')

    redis.thaw()
    await until(isReady(fleet.servers))
  })

  // This test runs last, since it stops all servers.
  test('servers stop with exit status 0 while Redis is frozen', async () => {
    const user = await chief.createUser(fleet.at(0), 'Waiting')
    freeze()
    const asked = fleet.servers.map((server) => readFish(server, user).catch(() => undefined))
    expect(await Promise.all(fleet.servers.map((server) => server.end('SIGTERM')))).toEqual([0, 0])
    await Promise.all(asked)
  })
})
