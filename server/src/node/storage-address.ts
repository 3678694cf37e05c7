import { parseRedisClusterUrl, parseRedisUrl, type RedisClusterTarget } from '../storage/redis/address.ts'

/** Where the service keeps everything, as `FISH_STORAGE` says it. That of a Redis may hold a password. */
export type StorageAddress =
  | { readonly driver: 'file'; readonly path: string }
  | { readonly driver: 'memory' }
  | { readonly driver: 'redis'; readonly url: string }
  | ({ readonly driver: 'redis-cluster' } & RedisClusterTarget)

/**
 * Reads a storage address.
 * @throws Error with what it should have been; the address itself is not repeated, since it may hold a password
 * @example parseStorageAddress('file:./data') // { driver: 'file', path: './data' }
 */
export function parseStorageAddress(text: string): StorageAddress {
  if (text === 'memory:') return { driver: 'memory' }
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    // Written like a URL, `x` would be a host: a folder of that name, or one at the root, is hardly what was meant.
    if (path.startsWith('//')) throw new Error('names a host; write file:FOLDER, or file:///FOLDER from the root')
    if (path === '') throw new Error('names no folder; write file:FOLDER, such as file:./data')
    return { driver: 'file', path }
  }
  if (/^rediss?-cluster:/i.test(text)) return { driver: 'redis-cluster', ...parseRedisClusterUrl(text) }
  if (/^rediss?:/i.test(text)) {
    parseRedisUrl(text)
    return { driver: 'redis', url: text }
  }
  throw new Error('must be file:FOLDER, redis://HOST, redis-cluster://HOST:PORT,HOST:PORT or memory:')
}

/** Whether a storage address holds a password, which has no place in an argument list. */
export function holdsPassword(address: string): boolean {
  return /^[a-z-]+:\/\/[^/]*@/i.test(address)
}
