import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { LIMITS, ROUTES } from '@fish-crab/sdk/contract'
import { FastResponse, type ServerRequest } from 'srvx'
import { type App, createApp } from '../app/app.ts'
import type { Logger, PasswordHasher } from '../app/core/host.ts'
import { randomText } from '../app/core/ids.ts'
import { forwardedAddress } from '../app/http/client-address.ts'
import { DecryptionError } from '../app/users/encryption.ts'
import { StorageError } from '../storage/errors.ts'
import { createStorage, type StorageOptions } from '../storage/index.ts'
import type { FishStorage } from '../storage/types.ts'
import type { ServerConfig } from './config.ts'
import { createNodeEncoder } from './content-encoder.ts'
import { createDocs } from './docs-page.ts'
import { type ConnectionLimits, listen } from './listener.ts'
import type { BoundedLogger } from './logger.ts'
import { createServiceMetrics, type ServiceMetrics } from './metrics.ts'
import { createScryptHasher } from './passwords.ts'
import { type LoadedSecrets, loadSecrets, makeSecrets } from './secrets-file.ts'

/** What {@link startServer} takes beside the configuration. */
export interface StartOptions {
  /** `dropped` is what `/metrics` tells of lines that the log has dropped. @default 0 */
  readonly logger: Logger & Partial<Pick<BoundedLogger, 'dropped'>>
  readonly version: string
  /** @default scrypt at OWASP's cost */
  readonly passwords?: PasswordHasher
  /** What connections may take; for tests and unusual hosts. @default see the README, "Operate it" */
  readonly connections?: Partial<ConnectionLimits>
  /**
   * Told the first administrator's name and made-up password, once, before that administrator is made.
   * @default writes both on stderr
   */
  readonly announceAdmin?: (made: GeneratedAdmin) => void
  /** How long requests in flight may take when the server stops, in milliseconds. @default 10000 */
  readonly graceMs?: number
  /** How often the server looks whether its store is still there, in milliseconds. @default 1000 */
  readonly watchMs?: number
}

/** A server that answers. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Where its metrics are, such as `http://127.0.0.1:8787/metrics`; `off`: nowhere. */
  readonly metrics: string
  /** What an acknowledgement of the storage means. */
  readonly durability: string
  /** What the operator should know about that and the configuration, each a sentence. */
  readonly warnings: readonly string[]
  /**
   * Fails readiness, lets requests in flight finish, and closes the storage.
   * @throws StorageError `unavailable` when the disk has not taken all writes in time. A thread waits for it still, and
   * until that ends neither `process.exit()` nor an empty event loop ends the process; SIGKILL does.
   */
  close(): Promise<void>
  /** Cuts the requests in flight: a close under way no longer waits for them. */
  cut(): void
}

const GRACE_MS = 10_000
const UNUSED_PASSWORD =
  'FISH_ADMIN_PASSWORD has no effect: it is for the first administrator alone, and there is one. ' +
  'To change a password, stop the server: fish-cli admin reset-password NAME'
/** `import` waits for twice as long before it writes. */
const WATCH_MS = 1000

/**
 * Starts the service: address, storage, secrets, first administrator, in this order; so nothing is made where the
 * address cannot be had, and nothing answered before all is ready. What was opened is closed again when a later step
 * fails.
 * @example const server = await startServer(readConfig({ env: process.env }), { logger, version: '1.0.0' })
 */
export async function startServer(config: ServerConfig, options: StartOptions): Promise<RunningServer> {
  const { logger, connections = {} } = options
  const metrics = createServiceMetrics({ droppedLogLines: () => logger.dropped?.() ?? 0 })
  let accepting = true
  const isAccepting = () => accepting
  const { host, port } = config
  const opened: (() => unknown)[] = [() => metrics.dispose()]
  try {
    const onDrop = metrics.observeDroppedConnection
    const listener = await listen({ host, port, logger, isAccepting, onDrop, limits: connections })
    opened.push(() => listener.close(0))
    const apart =
      typeof config.metrics === 'object' ? await listen({ ...config.metrics, logger, isAccepting }) : undefined
    if (apart) opened.push(() => apart.close(0))
    const storage = await createStorage(storageOf(config, logger))
    opened.push(() => storage.dispose())
    const app = await prepareApp({ storage, metrics, isAccepting }, config, options)
    const isFirst = await makeFirstAdmin(app, config, options)
    const isPasswordUnused = config.adminPassword !== undefined && !isFirst
    const watch = watchStore({ verify: app.verifyStore, everyMs: options.watchMs ?? WATCH_MS, logger })
    listener.serve(app.fetch)
    apart?.serve(app.fetchMetrics)
    return {
      url: listener.url,
      metrics: config.metrics === 'off' ? 'off' : `${(apart ?? listener).url}${ROUTES.metrics.path}`,
      durability: storage.durability,
      warnings: [...(storage.warnings ?? []), ...(isPasswordUnused ? [UNUSED_PASSWORD] : [])],
      async close() {
        accepting = false
        await listener.close(options.graceMs ?? GRACE_MS)
        await apart?.close(0)
        watch.stop()
        metrics.dispose()
        await storage.dispose()
      },
      cut: () => listener.cut(),
    }
  } catch (error) {
    for (const close of opened.reverse()) await close()
    throw error
  }
}

