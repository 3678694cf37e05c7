import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { ROUTES } from '@fish-crab/sdk/contract'
import { GamemodesError } from '../app/catches/gamemodes.ts'
import { DecryptionError } from '../app/users/encryption.ts'
import { StorageError, type StorageErrorCode } from '../storage/core/errors.ts'
import { ConfigError, type ConfigSource, readConfig, type ServerConfig, unknownVariables } from './config.ts'
import { createLogger } from './logger.ts'
import { otherOwnerOf } from './other-owner.ts'
import { SecretsError } from './secrets-file.ts'
import type { ListenAddress } from './settings.ts'
import { shellCommand } from './shell-command.ts'
import {
  type GeneratedAdmin,
  printPasswordTo,
  type RunningServer,
  StalledStartError,
  type StartOptions,
  startServer,
} from './start.ts'
import { startReport } from './start-report.ts'

/** Options of {@link serve}. */
export interface ServeOptions extends ConfigSource, Pick<StartOptions, 'passwords'> {
  /** Version that `/status` reports. */
  readonly version: string
  /** Names of variables of the caller that begin with `FISH_`, for which the server logs no warning. @default none */
  readonly otherVariables?: readonly string[]
  /** Receives the line `listening on URL`. */
  readonly stdout: Writable
  /** Receives the log, errors, and the generated password of the first administrator. */
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** Whether the `pretty` log has colours. @default if stderr is a terminal and NO_COLOR is not set */
  readonly colours?: boolean
  /**
   * Returns a promise that resolves when the server should stop. The second call returns a promise for a second request
   * to stop.
   */
  readonly stopRequested: () => Promise<void>
}

/**
 * Minimum length of a strong secret in characters. A secret of this length has as many bits as the keys derived from
 * it.
 */
const STRONG_SECRET_LENGTH = 32

/** How long an unfinished start may continue after a request to stop, in milliseconds. */
const START_GRACE_MS = 2000

const LOG_FLUSH_MS = 500

/**
 * Exit statuses of {@link serve}. `usage`: a setting or a secret is wrong, and a restart does not help. `inUse`:
 * another process uses the data folder or the port. `unreachable`: the storage cannot be reached, such as a stopped
 * Redis. `forced`: a second request to stop ended requests in flight.
 */
export const SERVE_EXIT = { stopped: 0, failed: 1, usage: 2, inUse: 6, unreachable: 69, forced: 130 } as const

const STORAGE_EXITS: Partial<Readonly<Record<StorageErrorCode, number>>> = {
  in_use: SERVE_EXIT.inUse,
  unavailable: SERVE_EXIT.unreachable,
}

/**
 * Runs the server until a request to stop, as `fish-cli serve` does. When the server is ready, it writes exactly one
 * line to stdout. All other output goes to stderr. A second request to stop does not wait for requests in flight. If a
 * file storage cannot be closed, for example because the disk does not respond, the process kills itself with SIGKILL,
 * even if the start failed. The process also kills itself if a stop is requested during the start and the store takes
 * more than 2 s to open.
 * @returns the exit status. After a stop during the start, call `process.exit()` with this status: a Redis that does
 * not respond would keep the process alive for up to 30 s
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { stdout, stderr, stopRequested, colours = stderr.isTTY === true && !options.env.NO_COLOR } = options
  const isJson = (options.flags?.log ?? options.env.FISH_LOG) === 'json'
  const errors = createLogger('json', { stream: stderr, colours: false })
  const writeLine = (line: string) => (isJson ? errors.error({}, line) : void stderr.write(`${line}\n`))
  const announceAdmin = isJson
    ? (admin: GeneratedAdmin) => void stderr.write(`${JSON.stringify({ generatedAdministrator: admin })}\n`)
    : printPasswordTo(stderr)
  const config = readConfigOrReport(options, writeLine)
  if (!config) return SERVE_EXIT.usage
  const other = config.storage.driver === 'file' ? otherOwnerOf(resolve(config.storage.path)) : undefined
  if (other) {
    const command = shellCommand([...other.runAs, 'fish-cli', 'serve'])
    writeLine(`fish-cli serve: ${other.problem}; nothing was opened. Run the command as that user: ${command}`)
    return SERVE_EXIT.usage
  }
  const logger = createLogger(config.log, { stream: stderr, colours })

  /** Only SIGKILL ends a process while one of its threads waits for the disk. */
  const kill = async () => {
    await Promise.race([new Promise((resolve) => stderr.write('', resolve)), wait(LOG_FLUSH_MS)])
    process.kill(process.pid, 'SIGKILL')
  }

  const stopped = stopRequested()
  let server: RunningServer | undefined
  try {
    const starting = startServer(config, { ...options, logger, announceAdmin })
    server = await Promise.race([starting, stopped.then(() => undefined)])
    if (!server) {
      logger.info({}, 'stopping: the start is cancelled')
      if (!(await endsInTime(starting)) && config.storage.driver === 'file') {
        logger.error({}, 'killed: the store has not opened in time; nothing is lost')
        await kill()
      }
      logger.info({}, 'stopped')
      return SERVE_EXIT.stopped
    }
  } catch (error) {
    const isStalled = error instanceof StalledStartError
    const cause = isStalled ? error.cause : error
    writeLine(`fish-cli serve: ${startErrorMessage(cause, config)}`)
    if (isStalled) {
      logger.error({}, 'killed: the disk does not respond')
      await kill()
    }
    if (isUnknownHost(cause) || isWrongSecret(cause) || cause instanceof GamemodesError) return SERVE_EXIT.usage
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') return SERVE_EXIT.inUse
    return (cause instanceof StorageError && STORAGE_EXITS[cause.code]) || SERVE_EXIT.failed
  }
  if (config.secret && config.secret.length < STRONG_SECRET_LENGTH) {
    logger.warn({}, `FISH_SECRET is short: use at least ${STRONG_SECRET_LENGTH} random characters`)
  }
  for (const warning of unknownVariables(options, options.otherVariables ?? [])) logger.warn({}, warning)
  for (const warning of server.warnings) logger.warn({ storage: config.storage.driver }, warning)
  logger.info(startReport(config, options.version, server), 'ready')
  logger.info({}, `the API is described at ${server.url}${ROUTES.docs.path}`)
  if (config.web === 'on') logger.info({}, `the pages for people are at ${server.url}${ROUTES.homePage.path}`)
  stdout.write(`listening on ${server.url}\n`)

  await stopped
  logger.info({}, 'stopping: requests in flight finish')
  let status: number = SERVE_EXIT.stopped
  void stopRequested().then(() => {
    status = SERVE_EXIT.forced
    server.cut()
  })
  try {
    await server.close()
  } catch (err) {
    if (!(err instanceof StorageError)) throw err
    logger.error({ err }, 'killed: the storage did not close in time')
    await kill()
  }
  logger.info({}, 'stopped')
  return status
}

