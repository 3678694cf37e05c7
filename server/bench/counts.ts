// Figures that a busy machine does not change.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RedisServer } from '../../scripts/test-support/redis-server.ts'
import { encryptPosts, inTurn, load } from './load.ts'
import { createUsers, type Server, type Servers, stop } from './processes.ts'

/** How often Redis reads from its connections for a request: commands that are sent at once count as one. */
export async function roundTripsOf(
  { admin }: RedisServer,
  { port }: Server,
  { requests, next }: { readonly requests: number; readonly next: () => string },
): Promise<number> {
  const reads = async () => Number(/^total_reads_processed:(\d+)/m.exec(await admin.info('stats'))?.[1])
  const before = await reads()
  await load({ port, connections: 1, requests, next })
  // The last one is that of INFO itself.
  return ((await reads()) - before - 1) / requests
}

/** What a catch takes in a file store that is stopped, so that nothing is left in the log. */
export async function bytesOfACatch(
  { folder, startOurs }: Servers,
  { posts, catches }: { readonly posts: number; readonly catches: number },
): Promise<number> {
  const path = join(folder, `bytes-${catches}`)
  const size = () => statSync(join(path, 'fish.db')).size
  const first = await startOurs(`file:${path}`)
  const [user] = await createUsers(first, ['Alex'])
  if (!user) throw new Error('The user was not created.')
  await stop(first)
  const empty = size()
  const server = await startOurs(`file:${path}`)
  const next = inTurn(await encryptPosts(user, { count: posts, catches }))
  await load({ port: server.port, connections: 16, requests: posts, next })
  await stop(server)
  return (size() - empty) / (posts * catches)
}
