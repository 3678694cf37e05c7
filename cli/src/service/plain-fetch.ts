import type { Env } from '../terminal.ts'

/**
 * Node's own fetch, for a program that makes a request or two: what the SDK brings, with connections of its own, takes
 * longer to load than they take. `undefined`, for the SDK's, where a proxy may have to be asked.
 */
export function plainFetch(env: Env): typeof globalThis.fetch | undefined {
  if (['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => env[name])) return undefined
  return (input, init) => globalThis.fetch(input, init)
}
