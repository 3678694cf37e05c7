import {
  ACCOUNT_LIMITS,
  type AdminRole,
  ASSET_FOLDERS,
  type CreatedUser,
  GAMEMODES,
  LIMITS,
  type User,
} from '@fish-crab/sdk/contract'
import type { Fernet } from '@fish-crab/sdk/fernet'
import { type Admin, createAdmins } from './auth/admins.ts'
import { createAudit } from './auth/audit.ts'
import { createCredentials, createPasswordQueue } from './auth/credentials.ts'
import { createLoginLimiter } from './auth/login-limiter.ts'
import { createSessions } from './auth/sessions.ts'
import { createEncodedResponses } from './catches/encoded-response.ts'
import { checkStoredGamemodes, createGamemodes } from './catches/gamemodes.ts'
import { createCollectionReader } from './catches/read-collection.ts'
import type { HashOptions, Logger, RequestHost } from './core/host.ts'
import { pooledRandom, uuidv7 } from './core/ids.ts'
import { platformSchedule } from './core/schedule.ts'
import { createReadQueue } from './http/bounded-queue.ts'
import { createCursors } from './http/cursors.ts'
import { createPlatformEncoder } from './http/encoding.ts'
import { createPipeline } from './http/pipeline.ts'
import { createPublicRateLimit } from './http/rate-limit.ts'
import { type Handler, mountRoutes } from './http/router.ts'
import { type AppOptions, checkAppOptions } from './options.ts'
import { payloadOf } from './routes/decrypt-body.ts'
import { DOCS_HEADERS } from './routes/docs.ts'
import { createHandlers } from './routes/index.ts'
import { assetHandler } from './routes/page.ts'
import { metricsHandler } from './routes/status.ts'
import { checkFinished, createStoreId } from './store/store-id.ts'
import { createEncryption } from './users/encryption.ts'
import { createLinks } from './users/links.ts'
import { ensureSecretCheck, verifySecretCheck } from './users/secret-check.ts'
import { createUsers, type NewUser } from './users/users.ts'

/**
 * The service as a function from requests to responses. The app opens no sockets or files, and uses timers only while
 * an event stream is open.
 */
export interface App {
  /**
   * Responds to a request. The promise never rejects: errors are responses, too.
   * @param host the address of the client and the request target, if the host knows them
   */
  fetch(request: Request, host?: RequestHost): Promise<Response>
  /** Works like `fetch`, but serves only `/metrics`, and no rate limit applies; see `metricsRoute`. */
  fetchMetrics(request: Request, host?: RequestHost): Promise<Response>
  /** The users, for hosts that create users themselves. */
  readonly users: {
    /** Creates a user, and generates each secret that is not given. Rejects with `user_exists` if the name is taken. */
    create(user: NewUser): Promise<CreatedUser>
    /** Finds a user by name, in any letter case. Resolves to `undefined` if no user has the name. */
    find(name: string): Promise<User | undefined>
    /** Returns a Fernet instance that encrypts and decrypts with the key of a user. */
    fernet(user: User): Promise<Fernet>
  }
  /** The administrators, for hosts that create the first administrator. */
  readonly admins: {
    /** Creates an administrator. Resolves to `undefined` if the name is taken. */
    create(username: string, password: string, role: AdminRole): Promise<Admin | undefined>
    exist(): Promise<boolean>
  }
  /**
   * Checks that the secrets decrypt the stored data. Also loads all code, so that no later request fails because a file
   * cannot be opened. A failed check writes nothing.
   * @throws DecryptionError
   * @throws StorageError `unfinished` if a copy into the store did not finish
   */
  checkSecrets(): Promise<void>
  /**
   * Checks that every stored catch belongs to a gamemode of the app. Catches of any other gamemode would stay stored,
   * but nobody could read them. The check takes about as long as `GET /admin/stats`.
   * @throws GamemodesError that gives the number of catches in other gamemodes, and the solution
   */
  checkGamemodes(): Promise<void>
  /**
   * Checks that the storage still contains the store that {@link checkSecrets} found, because a Redis may be emptied or
   * replaced. Call this function once a second.
   * @throws StorageError `replaced` or `unfinished`; until a later check succeeds, every request that needs the storage
   * fails
   */
  verifyStore(): Promise<void>
  /** Finishes the removals of users that were interrupted by a crash. Call this function once after the start. */
  finishRemovals(): Promise<void>
  /**
   * Ends all open streams of `/events`; their clients reconnect. Call this function when the host stops. Otherwise, the
   * streams stay open until their connections are closed.
   */
  closeStreams(): void
}

/** Capacity of the cache for responses with whole collections and profiles, in bytes. */
const CACHE_BYTES = 32 * 1024 * 1024
const SILENCE: Logger = { info() {}, warn() {}, error() {} }

/**
 * Creates the service. The same code serves sockets, mocks and tests; every platform-dependent part is an option.
 * @throws TypeError for an invalid option
 * @example
 * const app = createApp({ storage: createMemoryStorage(), secrets, passwords, version: '1.0.0' })
 * const response = await app.fetch(new Request('http://localhost/status'), { address: '127.0.0.1' })
 */
