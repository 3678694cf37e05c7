import { isServiceUrl, SERVICE_URL_RULE, serviceAddress } from '../client/core/service-url.ts'
import { type Clock, systemClock } from '../client/core/timing.ts'
import type { Client } from '../client/create-client.ts'
import type { Target } from '../client/resources/target.ts'
import { LIMITS } from '../contract/limits.ts'
import { userNameKey } from '../contract/names.ts'
import { type OptionNames, optionIssues } from '../errors/check-options.ts'
import { throwIssues } from '../errors/fish-crab-error.ts'
import type { OutboxListener } from './outbox.ts'

/** The part of a client that an outbox uses. */
export type OutboxClient = Pick<Client, 'fish' | 'crabs'> & Partial<Pick<Client, 'baseUrl' | 'defaults'>>

/** Options of {@link openOutbox}. One of `client`, `baseUrl` and `path` is required. */
export interface OutboxOptions extends Target {
  /**
   * The default user of catches. If `client` is given, the outbox sends only this user's catches. @default the user of
   * `client`
   */
  readonly user?: Target['user']
  /** The default gamemode of catches. @default the gamemode of `client` */
  readonly gamemode?: Target['gamemode']
  /**
   * The client that sends the catches, with the key of `user`. Without `client` and `clientFor`, the outbox only stores
   * catches, which another process can send.
   */
  readonly client?: OutboxClient | undefined
  /**
   * Returns the client that has the key of the given user. Pass `clientFor` instead of `client`. If `clientFor` returns
   * `undefined`, the catches of the user stay queued. The outbox calls `clientFor` once per user and flush. If
   * `clientFor` throws, the catches stay queued, and `stopped` in the flush report contains the error.
   */
  readonly clientFor?: ((user: string) => OutboxClient | undefined | Promise<OutboxClient | undefined>) | undefined
  /**
   * URL of the service. Required without `client` and `path`. @default the URL of `client`
   */
  readonly baseUrl?: string | undefined
  /**
   * The SQLite file (`node:sqlite`), or `:memory:` for catches that are lost when the process ends. The file has mode
   * 0600 and contains tokens and unencrypted catches, but no keys. Every operation survives `kill -9` and power loss,
   * and blocks the thread while the disk syncs. Processes on one machine may share the file, but not over a network
   * file system. @default one file per service in `$XDG_STATE_HOME/fish-crab` (`~/.local/state`), or the equivalent
   * folder on macOS and Windows
   */
  readonly path?: string | undefined
  /** Maximum number of catches, dead letters included. @default 100_000 */
  readonly maxCatches?: number | undefined
  /** Maximum number of catches per request, 1 to 500. @default 500 */
  readonly maxBatch?: number | undefined
  /**
   * Milliseconds to wait for more catches before sending in the background, or a function that returns this number
   * before each wait, for example to leave part of the rate limit to other programs. @default 2000
   */
  readonly lingerMs?: number | (() => number) | undefined
  /** Receives every event from the first event on; see `subscribe`. */
  readonly onEvent?: OutboxListener | undefined
  /** The clock, for tests. @default the system's clock */
  readonly clock?: Clock | undefined
  /** Returns numbers from 0 up to 1 for jitter, for tests. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** Checked options with their defaults. */
export interface OutboxSettings {
  readonly defaults: Target
  /** The canonical URL of the service; `undefined` until `clientFor` returns a client. */
  readonly service: string | undefined
  readonly clientFor: (user: string) => OutboxClient | undefined | Promise<OutboxClient | undefined>
  readonly maxCatches: number
  readonly maxBatch: number
  readonly lingerMs: () => number
  readonly clock: Clock
  /** Returns the current time in Unix milliseconds, as an integer. */
  readonly now: () => number
  readonly random: () => number
}

const KNOWN: OptionNames<OutboxOptions> = {
  user: true,
  gamemode: true,
  client: true,
  clientFor: true,
  baseUrl: true,
  path: true,
  maxCatches: true,
  maxBatch: true,
  lingerMs: true,
  onEvent: true,
  clock: true,
  random: true,
}

/** Checks options and fills in defaults. @throws ValidationError that names every wrong option. */
export function resolveOutboxOptions(options: OutboxOptions): OutboxSettings {
  const issues = optionIssues(options, KNOWN)
  const { client, clock = systemClock, lingerMs = 2000 } = options
  const { user = client?.defaults?.user, gamemode = client?.defaults?.gamemode } = options
  const settings = {
    maxCatches: options.maxCatches ?? 100_000,
    maxBatch: options.maxBatch ?? LIMITS.entriesPerWrite,
    lingerMs: typeof lingerMs === 'function' ? lingerMs : () => lingerMs,
  }
  const check = (right: boolean, path: keyof OutboxOptions, message: string) => {
    if (!right) issues.push({ path, message })
  }
  const isCount = (value: number) => Number.isInteger(value) && value >= 1
  check(isCount(settings.maxCatches), 'maxCatches', 'Must be a whole number, 1 or more.')
  const most = LIMITS.entriesPerWrite
  check(isCount(settings.maxBatch) && settings.maxBatch <= most, 'maxBatch', `Must be a whole number, 1 to ${most}.`)
  const isLinger = typeof lingerMs === 'function' || (Number.isFinite(lingerMs) && lingerMs >= 0)
  check(isLinger, 'lingerMs', 'Must be milliseconds (0 or more) or a function that returns them.')
  check(!(client && options.clientFor), 'clientFor', 'Pass client or clientFor, not both.')
  check(
    options.path === undefined || (typeof options.path === 'string' && options.path !== ''),
    'path',
    'Must be the path of a file, or :memory:.',
  )
  const { baseUrl = client?.baseUrl } = options
  const isAddress = baseUrl === undefined || isServiceUrl(baseUrl)
  check(isAddress, 'baseUrl', `Must be ${SERVICE_URL_RULE}.`)
  const service = isAddress && baseUrl !== undefined ? serviceAddress(baseUrl) : undefined
  check(
    service === undefined || client?.baseUrl === undefined || serviceAddress(client.baseUrl) === service,
    'baseUrl',
    'Must be the baseUrl of client. Leave it out.',
  )
  const hasFile = baseUrl !== undefined || options.path !== undefined
  check(hasFile, 'baseUrl', 'Missing. Pass client, baseUrl or path: each service has its own file.')
  throwIssues(issues)
  const serves = (wanted: string) => user === undefined || userNameKey(user) === userNameKey(wanted)
  return {
    ...settings,
    defaults: { user, gamemode },
    service,
    clientFor: options.clientFor ?? ((wanted) => (serves(wanted) ? client : undefined)),
    clock,
    now: () => Math.floor(clock.now()),
    random: options.random ?? Math.random,
  }
}
