import { createStorage } from '@fish-crab/server/storage'
import { onTestFinished } from 'vitest'
import { type RedisServer, startRedis } from '../../../../scripts/test-support/redis-server.ts'
import { newFolder } from '../../storage/folders.ts'
import { createMemoryService } from '../memory-service.ts'
import type { OpenService } from '../test-service.ts'

/** Opens a service with a file storage in a new folder. */
export const createFileService: OpenService = async (options) => {
  const path = newFolder()
  const storage = await createStorage({ driver: 'file', path })
  onTestFinished(() => storage.dispose())
  return createMemoryService({ ...options, storage })
}

/** A Redis with a database for each test, and a function that opens a service on it. */
export interface RedisServices {
  readonly server: RedisServer
  readonly open: OpenService
}

/** Starts a real Redis. Each service gets the next empty database. */
export async function startRedisServices(): Promise<RedisServices> {
  const server = await startRedis({ databases: '4096' })
  let used = 0
  const open: OpenService = async (options) => {
    const storage = await createStorage({ driver: 'redis', url: `${server.url}/${used++}`, timeoutMs: 60_000 })
    onTestFinished(() => storage.dispose())
    return createMemoryService({ ...options, storage })
  }
  return { server, open }
}
