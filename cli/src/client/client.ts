import { type Client, type ClientOptions, createClient, type Logger } from '@fish-crab/sdk'
import { readSecrets } from '../config/secrets.ts'
import { maxWaitOf, type Target } from '../config/target.ts'
import type { Context, Env } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { hasDebugFlag } from '../core/format.ts'
import { isServiceUrl } from '../core/parse-values.ts'
import { countdownHooks } from '../output/progress.ts'
import { printable } from '../output/text.ts'
import { readManifest } from '../package.ts'
import { secretFromEnv } from './read-secret.ts'
import { createRequestLog } from './request-log.ts'

/** Uses the API key in the environment, otherwise the API key of the profile. */
export async function openClient(context: Context, target: Target, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    ...clientOptions(context, target),
    ...options,
    // If the options contain `apiKey`, even as `undefined`, the keyring is not opened.
    apiKey: 'apiKey' in options ? options.apiKey : await readApiKey(context, target),
  })
}

export async function readApiKey(context: Context, target: Target): Promise<string | undefined> {
  return (await secretFromEnv(context, 'FISH_API_KEY')) ?? (await readSecrets(context, target))?.apiKey
}

export function clientOptions({ argv, clock, env, line }: Context, target: Pick<Target, 'url' | 'maxWait'>) {
  const maxWaitMs = maxWaitOf(target)
  return {
    baseUrl: target.url.value,
    maxWaitMs,
    // With `--max-wait 0`, the user does not want to wait for a retry either.
    ...(maxWaitMs === 0 ? { maxRetries: 0 } : {}),
    clock,
    ...countdownHooks(line, clock),
    logger: hasDebugFlag(argv) ? createRequestLog(line) : SILENT,
    fetch: nodeFetch(env),
    // The SDK gets only the proxy variables. This program resolves all other variables, together with flags and
    // profiles.
    env: Object.fromEntries([...PROXIES, ...EXCEPTIONS].map((name) => [name, env[name]])),
    userAgent: `fish-cli/${readManifest().version}`,
  }
}

/** Rejects a public address that a login file could not contain. */
export function checkPublicUrl(publicUrl: string): string {
  if (isServiceUrl(publicUrl)) return publicUrl
  throw new CliError({
    code: 'invalid_response',
    message: `The public address of the service is not an http or https address: ${printable(publicUrl)}`,
    hint: 'Set FISH_PUBLIC_URL of the server to an address such as https://fish.example.org.',
    exit: EXIT.failure,
  })
}

/**
 * Discards the warnings of the SDK, because the warnings refer to options of its API. This program shows waits as a
 * countdown, and `doctor` checks the key.
 */
const SILENT: Logger = { debug() {}, info() {}, warn() {} }

const PROXIES = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
const EXCEPTIONS = ['no_proxy', 'NO_PROXY']

/**
 * Returns the `fetch` of Node, because loading the `fetch` of the SDK takes longer than the requests of a command. If a
 * proxy is set, returns `undefined`, so that the client uses the `fetch` of the SDK, which supports proxies.
 */
export function nodeFetch(env: Env): typeof globalThis.fetch | undefined {
  if (PROXIES.some((name) => env[name])) return undefined
  return (input, init) => globalThis.fetch(input, init)
}
