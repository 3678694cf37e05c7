import { createStorage } from '@fish-crab/server/storage'
import { onTestFinished } from 'vitest'
import { newFolder } from '../../storage/folders.ts'
import { type RedisServer, startRedis } from '../../storage/redis-server.ts'
import type { Lane } from '../lane.ts'
import { createWorld } from '../world.ts'

/** The lane of the file storage: each world has a folder of its own. */
export const createFileWorld: Lane = async (options) => {
  const path = newFolder()
  const storage = await createStorage({ driver: 'file', path })
  onTestFinished(() => storage.dispose())
  return createWorld({ ...options, storage })
}

/** A Redis with a database for each test, and the lane to it. */
export interface RedisLane {
  readonly server: RedisServer
  readonly open: Lane
}

/** Starts a real Redis. Each world takes the next of its databases, which are empty. */
export async function startRedisLane(): Promise<RedisLane> {
  const server = await startRedis({ databases: '4096' })
  let used = 0
  const open: Lane = async (options) => {
    const storage = await createStorage({ driver: 'redis', url: `${server.url}/${used++}` })
    onTestFinished(() => storage.dispose())
    return createWorld({ ...options, storage })
  }
  return { server, open }
}
