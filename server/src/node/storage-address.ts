/** Where the service keeps everything, as `FISH_STORAGE` says it. */
export type StorageAddress = { readonly driver: 'file'; readonly path: string } | { readonly driver: 'memory' }

/**
 * Reads a storage address.
 * @throws Error with what it should have been; the address itself is not repeated, since it may hold a password
 * @example parseStorageAddress('file:./data') // { driver: 'file', path: './data' }
 */
export function parseStorageAddress(text: string): StorageAddress {
  if (text === 'memory:') return { driver: 'memory' }
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
    if (path === '') throw new Error('names no folder; write file:FOLDER, such as file:./data')
    return { driver: 'file', path }
  }
  if (/^(rediss?|redis-cluster):/.test(text))
    throw new Error('Redis is not supported in this version; use file:FOLDER or memory:')
  throw new Error('must be file:FOLDER or memory:')
}
