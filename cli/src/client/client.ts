import { type Client, type ClientOptions, createClient } from '@fish-crab/sdk'
import { secretFromEnv } from '../auth/read-secret.ts'
import { readSecrets } from '../auth/secrets.ts'
import { parseMaxWait, type Selection, type ServiceFlags, selectService } from '../config/selection.ts'
import type { Context, Env } from '../core/context.ts'
import { countdownHooks } from '../output/progress.ts'
import { readManifest } from '../package.ts'

/** A client for the service that flags, environment or profile say. `options` is what a command adds. */
export function openClient(io: Context, flags: ServiceFlags, options: ClientOptions = {}): Promise<Client> {
  return clientFor(io, selectService(io, flags), options)
}

/** A client for a service that was selected, with the API key of the environment or the profile. */
export async function clientFor(io: Context, chosen: Selection, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    ...clientOptions(io, chosen),
    maxWaitMs: parseMaxWait(chosen.maxWait),
    ...options,
    // One that a command brings spares the look into a keyring.
    apiKey: 'apiKey' in options ? options.apiKey : await readApiKey(io, chosen),
  })
}

async function readApiKey(io: Context, chosen: Selection): Promise<string | undefined> {
  return (await secretFromEnv(io, 'FISH_API_KEY')) ?? (await readSecrets(io, chosen))?.apiKey
}

/** What every client of this program has in common: where it goes, its clock, and a countdown while it waits. */
export function clientOptions(io: Context, { url }: Pick<Selection, 'url'>) {
  const { clock } = io
  return {
    baseUrl: url.value,
    clock,
    ...countdownHooks(io.line, clock),
    fetch: nodeFetch(io.env),
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
export function nodeFetch(env: Env): typeof globalThis.fetch | undefined {
  if (PROXIES.some((name) => env[name])) return undefined
  return (input, init) => globalThis.fetch(input, init)
}
