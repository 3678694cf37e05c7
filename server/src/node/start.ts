import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { ACCOUNT_LIMITS, HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { ServerRequest } from 'srvx'
import type { App } from '../app/app.ts'
import type { Logger, PasswordHasher, RequestHost } from '../app/core/host.ts'
import { randomText } from '../app/core/ids.ts'
import { forwardedAddress } from '../app/http/client-address.ts'
import { HttpError } from '../app/http/http-error.ts'
import { errorResponse, json } from '../app/http/response.ts'
import type { AppOptions } from '../app/options.ts'
import { DecryptionError } from '../app/users/encryption.ts'
import { StorageError } from '../storage/core/errors.ts'
import { createStorage, type StorageOptions } from '../storage/index.ts'
import { loadCardRenderer } from './card-renderer.ts'
import type { ServerConfig } from './config.ts'
import { createNodeEncoder } from './content-encoder.ts'
import { createDocs } from './docs.ts'
import { type ConnectionLimits, listen, SentResponse } from './listener.ts'
import type { BoundedLogger } from './logger.ts'
import { createServiceMetrics } from './metrics.ts'
import { createPages } from './pages.ts'
import { createScryptHasher } from './passwords.ts'
import { type LoadedSecrets, loadSecrets, makeSecrets } from './secrets-file.ts'
import { createThreadBudget } from './thread-budget.ts'

/** Options of {@link startServer} besides the configuration. */
export interface StartOptions {
  /** The log of the server. `dropped` returns the number of dropped log lines, for `/metrics`. @default 0 */
  readonly logger: Logger & Partial<Pick<BoundedLogger, 'dropped'>>
  /** Version that `/status` reports. */
  readonly version: string
  /** Hashes and verifies passwords. @default scrypt at the cost that OWASP recommends */
  readonly passwords?: PasswordHasher
  /** Limits of connections. @default see docs/operate.md, "Limits" */
  readonly connections?: Partial<ConnectionLimits>
  /**
   * Called once with the generated password of the first administrator, before that administrator is created.
   * @default writes it to stderr
   */
  readonly announceAdmin?: (admin: GeneratedAdmin) => void
  /** How long requests in flight may take when the server stops, in milliseconds. @default 10000 */
  readonly graceMs?: number
}

/** A running server. */
export interface RunningServer {
  /** URL of the server, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** URL of the metrics, such as `http://127.0.0.1:8787/metrics`, or `off`. */
  readonly metrics: string
  /** The guarantee of the storage for an acknowledged write. */
  readonly durability: string
  /** Warnings about the storage and the configuration, each a sentence. */
  readonly warnings: readonly string[]
  /**
   * Fails readiness, lets requests in flight finish, and closes the storage.
   * @throws StorageError `unavailable` if the disk does not complete all writes in time, or if another program reads a
   * store whose log was deleted. While a thread still waits for the disk, only SIGKILL ends the process:
   * `process.exit()` and an empty event loop do not.
   */
  close(): Promise<void>
  /** Closes all connections. Then a pending `close` settles without waiting for requests in flight. */
  cut(): void
}

/**
 * The start failed because of its `cause`, and the storage could not be closed: a thread still waits for the disk. Only
 * SIGKILL ends the process.
 */
export class StalledStartError extends Error {
  override readonly name = 'StalledStartError'
}

const GRACE_MS = 10_000
const UNUSED_PASSWORD =
  'FISH_ADMIN_PASSWORD has no effect: an administrator exists. ' +
  'To change the password, run: fish-cli password --admin NAME. If it is lost, see: fish-cli admin reset-password --help'
const VOID_PASSWORD =
  'Another server has created the first administrator at the same time: the password that this one has shown is void.'

/**
 * The metrics listener has a low limit: few clients scrape, and both listeners share the file descriptors of the
 * process.
 */
const METRICS_LIMITS = { connections: 64 }

const WATCH_MS = 1000

/**
 * Starts the service: listener, storage, secrets, first administrator, in this order. If the address is in use, nothing
 * is created. Until everything is ready, `/livez` responds with 200, `/readyz` with 503, and other requests wait. If a
 * step fails, the results of the earlier steps are closed.
 * @example const server = await startServer(readConfig({ env: process.env }), { logger, version: '1.0.0' })
 */
export async function startServer(config: ServerConfig, options: StartOptions): Promise<RunningServer> {
  const { logger, connections = {} } = options
  const metrics = createServiceMetrics(() => logger.dropped?.() ?? 0)
  let accepting = true
  const isAccepting = () => accepting
  const { host, port } = config
  const opened: (() => unknown)[] = [() => metrics.dispose()]
  const { promise: prepared, resolve: serve } = Promise.withResolvers<App>()
  let ready: App | undefined
  const fetch: App['fetch'] = (request, requestHost = {}) => {
    if (ready) return ready.fetch(request, requestHost)
    const response = probeResponse(requestHost)
    return response ? Promise.resolve(response) : prepared.then((app) => app.fetch(request, requestHost))
  }
  const fetchMetrics: App['fetchMetrics'] = async (request, requestHost) =>
    (await prepared).fetchMetrics(request, requestHost)
  try {
    const limited = {
      onDrop: metrics.observeDroppedConnection,
      onCut: metrics.observeCutResponse,
      isBehindProxy: config.trustProxy > 0,
      limits: connections,
    }
    const listener = await listen({ host, port, fetch, logger, isAccepting, ...limited })
    opened.push(() => listener.close(0))
    const metricsListener =
      typeof config.metrics === 'object'
        ? await listen({ ...config.metrics, fetch: fetchMetrics, logger, isAccepting, limits: METRICS_LIMITS })
        : undefined
    if (metricsListener) opened.push(() => metricsListener.close(0))
    const opening = createStorage(storageOptions(config))
    const loading = loadCode(config, logger)
    // An error is reported when the storage is open and can be closed.
    loading.catch(() => {})
    const storage = await opening
    opened.push(() => storage.dispose())
    metrics.observeReserve(() => storage.remainingReserve())
    const app = await prepareApp(await loading, { storage, metrics, isAccepting }, config, options)
    const warning = await ensureFirstAdmin(app, config, options.announceAdmin ?? printPasswordTo(process.stderr))
    const watch = watchStore(app, logger)
    ready = app
    serve(app)
    // Runs in the background, because the removal of millions of catches takes minutes.
    app.finishRemovals().catch((err: unknown) => logger.error({ err }, 'a removal continues at the next start'))
    return {
      url: listener.url,
      metrics: config.metrics === 'off' ? 'off' : `${(metricsListener ?? listener).url}${ROUTES.metrics.path}`,
      durability: storage.durability,
      warnings: [...(storage.warnings ?? []), ...(warning === undefined ? [] : [warning])],
      async close() {
        accepting = false
        app.closeStreams()
        await listener.close(options.graceMs ?? GRACE_MS)
        await metricsListener?.close(0)
        watch.stop()
        metrics.dispose()
        await storage.dispose()
      },
      cut: () => listener.cut(),
    }
  } catch (cause) {
    let isStalled = false
    for (const close of opened.reverse()) {
      try {
        await close()
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        isStalled = config.storage.driver === 'file'
      }
    }
    throw isStalled ? new StalledStartError('The start failed, and the disk does not respond.', { cause }) : cause
  }
}

/** Responds to `/livez` and `/readyz` while the storage opens, which may take minutes. */
function probeResponse({ target }: RequestHost): Response | undefined {
  const isLivez = target === ROUTES.livez.path
  if (!isLivez && target !== ROUTES.readyz.path) return undefined
  const requestId = crypto.randomUUID()
  const error = new HttpError('unavailable', { message: 'The server is starting. Send requests elsewhere.' })
  const { status, body, headers } = isLivez ? json(200, { status: 'ok' }) : errorResponse(error, requestId)
  return new SentResponse(body, {
    status,
    headers: { ...headers, 'cache-control': 'no-store', [HEADERS.requestId]: requestId },
  })
}

function clientAddressBehind(proxies: number): (request: Request) => string {
  return (request) =>
    forwardedAddress((request as ServerRequest).ip ?? 'unknown', request.headers.get('x-forwarded-for'), proxies)
}

function storageOptions({ storage, redisWait }: ServerConfig): StorageOptions {
  return storage.driver === 'memory' || storage.driver === 'file' ? storage : { ...storage, replicas: redisWait }
}

/** Loads the app and the renderer of cards. The storage opens at the same time, because it starts a thread. */
async function loadCode({ web }: ServerConfig, logger: Logger) {
  const [{ createApp }, renderCard] = await Promise.all([
    import('../app/app.ts'),
    web === 'on' ? loadCardRenderer(logger) : undefined,
  ])
  return { createApp, renderCard }
}

async function prepareApp(
  { createApp, renderCard }: Awaited<ReturnType<typeof loadCode>>,
  parts: Pick<AppOptions, 'storage' | 'metrics' | 'isAccepting'>,
  config: ServerConfig,
  options: StartOptions,
): Promise<App> {
  const { logger, version, passwords = createScryptHasher() } = options
  const { secrets, mismatch, discard } = await secretsOf(config)
  const threads = createThreadBudget()
  const app = createApp({
    responseClass: SentResponse,
    ...parts,
    metricsRoute: config.metrics === 'on',
    gamemodes: config.gamemodes,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
    secrets,
    passwords: threads.limitPasswords(passwords),
    version,
    logger,
    docs: createDocs(config.web === 'on'),
    ...(config.web === 'on' ? { pages: createPages() } : {}),
    ...(renderCard ? { renderCard: threads.limitCards(renderCard) } : {}),
    contentEncoder: createNodeEncoder(),
    clientAddress: clientAddressBehind(config.trustProxy),
    rateLimit: { requests: config.rateLimit, windowMs: config.rateWindow * 1000 },
    adminRateLimit: { requests: config.adminRateLimit, windowMs: ACCOUNT_LIMITS.adminWindowSeconds * 1000 },
    ...(config.masterApiKey === undefined ? {} : { masterApiKey: config.masterApiKey }),
    ...(config.allowedOrigins === undefined ? {} : { allowedOrigins: config.allowedOrigins }),
    ...(config.publicLeaderboard ? { publicLeaderboard: true } : {}),
    species: {
      minPlayers: config.speciesMinPlayers,
      ...(config.species === undefined ? {} : { list: config.species }),
    },
    ...(config.tokenTtl === undefined ? {} : { tokenTtlSeconds: config.tokenTtl }),
  })
  await app.checkSecrets().catch(async (error: unknown) => {
    // Only a `DecryptionError` discards the secrets: if the write of the secret check fails, the check may be stored
    // anyway, and the store then needs these secrets.
    if (!(error instanceof DecryptionError)) throw error
    await discard()
    throw mismatch ?? error
  })
  await app.checkGamemodes()
  return app
}

async function secretsOf({ storage, secret, previousSecrets, jwtSecret }: ServerConfig): Promise<LoadedSecrets> {
  const given = {
    ...(secret ? { encryption: secret } : {}),
    ...(previousSecrets ? { previousEncryption: previousSecrets } : {}),
    ...(jwtSecret ? { session: jwtSecret } : {}),
  }
  if (storage.driver === 'file') return loadSecrets(resolve(storage.path), given)
  return { secrets: { ...makeSecrets(), ...given }, discard: async () => {} }
}

/** The name and generated password of the first administrator. */
export interface GeneratedAdmin {
  readonly username: string
  /** The password in plain text. The server stores only its hash. */
  readonly password: string
}

const ADMIN_PASSWORD_LENGTH = 24

/**
 * Creates the first administrator if none exists. A generated password is announced before the administrator is
 * created. If the creation fails after the announcement, the password is unused, but no administrator has an unknown
 * password.
 * @returns a warning if the given or announced password has no effect
 */
async function ensureFirstAdmin(
  app: App,
  config: ServerConfig,
  announce: (admin: GeneratedAdmin) => void,
): Promise<string | undefined> {
  const isGiven = config.adminPassword !== undefined
  if (await app.admins.exist()) return isGiven ? UNUSED_PASSWORD : undefined
  const username = config.adminUsername ?? 'admin'
  const password = config.adminPassword ?? randomText(ADMIN_PASSWORD_LENGTH, (bytes) => crypto.getRandomValues(bytes))
  if (!isGiven) announce({ username, password })
  if (await app.admins.create(username, password, 'superadmin')) return undefined
  return isGiven ? UNUSED_PASSWORD : VOID_PASSWORD
}

/** Writes a generated password to a stream that people read. The line is not a record of the log. */
export function printPasswordTo(stream: Writable): (admin: GeneratedAdmin) => void {
  return ({ username, password }) => {
    stream.write(`Creating the administrator "${username}" with the password ${password}\n`)
    stream.write('Save it now: it is not shown again.\n')
  }
}

function watchStore(app: App, logger: Pick<Logger, 'info' | 'error'>): { stop(): void } {
  let isVerifying = false
  let isLost = false

  async function verify(): Promise<void> {
    if (isVerifying) return
    isVerifying = true
    try {
      await app.verifyStore()
      if (isLost) logger.info({}, 'the store is back: requests are handled again')
      isLost = false
    } catch (err) {
      // An unreachable storage does not show whether the store changed, and failed requests already log the outage.
      if (err instanceof StorageError && (err.code === 'replaced' || err.code === 'unfinished')) {
        if (!isLost) logger.error({ err }, 'the store is lost: requests fail until it is back')
        isLost = true
      }
    } finally {
      isVerifying = false
    }
  }

  const timer = setInterval(verify, WATCH_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
