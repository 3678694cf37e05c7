import { setTimeout as wait } from 'node:timers/promises'
import { addReplicas, type RedisServer, startCluster, until } from '../../test-support/redis-server.ts'
import type { Catches, Experiment } from '../experiment.ts'
import { nothingLost, type Posting, whilePosting } from '../posted.ts'
import { noRedis } from '../system.ts'

const addressOf = (nodes: readonly RedisServer[]) =>
  `redis-cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`

async function onCluster(
  hasReplicas: boolean,
  disturb: (posting: Posting, primaries: readonly RedisServer[], replicas: readonly RedisServer[]) => Promise<void>,
): Promise<Catches> {
  const primaries = await startCluster()
  const replicas = hasReplicas ? await addReplicas(primaries) : []
  try {
    const env = { FISH_STORAGE: addressOf(primaries), FISH_REDIS_WAIT: hasReplicas ? '1' : '0' }
    return await whilePosting(env, (posting) => disturb(posting, primaries, replicas), { clients: 24 })
  } finally {
    await Promise.all([...primaries, ...replicas].map((node) => node.stop()))
  }
}

const isPrimary = async ({ admin }: RedisServer) => /role:master/.test(await admin.info('replication'))
const isInSync = async ({ admin }: RedisServer) => /master_link_status:up/.test(await admin.info('replication'))

/** Kills the primary of each pair in turn. The replica takes over, and the old primary returns as a replica. */
async function failOver(
  posting: Posting,
  pairs: (readonly [RedisServer, RedisServer])[],
  times: number,
): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const place = time % pairs.length
    const [primary, replica] = pairs[place] as readonly [RedisServer, RedisServer]
    await primary.kill()
    await primary.kill()
    await until(() => isPrimary(replica))
    await primary.start()
    await until(() => isInSync(primary))
    await posting.load.acknowledgements()
    pairs[place] = [replica, primary]
  }
}

/** Moves a slot and its keys to another node. */
async function moveSlot(
  nodes: readonly RedisServer[],
  slot: number,
  from: RedisServer,
  to: RedisServer,
): Promise<void> {
  const [source, target] = await Promise.all([from, to].map(({ admin }) => admin.call('CLUSTER', 'MYID')))
  await to.admin.call('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', String(source))
  await from.admin.call('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', String(target))
  for (;;) {
    const keys = (await from.admin.call('CLUSTER', 'GETKEYSINSLOT', String(slot), '100')) as string[]
    if (keys.length === 0) break
    await from.admin.call('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys)
    await wait(1)
  }
  for (const { admin } of [to, from, ...nodes])
    await admin.call('CLUSTER', 'SETSLOT', String(slot), 'NODE', String(target))
}

/** Returns the first slots of a node that contain keys. */
async function usedSlots({ admin }: RedisServer, count: number): Promise<number[]> {
  const keys = await admin.keys('*')
  const slots = await Promise.all(keys.map(async (key) => Number(await admin.call('CLUSTER', 'KEYSLOT', key))))
  return Array.from(new Set(slots)).slice(0, count)
}

export const CLUSTER_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'failover of a Redis Cluster',
    how: 'In a cluster of three primaries, each with a replica, a primary is killed under load. The replica takes over, and the old primary returns as a replica.',
    missing: noRedis,
    async run(scale) {
      const times = scale === 'short' ? 1 : 30
      const catches = await onCluster(true, async (posting, primaries, replicas) => {
        const pairs = primaries.map((primary, index) => [primary, replicas[index] as RedisServer] as const)
        await failOver(posting, pairs, times)
      })
      return nothingLost(`${times} failovers`, catches)
    },
  },
  {
    name: 'slots of a Redis Cluster moved',
    how: 'Slots that hold keys are moved from node to node under load.',
    missing: noRedis,
    async run(scale) {
      const rounds = scale === 'short' ? 3 : 60
      let moved = 0
      const catches = await onCluster(false, async ({ load }, nodes) => {
        for (let round = 0; round < rounds; round += 1) {
          const [from, to] = [nodes[round % 3], nodes[(round + 1) % 3]] as [RedisServer, RedisServer]
          for (const slot of await usedSlots(from, 5)) {
            await moveSlot(nodes, slot, from, to)
            moved += 1
          }
          await load.acknowledgements(5)
        }
      })
      return nothingLost(`${moved} slots`, catches)
    },
  },
]