function storageOf({ storage, redisWait }: ServerConfig, logger: Pick<Logger, 'error'>): StorageOptions {
  if (storage.driver !== 'redis' && storage.driver !== 'redis-cluster') return storage
  return {
    ...storage,
    ...(redisWait === undefined ? {} : { replicas: redisWait }),
    onDataLoss: (message) => logger.error({ storage: storage.driver }, message),
  }
}

/** What the app is made on. */
interface AppParts {
  readonly storage: FishStorage
  readonly metrics: ServiceMetrics
  readonly isAccepting: () => boolean
}

async function prepareApp(parts: AppParts, config: ServerConfig, options: StartOptions): Promise<App> {
  const { logger, version, passwords = createScryptHasher() } = options
  const { secrets, mismatch, discard } = await secretsOf(config)
  const app = createApp({
    // Is sent without a stream being made of its body first.
    responseClass: FastResponse,
    ...parts,
    metricsRoute: config.metrics === 'on',
    secrets,
    passwords,
    version,
    logger,
    docs: createDocs(),
    contentEncoder: createNodeEncoder(),
    clientAddress: (request) =>
      forwardedAddress(
        (request as ServerRequest).ip ?? 'unknown',
        request.headers.get('x-forwarded-for'),
        config.trustProxy,
      ),
    rateLimit: { requests: config.rateLimit, windowMs: config.rateWindow * 1000 },
    adminRateLimit: { requests: config.adminRateLimit, windowMs: LIMITS.adminWindowSeconds * 1000 },
    ...(config.masterApiKey === undefined ? {} : { masterApiKey: config.masterApiKey }),
    ...(config.allowedOrigins === undefined ? {} : { allowedOrigins: config.allowedOrigins }),
    ...(config.tokenTtl === undefined ? {} : { tokenTtlSeconds: config.tokenTtl }),
  })
  await app.checkSecrets().catch(async (error: unknown) => {
    await discard()
    throw error instanceof DecryptionError && mismatch ? mismatch : error
  })
  return app
}

function makeFirstAdmin(app: App, config: ServerConfig, options: StartOptions): Promise<boolean> {
  const first = { username: config.adminUsername, password: config.adminPassword }
  return ensureFirstAdmin(app, first, options.announceAdmin ?? announceTo(process.stderr))
}

async function secretsOf({ storage, secret, previousSecrets, jwtSecret }: ServerConfig): Promise<LoadedSecrets> {
  const given = {
    ...(secret ? { seal: secret } : {}),
    ...(previousSecrets ? { sealPrevious: previousSecrets } : {}),
    ...(jwtSecret ? { session: jwtSecret } : {}),
  }
  if (storage.driver === 'file') return loadSecrets(resolve(storage.path), given)
  return { secrets: { ...makeSecrets(), ...given }, discard: async () => {} }
}

/** Who the first administrator shall be. */
interface FirstAdmin {
  readonly username: string | undefined
  readonly password: string | undefined
}

/** The first administrator's made-up password, to be shown once. */
interface GeneratedAdmin {
  readonly username: string
  readonly password: string
}

const USERNAME = 'admin'
const PASSWORD_LENGTH = 24

/** Shows a made-up password on a stream that people read. Not a log: it is shown this once. */
export function announceTo(stream: Writable): (made: GeneratedAdmin) => void {
  return ({ username, password }) => {
    stream.write(`Creating the administrator "${username}" with the password ${password}\n`)
    stream.write('Keep it: it is shown this once.\n')
  }
}

/**
 * Makes the first administrator when there is none.
 * @returns whether it did
 * @param announce is told a made-up password before the administrator is made: if anything fails in between, an
 *   unused password was shown, and never is there an administrator whose password nobody has seen
 */
async function ensureFirstAdmin(
  app: App,
  first: FirstAdmin,
  announce: (made: GeneratedAdmin) => void,
): Promise<boolean> {
  if (await app.admins.exist()) return false
  const username = first.username ?? USERNAME
  const password = first.password ?? randomText(PASSWORD_LENGTH, (bytes) => crypto.getRandomValues(bytes))
  if (first.password === undefined) announce({ username, password })
  await app.admins.create(username, password, 'superadmin')
  return true
}

/** What {@link watchStore} takes. */
interface StoreWatchOptions {
  /** Looks once; see `App.verifyStore`. */
  readonly verify: () => Promise<void>
  /** How often, in milliseconds. A look that takes longer is not overtaken by the next. */
  readonly everyMs: number
  readonly logger: Pick<Logger, 'info' | 'error'>
}

/** Looks again and again whether the store is still there, and says once when it is not, and when it is again. */
function watchStore({ verify, everyMs, logger }: StoreWatchOptions): { stop(): void } {
  let isLooking = false
  let isLost = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      await verify()
      if (isLost) logger.info({}, 'the store is back: requests are answered again')
      isLost = false
    } catch (err) {
      // A storage out of reach tells nothing of the store in it; whoever needs it logs that.
      if (err instanceof StorageError && (err.code === 'replaced' || err.code === 'unfinished')) {
        if (!isLost) logger.error({ err }, 'the store is not there: no request is answered from what is')
        isLost = true
      }
    } finally {
      isLooking = false
    }
  }

  const timer = setInterval(look, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