/** Whether an unwanted start ends within its grace period and closes everything that it opened. */
async function endsInTime(starting: Promise<RunningServer>): Promise<boolean> {
  const ended = starting.then(
    (server) =>
      server.close().then(
        () => true,
        () => false,
      ),
    (error) => !(error instanceof StalledStartError),
  )
  return Promise.race([ended, wait(START_GRACE_MS, false, { ref: false })])
}

function readConfigOrReport(options: ServeOptions, writeLine: (line: string) => void): ServerConfig | undefined {
  try {
    return readConfig(options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const mistake of error.mistakes) writeLine(`fish-cli serve: ${mistake}`)
    return undefined
  }
}

function startErrorMessage(error: unknown, config: ServerConfig): string {
  if (error instanceof StorageError || error instanceof SecretsError || error instanceof GamemodesError)
    return error.message
  if (error instanceof DecryptionError) {
    return 'FISH_SECRET does not decrypt the stored keys. Start with the secret they were encrypted with, or set it as FISH_SECRET_PREVIOUS; nothing was changed.'
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException
  const address = failedAddress(error, config)
  if (isUnknownHost(error)) return `Unknown host ${address.host}. Change ${address.hostFlag}.`
  if (syscall === 'listen' && code !== undefined && code in ADDRESS_ERRORS) {
    return ADDRESS_ERRORS[code as keyof typeof ADDRESS_ERRORS](address)
  }
  return `The start failed: ${message}`
}

interface FailedAddress extends ListenAddress {
  readonly hostFlag: string
  readonly portFlag: string
}

const METRICS = '--metrics (FISH_METRICS)'

function failedAddress(error: unknown, { host, port, metrics }: ServerConfig): FailedAddress {
  const failed = error as { readonly port?: number; readonly hostname?: string }
  const isOf = (address: ListenAddress) => failed.port === address.port || failed.hostname === address.host
  if (typeof metrics === 'object' && isOf(metrics) && !isOf({ host, port })) {
    return { ...metrics, hostFlag: METRICS, portFlag: METRICS }
  }
  return { host, port, hostFlag: '--host (FISH_HOST)', portFlag: '--port (FISH_PORT)' }
}

const ADDRESS_ERRORS = {
  EADDRINUSE: ({ host, port, portFlag }: FailedAddress) =>
    `port ${port} on ${host} is in use. Stop what listens there, or choose another port with ${portFlag}.`,
  EACCES: ({ host, port, portFlag }: FailedAddress) =>
    `port ${port} on ${host} requires privileges. Choose a port above 1023 with ${portFlag}.`,
  EADDRNOTAVAIL: ({ host, hostFlag }: FailedAddress) =>
    `${host} is not an address of this machine. Change ${hostFlag}.`,
}

function isWrongSecret(error: unknown): boolean {
  return error instanceof DecryptionError || error instanceof SecretsError
}

function isUnknownHost(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'getaddrinfo'
}
