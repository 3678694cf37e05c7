import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { ROUTES } from '@fish-crab/sdk/contract'
import { DecryptionError } from '../app/users/encryption.ts'
import { StorageError } from '../storage/errors.ts'
import { ConfigError, type ConfigSource, readConfig, type ServerConfig } from './config.ts'
import { createLogger } from './logger.ts'
import { SecretsError } from './secrets-file.ts'
import type { ListenAddress } from './settings.ts'
import { announceTo, type RunningServer, startServer } from './start.ts'
import { startReport } from './start-report.ts'

/** What {@link serve} runs with. */
export interface ServeOptions extends ConfigSource {
  readonly version: string
  readonly stdout: Writable
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** Whether the log for people has colours. @default where stderr is a terminal and NO_COLOR is not set */
  readonly colours?: boolean
  /** Settles when the server shall stop. Called again, it settles at the next wish to stop. */
  readonly stopRequested: () => Promise<void>
}

/** As many bits as the keys that are derived from it. */
const STRONG_SECRET_LENGTH = 32

/** How long a start that is under way may take to end once the server shall stop, in milliseconds. */
const START_GRACE_MS = 2000

/** How long the reader of the log has for its last line before the process is killed. */
const LAST_WORDS_MS = 500

/** Exit statuses of {@link serve}. `unreachable`: the storage is, such as a Redis that does not run. */
export const SERVE_EXIT = { stopped: 0, failed: 1, usage: 2, unreachable: 69, forced: 130 } as const

/**
 * Runs the server until it is told to stop, as `fish-cli serve` does: exactly one line on stdout when it is ready,
 * all else on stderr. A second wish to stop does not wait for requests in flight. Where a file storage cannot be opened
 * or closed because its disk does not respond, the process ends itself by SIGKILL.
 * @returns the exit status. After a stop during the start, call `process.exit()` with it: a Redis that does not respond
 * would keep the process for up to 30 s
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { stdout, stderr, stopRequested, colours = stderr.isTTY === true && !options.env.NO_COLOR } = options
  const say = (line: string) => stderr.write(`${line}\n`)
  const config = configOf(options, say)
  if (!config) return SERVE_EXIT.usage
  const logger = createLogger(config.log, { stream: stderr, colours })

  /** Any other end would wait for the thread that waits for the disk. */
  const kill = async () => {
    await Promise.race([new Promise((resolve) => stderr.write('', resolve)), wait(LAST_WORDS_MS)])
    process.kill(process.pid, 'SIGKILL')
  }

  const stopped = stopRequested()
  let server: RunningServer | undefined
  try {
    const starting = startServer(config, { logger, version: options.version, announceAdmin: announceTo(stderr) })
    server = await Promise.race([starting, stopped.then(() => undefined)])
    if (!server) {
      logger.info({}, 'stopping: the start is given up')
      if (!(await endsInTime(starting)) && config.storage.driver === 'file') {
        logger.error({}, 'killed: the disk does not respond')
        await kill()
      }
      logger.info({}, 'stopped')
      return SERVE_EXIT.stopped
    }
  } catch (error) {
    say(`fish-cli serve: ${startFailure(error, config)}`)
    if (error instanceof StorageError && error.code === 'unavailable') return SERVE_EXIT.unreachable
    return isUnknownHost(error) ? SERVE_EXIT.usage : SERVE_EXIT.failed
  }
  if (config.secret && config.secret.length < STRONG_SECRET_LENGTH) {
    logger.warn({}, `FISH_SECRET is short: use at least ${STRONG_SECRET_LENGTH} random characters`)
  }
  for (const warning of server.warnings) logger.warn({ storage: config.storage.driver }, warning)
  logger.info(startReport(config, options.version, server), 'ready')
  logger.info({}, `the API is described at ${server.url}${ROUTES.docs.path}`)
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
    logger.error({ err }, 'killed: the disk has not taken all writes; what got no 2xx may be missing')
    await kill()
  }
  logger.info({}, 'stopped')
  return status
}

/** Whether a start that is not wanted any more ends within its grace, and what it has opened is closed. */
async function endsInTime(starting: Promise<RunningServer>): Promise<boolean> {
  const close = async () => (await starting).close()
  const ended = close().then(
    () => true,
    () => true,
  )
  return Promise.race([ended, wait(START_GRACE_MS, false, { ref: false })])
}

function configOf(options: ServeOptions, say: (line: string) => void): ServerConfig | undefined {
  try {
    return readConfig(options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const mistake of error.mistakes) say(`fish-cli serve: ${mistake}`)
    return undefined
  }
}

function startFailure(error: unknown, config: ServerConfig): string {
  if (error instanceof StorageError || error instanceof SecretsError) return error.message
  if (error instanceof DecryptionError) {
    return 'FISH_SECRET is not the secret that this data was sealed with. Start with the right one, or give it as FISH_SECRET_PREVIOUS; nothing was changed.'
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException
  const { host, port, hostFlag, portFlag } = refusedAddress(error, config)
  if (isUnknownHost(error)) return `there is no host ${host}. Change ${hostFlag}.`
  if (syscall === 'listen' && code !== undefined && code in REFUSED_ADDRESS) {
    return REFUSED_ADDRESS[code as keyof typeof REFUSED_ADDRESS]({ host, port, hostFlag, portFlag })
  }
  return `could not start: ${message}`
}

interface RefusedAddress extends ListenAddress {
  readonly hostFlag: string
  readonly portFlag: string
}

/** Which of the two addresses it was that could not be had. */
function refusedAddress(error: unknown, { host, port, metrics }: ServerConfig): RefusedAddress {
  const refused = error as { readonly port?: number; readonly hostname?: string }
  const isOf = (address: ListenAddress) => refused.port === address.port || refused.hostname === address.host
  if (typeof metrics === 'object' && isOf(metrics) && !isOf({ host, port })) {
    return { ...metrics, hostFlag: '--metrics', portFlag: '--metrics' }
  }
  return { host, port, hostFlag: '--host', portFlag: '--port' }
}

const REFUSED_ADDRESS = {
  EADDRINUSE: ({ host, port, portFlag }: RefusedAddress) =>
    `port ${port} on ${host} is in use. Stop what listens there or choose another with ${portFlag}.`,
  EACCES: ({ host, port, portFlag }: RefusedAddress) =>
    `port ${port} on ${host} may not be used. Choose one above 1023 with ${portFlag}.`,
  EADDRNOTAVAIL: ({ host, hostFlag }: RefusedAddress) =>
    `${host} is not an address of this machine. Change ${hostFlag}.`,
}

/** A name that does not resolve is a wrong setting. */
function isUnknownHost(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'getaddrinfo'
}