export function createApp(options: AppOptions): App {
  checkAppOptions(options)
  const { secrets, passwords, version, clientAddress, masterApiKey, tokenTtlSeconds, metrics, docs, pages, onRequest } =
    options
  const clock = options.clock ?? Date.now
  const random = options.random ?? pooledRandom((bytes) => crypto.getRandomValues(bytes))
  const logger = options.logger ?? SILENCE
  const allowedOrigins = options.allowedOrigins ?? []
  const rateLimit = options.rateLimit ?? { requests: LIMITS.requests, windowMs: LIMITS.windowSeconds * 1000 }
  const contentEncoder = options.contentEncoder ?? createPlatformEncoder()
  const gamemodes = createGamemodes(options.gamemodes ?? GAMEMODES)
  const createId = () => uuidv7(clock(), random)

  const encryption =
    options.encryption ?? createEncryption([secrets.encryption, ...(secrets.previousEncryption ?? [])], random)
  const storeId = createStoreId(options.storage, random)
  const storage = options.storage.observedBy({
    check: storeId.check,
    observe: (observation) => metrics?.observeStorage(observation),
  })
  const cursors = createCursors(secrets.session)
  const schedule = options.schedule ?? platformSchedule
  const queue = createPasswordQueue(schedule)
  const readQueue = createReadQueue(schedule)
  const responses = createEncodedResponses(contentEncoder, CACHE_BYTES)
  const queuedPasswords = {
    hash: (password: string, options?: HashOptions) =>
      queue.run({ client: '', work: () => passwords.hash(password, options) }),
  }
  const users = createUsers({ storage, cursors, encryption, passwords: queuedPasswords, clock, random })
  const admins = createAdmins({ storage, passwords: queuedPasswords, clock, random })
  const loginLimiter = createLoginLimiter(storage, clock)
  const sessions = createSessions({ secret: secrets.session, admins, createId, clock })
  const audit = createAudit(storage, cursors, clock, random)
  const shared = { allowedOrigins, clock, logger, metrics }
  const limitRate = createPublicRateLimit({ ...shared, storage, users, rateLimit, masterApiKey })
  const handlers = createHandlers({
    storage,
    storeId,
    users,
    admins,
    loginLimiter,
    links: createLinks({ storage, users, clock, random }),
    credentials: createCredentials({ users, admins, passwords, queue, loginLimiter, audit, clock, random }),
    sessions,
    audit,
    limitRate,
    schedule,
    readQueue,
    streams: options.streams ?? {},
    readCollection: createCollectionReader({ storage, responses, cursors, queue: readQueue }),
    responses,
    contentEncoder,
    logger,
    clock,
    createId,
    version,
    gamemodes,
    publicUrl: options.publicUrl,
    adminRateLimit: options.adminRateLimit ?? {
      requests: ACCOUNT_LIMITS.adminRequests,
      windowMs: ACCOUNT_LIMITS.adminWindowSeconds * 1000,
    },
    tokenTtlSeconds,
    publicLeaderboard: options.publicLeaderboard ?? false,
    species: options.species ?? {},
    isAccepting: options.isAccepting ?? (() => true),
    metrics: options.metricsRoute === false ? undefined : metrics,
    docs,
    pages,
    renderCard: options.renderCard,
  })
  const pipeline = {
    ...shared,
    limitRate,
    clientAddress,
    createId,
    responseClass: options.responseClass,
  }
  const h3 = createPipeline({
    ...pipeline,
    onRequest:
      onRequest &&
      (async (context, path) => {
        const { request, route = 'unmatched', params, query } = context
        return onRequest({ request, route, path, params, query, payload: () => payloadOf(users, context) })
      }),
  })
  const assets = (name: 'docs' | 'homePage', folder: string, handler: Handler) => ({
    name,
    path: `${folder}/:asset`,
    handler,
  })
  const extra = [
    ...(docs ? [assets('docs', ASSET_FOLDERS.docs, assetHandler(docs, DOCS_HEADERS))] : []),
    ...(pages ? [assets('homePage', ASSET_FOLDERS.pages, assetHandler(pages))] : []),
  ]
  mountRoutes(h3, handlers.byRoute, { extra, fallback: handlers.notFound })
  const metricsOnly = createPipeline({ ...pipeline, limitRate: async () => {} })
  mountRoutes(metricsOnly, metrics ? { metrics: metricsHandler(metrics, { storage, users, clock }) } : {})

  return {
    fetch: (request, host) => Promise.resolve(h3.request(request, undefined, { host })),
    fetchMetrics: (request, host) => Promise.resolve(metricsOnly.request(request, undefined, { host })),
    users,
    admins,
    async checkSecrets() {
      await Promise.all([handlers.load(), sessions.load()])
      await checkFinished(options.storage)
      // Verify the secrets before the store gets an id, so that a wrong secret changes nothing.
      await verifySecretCheck(options.storage, encryption)
      await storeId.get()
      await ensureSecretCheck(options.storage, encryption)
    },
    checkGamemodes: () => checkStoredGamemodes(options.storage, gamemodes),
    verifyStore: storeId.verify,
    finishRemovals: users.finishRemovals,
    closeStreams: handlers.closeStreams,
  }
}
