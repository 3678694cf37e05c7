import { type Client, type ClientOptions, createClient } from '@fish-crab/sdk'
import { secretFromEnv } from '../auth/read-secret.ts'
import { readSecrets } from '../auth/secrets.ts'
import { maxWaitOf, type Target } from '../config/target.ts'
import type { Context, Env } from '../core/context.ts'
import { countdownHooks } from '../output/progress.ts'
import { readManifest } from '../package.ts'

/** Opens a client of the target, with the API key of the environment or the profile. */
export async function openClient(context: Context, target: Target, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    ...clientOptions(context, target),
    ...options,
    // Looked up last: with an API key in the options, the keyring need not be opened.
    apiKey: 'apiKey' in options ? options.apiKey : await readApiKey(context, target),
  })
}

/** The API key of the environment, else of the profile. */
export async function readApiKey(context: Context, target: Target): Promise<string | undefined> {
  return (await secretFromEnv(context, 'FISH_API_KEY')) ?? (await readSecrets(context, target))?.apiKey
}

/** The options that all clients share: address, limit of waiting, clock, countdown and proxy. */
export function clientOptions({ clock, env, line }: Context, target: Target) {
  return {
    baseUrl: target.url.value,
    maxWaitMs: maxWaitOf(target),
    clock,
    ...countdownHooks(line, clock),
    fetch: nodeFetch(env),
    // The rest of the environment is resolved here, together with flags and profiles.
    env: Object.fromEntries([...PROXIES, ...EXCEPTIONS].map((name) => [name, env[name]])),
    userAgent: `fish-cli/${readManifest().version}`,
  }
}

const PROXIES = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
const EXCEPTIONS = ['no_proxy', 'NO_PROXY']

/**
 * Node's fetch, or `undefined` for the SDK's, which supports proxies. Loading the SDK's connection pool takes longer than
 * the one or two requests of a command.
 */
export function nodeFetch(env: Env): typeof globalThis.fetch | undefined {
  if (PROXIES.some((name) => env[name])) return undefined
  return (input, init) => globalThis.fetch(input, init)
}
