import { randomInt } from 'node:crypto'
import { startRedis } from '../../test-support/redis-server.ts'
import type { Catches, Experiment, Scale } from '../experiment.ts'
import { nothingLost, sum, whilePosting } from '../posted.ts'
import { temporaryFolder } from '../service.ts'
import { noRedis } from '../system.ts'

/** The number of servers tested in parallel, since a test of one server mostly waits. */
const SERVERS = 4

const KILLS: Readonly<Record<Scale, number>> = { short: 20, long: 1000 }

async function killServers(kills: number, storageOf: (server: number) => string): Promise<Catches> {
  const runs = Array.from({ length: SERVERS }, (_, server) =>
    whilePosting({ FISH_STORAGE: storageOf(server) }, async ({ service, load }) => {
      for (let kill = server; kill < kills; kill += SERVERS) {
        await load.acknowledgements(randomInt(1, 40))
        await service.end('SIGKILL')
        await service.start()
      }
    }),
  )
  return sum(await Promise.all(runs))
}

export const KILL_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'kill -9 of the server, file',
    how: 'While 16 clients post, the server is killed at random moments. Then the server starts again on the same file.',
    async run(scale) {
      using folder = temporaryFolder()
      const catches = await killServers(KILLS[scale], (server) => `file:${folder.path}/${server}`)
      return nothingLost(`${KILLS[scale]} kills`, catches)
    },
  },
  {
    name: 'kill -9 of the server, Redis',
    how: 'While 16 clients post, the server is killed at random moments. Redis flushes its append-only file for every write.',
    missing: noRedis,
    async run(scale) {
      const servers = await Promise.all(Array.from({ length: SERVERS }, () => startRedis({ appendfsync: 'always' })))
      try {
        const catches = await killServers(KILLS[scale], (server) => servers[server]?.url ?? '')
        return nothingLost(`${KILLS[scale]} kills`, catches)
      } finally {
        await Promise.all(servers.map((redis) => redis.stop()))
      }
    },
  },
]
