import { LIMITS, ROUTES } from '@fish-crab/sdk/contract'
import { type Admins, createAdmins } from './auth/admins.ts'
import { createAudit } from './auth/audit.ts'
import { createCredentials } from './auth/credentials.ts'
import { createLoginLimiter } from './auth/login-limiter.ts'
import { createPasswordQueue } from './auth/password-queue.ts'
import { createSessions } from './auth/sessions.ts'
import { createCollectionReader } from './catches/read-collection.ts'
import type { Logger, RequestHost } from './core/host.ts'
import { pooledRandom, uuidv7 } from './core/ids.ts'
import { createCursors } from './http/cursors.ts'
import { createPlatformEncoder } from './http/encoding.ts'
import { createPipeline } from './http/pipeline.ts'
import { createRateLimitMiddleware } from './http/rate-limit.ts'
import { mountRoutes } from './http/router.ts'
import { type AppOptions, checkAppOptions } from './options.ts'
import { docsAssetHandler } from './routes/docs.ts'
import { createHandlers } from './routes/index.ts'
import { metricsHandler } from './routes/status.ts'
import { observeStorage } from './store/observed-storage.ts'
import { checkNoImportLock, createStoreId } from './store/store-id.ts'
import { createEncryption } from './users/encryption.ts'
import { ensureSecretCheck, verifySecretCheck } from './users/secret-check.ts'
import { createUsers, type Users } from './users/users.ts'

/** The service as a program from requests to responses. It holds no sockets, files or timers. */
export interface App {
  /**
   * Answers a request. Never rejects: what goes wrong is an answer too.
   * @param host what the host knows of the request
   */
  fetch(request: Request, host?: RequestHost): Promise<Response>
  /** As `fetch`, of an app that answers at `/metrics` alone; see `metricsRoute`. Nothing is counted by a rate limit. */
  fetchMetrics(request: Request, host?: RequestHost): Promise<Response>
  /** The users, for hosts that create some on their own behalf. */
  readonly users: Pick<Users, 'create' | 'find' | 'fernet'>
  /** The administrators, for hosts that make the first one. */
  readonly admins: Pick<Admins, 'create' | 'exist'>
  /**
   * Settles when the secrets at hand open the stored data and all code is loaded, so that no request fails for want of a
   * file or a descriptor; rejects when not, and has written nothing. From then on, the
   * app notices when its store is emptied, replaced or filled by an import: it is not ready, and answers nothing from
   * there and writes nothing there.
   * @throws SealError; StorageError `unfinished` when the store holds part of an import
   */
  checkSecrets(): Promise<void>
  /**
   * Looks whether the storage still holds the store that {@link checkSecrets} found. A host calls this once a second,
   * so that no request has to: one that comes longer than 1.5 s after the last look waits for the next.
   * @throws StorageError `replaced` or `unfinished`; until it settles again, every request that needs the storage fails
   */
  verifyStore(): Promise<void>
}

const SILENCE: Logger = { info() {}, warn() {}, error() {} }

/**
 * Makes the service. The same program serves real sockets, mocks and tests; whatever is not portable comes in as an
 * argument.
 * @throws TypeError when an option cannot be what it should be
 * @example
 * const app = createApp({ storage: createMemoryStorage(), secrets, passwords, version: '1.0.0' })
 * const response = await app.fetch(new Request('http://localhost/status'), { address: '127.0.0.1' })
 */
export function createApp(options: AppOptions): App {
  checkAppOptions(options)
  const { secrets, passwords, version, clientAddress, masterApiKey, tokenTtlSeconds, metrics, docs } = options
  const clock = options.clock ?? Date.now
  const random = options.random ?? pooledRandom((bytes) => crypto.getRandomValues(bytes))
  const logger = options.logger ?? SILENCE
  const allowedOrigins = options.allowedOrigins ?? []
  const rateLimit = options.rateLimit ?? { requests: LIMITS.requests, windowMs: LIMITS.windowSeconds * 1000 }
  const contentEncoder = options.contentEncoder ?? createPlatformEncoder()
  const createId = () => uuidv7(clock(), random)

  const encryption = createEncryption([secrets.seal, ...(secrets.sealPrevious ?? [])], random)
  const uncheckedStorage = observeStorage(options.storage, { metrics })
  const storeId = createStoreId({ storage: uncheckedStorage, random, clock })
  const storage = observeStorage(options.storage, { metrics, storeId })
  const cursors = createCursors(secrets.session)
  const queue = createPasswordQueue(clock)
  const queued = { hash: (password: string) => queue({ client: '', work: () => passwords.hash(password) }) }
  const users = createUsers({ storage, storeId, cursors, encryption, passwords: queued, clock, random })
  const admins = createAdmins({ storage, storeId, passwords: queued, clock, random })
  const loginLimiter = createLoginLimiter(storage, clock)
  const sessions = createSessions({ secret: secrets.session, admins, storeId, clock })
  const handlers = createHandlers({
    storage,
    storeId,
    users,
    admins,
    credentials: createCredentials({ users, admins, storeId, passwords, queue, loginLimiter, clock }),
    sessions,
    audit: createAudit(storage, cursors, clock, random),
    readCollection: createCollectionReader(storage, contentEncoder, cursors),
    contentEncoder,
    logger,
    clock,
    createId,
    version,
    adminRateLimit: options.adminRateLimit ?? {
      requests: LIMITS.adminRequests,
      windowMs: LIMITS.adminWindowSeconds * 1000,
    },
    tokenTtlSeconds,
    isAccepting: options.isAccepting ?? (() => true),
    metrics: options.metricsRoute === false ? undefined : metrics,
    docs,
  })
  const limitRate = createRateLimitMiddleware({
    storage,
    users,
    rateLimit,
    masterApiKey,
    allowedOrigins,
    clock,
    logger,
    metrics,
  })

  const pipeline = {
    limitRate,
    clientAddress,
    createId,
    allowedOrigins,
    clock,
    logger,
    metrics,
    responseClass: () => options.responseClass ?? Response,
  }
  const h3 = createPipeline(pipeline)
  const below = docs
    ? [{ name: 'docs', path: `${ROUTES.docs.path}/:asset`, handler: docsAssetHandler(docs) } as const]
    : []
  mountRoutes(h3, handlers.byRoute, below)
  const metricsOnly = createPipeline({ ...pipeline, limitRate: async () => {} })
  mountRoutes(metricsOnly, metrics ? { metrics: metricsHandler(metrics) } : {})

  return {
    fetch: async (request, host) => h3.request(request, undefined, { host }),
    fetchMetrics: async (request, host) => metricsOnly.request(request, undefined, { host }),
    users,
    admins,
    async checkSecrets() {
      await Promise.all([handlers.load(), sessions.load()])
      await checkNoImportLock(uncheckedStorage)
      // Before the store gets an id: a wrong secret changes nothing.
      await verifySecretCheck(uncheckedStorage, encryption)
      await storeId.load()
      await ensureSecretCheck(uncheckedStorage, encryption)
    },
    verifyStore: storeId.verify,
  }
}
