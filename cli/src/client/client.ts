import { type Client, type ClientOptions, createClient } from '@fish-crab/sdk'
import { givenSecret } from '../auth/read-secret.ts'
import { keptSecrets } from '../auth/secrets.ts'
import { maxWaitMs, type Selection, type ServiceFlags, selection } from '../config/selection.ts'
import type { Context, Env } from '../core/context.ts'
import { countdown } from '../output/progress.ts'
import { readManifest } from '../package.ts'

/** A client for the service that flags, environment or profile say. `options` is what a command adds. */
export function openClient(io: Context, flags: ServiceFlags, options: ClientOptions = {}): Promise<Client> {
  return clientFor(io, selection(io, flags), options)
}

/** A client for a service that was selected, with the API key of the environment or the profile. */
export async function clientFor(io: Context, chosen: Selection, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    ...clientSurroundings(io, chosen),
    maxWaitMs: maxWaitMs(chosen.maxWait),
    ...options,
    // One that a command brings spares the look into a keyring.
    apiKey: 'apiKey' in options ? options.apiKey : await usualApiKey(io, chosen),
  })
}

async function usualApiKey(io: Context, chosen: Selection): Promise<string | undefined> {
  return (await givenSecret(io, 'FISH_API_KEY')) ?? (await keptSecrets(io, chosen))?.apiKey
}

/** What every client of this program has in common: where it goes, its clock, and a countdown while it waits. */
export function clientSurroundings(io: Context, { url }: Pick<Selection, 'url'>) {
  const { clock } = io
  return {
    baseUrl: url.value,
    clock,
    ...countdown(io.line, clock),
    fetch: plainFetch(io.env),
    env: proxyVariables(io.env),
    userAgent: `fish-cli/${readManifest().version}`,
  }
}

const PROXIES = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
const EXCEPTIONS = ['no_proxy', 'NO_PROXY']

/** What the SDK may know of the environment: all else is read here, with flags and profiles. */
function proxyVariables(env: Env): Env {
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
