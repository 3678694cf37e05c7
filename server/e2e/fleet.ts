import { startCluster, startRedis } from '../../scripts/test-support/redis-server.ts'
import { type ServerProcess, startServerProcess } from '../../scripts/test-support/server-process.ts'

/** The credentials of the first administrator of every fleet. */
export const CHIEF = { username: 'chief', password: 'chief-password' } as const

/**
 * The settings of all processes of a fleet. All processes trust one proxy, so that a test can simulate many clients by
 * forwarded addresses.
 */
const SHARED = {
  FISH_ADMIN_USERNAME: CHIEF.username,
  FISH_ADMIN_PASSWORD: CHIEF.password,
  FISH_SECRET: 'the secret that seals keys in every process',
  FISH_JWT_SECRET: 'the secret that signs sessions in every process',
  FISH_TRUST_PROXY: '1',
  FISH_ADMIN_RATE_LIMIT: '100000',
}

/** Server processes that share a storage. */
export interface Fleet {
  readonly servers: readonly ServerProcess[]
  /** Returns the server at an index modulo the size of the fleet. */
  at(index: number): ServerProcess
  /** Kills a process, and starts a replacement at a new address. */
  replace(index: number): Promise<void>
  /** Kills all running processes. */
  stop(): Promise<void>
}

/** Starts several server processes concurrently, with a shared storage. */
export async function startFleet(
  storage: string,
  size: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Fleet> {
  const started = await Promise.allSettled(
    Array.from({ length: size }, () => startServerProcess({ ...SHARED, ...env, FISH_STORAGE: storage })),
  )
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const stop = async () => {
    const running = servers.filter(({ child }) => child.exitCode === null && child.signalCode === null)
    await Promise.all(running.map((server) => server.end('SIGKILL')))
  }
  const failure = started.find((one) => one.status === 'rejected')
  if (failure) {
    await stop()
    throw failure.reason
  }
  return {
    servers,
    at(index) {
      const server = servers[index % servers.length]
      if (!server) throw new Error('A fleet has at least one server.')
      return server
    },
    async replace(index) {
      const place = index % servers.length
      await servers[place]?.end('SIGKILL')
      servers[place] = await startServerProcess({ ...SHARED, ...env, FISH_STORAGE: storage })
    },
    stop,
  }
}

/** A running storage for a fleet, such as a Redis server, and the value of `FISH_STORAGE` for it. */
export interface Backend {
  readonly address: string
  stop(): Promise<unknown>
}

/** Starts one Redis server. */
export async function startRedisBackend(): Promise<Backend> {
  const server = await startRedis()
  return { address: server.url, stop: server.stop }
}

/** Starts a Redis Cluster of three nodes. */
export async function startClusterBackend(): Promise<Backend> {
  const servers = await startCluster()
  return {
    address: `redis-cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    stop: () => Promise.all(servers.map((server) => server.stop())),
  }
}
