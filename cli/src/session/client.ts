import {
  type Client,
  type ClientOptions,
  createClient,
  type FailureEvent,
  type Hooks,
  type Logger,
  type RequestEvent,
  type ResponseEvent,
  type RetryEvent,
  type WaitEvent,
} from '@fish-crab/sdk'
import type { Env } from '../core/system.ts'
import { duration } from '../core/time.ts'
import { readManifest } from '../package.ts'
import { waitText } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Session } from './session.ts'

/** Uses the API key in the environment, otherwise the API key of the profile. */
export async function openClient(session: Session, options: ClientOptions = {}): Promise<Client> {
  return createClient({
    ...clientOptions(session),
    ...options,
    // If the options contain `apiKey`, even as `undefined`, the keyring is not opened.
    apiKey: 'apiKey' in options ? options.apiKey : await readApiKey(session),
  })
}

export async function readApiKey(session: Session): Promise<string | undefined> {
  return (await session.secretFromEnv('FISH_API_KEY')) ?? (await session.secrets())?.apiKey
}

export function clientOptions({ clock, env, isDebug, maxWaitMs, terminal, url }: Session) {
  return {
    baseUrl: url,
    maxWaitMs,
    // With `--max-wait 0`, the user does not want to wait for a retry either.
    ...(maxWaitMs === 0 ? { maxRetries: 0 } : {}),
    clock,
    ...countdownHooks(terminal, clock.now),
    logger: isDebug ? createRequestLog(terminal) : SILENT,
    fetch: nodeFetch(env),
    // The SDK gets only the proxy variables. This program resolves all other variables, together with flags and
    // profiles.
    env: Object.fromEntries([...PROXIES, ...EXCEPTIONS].map((name) => [name, env[name]])),
    userAgent: `fish-cli/${readManifest().version}`,
  }
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

export function countdownHooks(
  terminal: Pick<Terminal, 'countdown'>,
  now: () => number,
): Pick<Hooks, 'onWait' | 'onRetry' | 'onRequest'> {
  const { start, stop } = terminal.countdown()
  return {
    onWait: ({ resumesAt }: WaitEvent) => start(resumesAt.getTime(), waitText),
    onRetry: ({ waitMs, status }: RetryEvent) =>
      start(now() + waitMs, (rest) => {
        const why = status === undefined ? 'No response' : `The service responded ${status}`
        return `${why}. Retrying in ${duration(rest)} (Ctrl-C to cancel).`
      }),
    onRequest: stop,
  }
}

/**
 * Prints a line for each request when it ends. A line has no query, headers or body, because these may contain secrets.
 */
function createRequestLog(terminal: Terminal): Logger {
  return {
    ...SILENT,
    debug(_message, fields) {
      const outcome = outcomeOf(fields as RequestEvent | ResponseEvent | FailureEvent)
      const { method, path } = fields as RequestEvent
      if (outcome !== undefined) terminal.say(`fish-cli: ${method} ${path} ${outcome}`)
    },
  }
}

function outcomeOf(event: RequestEvent | ResponseEvent | FailureEvent): string | undefined {
  if ('status' in event) return `${event.status}, ${Math.round(event.durationMs)} ms`
  return 'code' in event ? `no response (${event.code})` : undefined
}
