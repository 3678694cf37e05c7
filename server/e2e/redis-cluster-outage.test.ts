import { ROUTES } from '@fish-crab/sdk/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeWithRedis, type RedisServer, startCluster, until } from '../../scripts/test-support/redis-server.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { isReady } from './outage.ts'
import { type Administrator, administrator, ask, logIn, postToken, readFish, tokenOf } from './requests.ts'

describeWithRedis('a failing node of a Redis Cluster', () => {
  let nodes: readonly RedisServer[] = []
  let fleet: Fleet
  let chief: Administrator
  beforeAll(async () => {
    nodes = await startCluster()
    fleet = await startFleet(`redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, 2)
    chief = administrator((await logIn(fleet.at(0))).body.token)
  })
  afterAll(async () => {
    await fleet?.stop()
    await Promise.all(nodes.map((node) => node.stop()))
  })

  describe.each(['freeze', 'kill'] as const)('failure by %s', (failure) => {
    test('servers report the failure, respond to all requests, and still have all acknowledged catches after the recovery', async () => {
      const users = await Promise.all(
        Array.from({ length: 4 }, (_, index) => chief.createUser(fleet.at(index), `${failure}${index}`)),
      )
      const post = async (fish: string) => {
        const tokens = await Promise.all(users.map((user) => tokenOf(user, fish)))
        return () =>
          Promise.all(
            users.map(async (user, index) => {
              const { status } = await postToken(fleet.at(index), user, tokens[index] ?? '')
              return status
            }),
          )
      }
      const [before, during] = [await post('before'), await post('during')]
      expect(await before()).toEqual([201, 201, 201, 201])

      // Choose the second node, which stores the names of all users, so that requests for every user fail.
      const victim = nodes[1] as RedisServer
      await victim[failure]()
      for (const server of fleet.servers) {
        expect((await ask(server, ROUTES.readyz.path)).status).toBe(503)
        expect((await ask(server, ROUTES.livez.path)).status).toBe(200)
      }
      expect(await during()).toEqual([500, 500, 500, 500])

      await (failure === 'freeze' ? victim.thaw() : victim.start())
      await until(isReady(fleet.servers))
      await until(async () => (await during()).every((status) => status === 200 || status === 201))
      for (const [index, user] of users.entries()) {
        const { body } = await readFish(fleet.at(index + 1), user)
        expect(body.fish.map(({ name }) => name)).toEqual(['before', 'during'])
      }
    })
  })
})
