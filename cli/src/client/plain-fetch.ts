import type { Env } from '../core/terminal.ts'

const PROXIES = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
const EXCEPTIONS = ['no_proxy', 'NO_PROXY']

/** What the SDK may know of the environment: all else is read here, with flags and profiles. */
export function proxyVariables(env: Env): Env {
  return Object.fromEntries([...PROXIES, ...EXCEPTIONS].map((name) => [name, env[name]]))
}

/**
 * Node's own fetch, for a program that makes a request or two: what the SDK brings, with connections of its own, takes
 * longer to load than they take. `undefined`, for the SDK's, where a proxy may have to be asked.
 */
export function plainFetch(env: Env): typeof globalThis.fetch | undefined {
  if (PROXIES.some((name) => env[name])) return undefined
  return (input, init) => globalThis.fetch(input, init)
}
