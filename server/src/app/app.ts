import { LIMITS, ROUTES } from '@fish-crab/sdk/contract'
import { H3, type H3Event } from 'h3'
import { StorageError } from '../storage/errors.ts'
import { createAdmission } from './admission.ts'
import { type Admins, createAdmins } from './auth/admins.ts'
import { createAudit } from './auth/audit.ts'
import { createCredentials } from './auth/credentials.ts'
import { createLoginGuard } from './auth/login-guard.ts'
import { createSessions } from './auth/sessions.ts'
import { createCollectionAnswerer } from './catches/collection-answer.ts'
import { guardedStorage } from './guarded-storage.ts'
import { logAnswer } from './http/access-log.ts'
import { empty, failed } from './http/answer.ts'
import { audienceOf } from './http/audience.ts'
import { type CorsRequest, corsHeaders, isPreflight, preflightHeaders } from './http/cors.ts'
import { type Exchange, openExchange } from './http/exchange.ts'
import { Failure } from './http/failure.ts'
import { methodLabel, routeLabel } from './http/route-label.ts'
import { mountRoutes } from './http/router.ts'
import { uuidv7 } from './ids.ts'
import { clientKey } from './limits/client.ts'
import { measuredStorage } from './measured-storage.ts'
import type { AppOptions, Logger } from './options.ts'
import { docsAssetHandler } from './routes/docs.ts'
import { createHandlers } from './routes/index.ts'
import { createStoreIdentity } from './store-identity.ts'
import { checkFinished } from './store-mark.ts'
import { checkSeal, openSealCheck } from './users/seal-check.ts'
import { createUsers, type Users } from './users/users.ts'
import { createVault } from './users/vault.ts'

/** The service as a program from requests to responses. It holds no sockets, files or timers. */
export interface App {
  /** Answers a request. Never rejects: what goes wrong is an answer too. */
  fetch(request: Request): Promise<Response>
  /** The users, for hosts that create some on their own behalf. */
  readonly users: Pick<Users, 'create' | 'find'>
  /** The administrators, for hosts that make the first one. */
  readonly admins: Pick<Admins, 'create' | 'exist'>
  /**
   * Settles when the secrets at hand open the stored data; rejects when not, and has written nothing. From then on, the
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
 * @example
 * const app = createApp({ storage: createMemoryStorage(), secrets, passwords, version: '1.0.0', clientAddress: () => '127.0.0.1' })
 * const response = await app.fetch(new Request('http://localhost/status'))
 */
export function createApp(options: AppOptions): App {
  const { secrets, passwords, version, clientAddress, masterApiKey, tokenTtlSeconds, metrics, docs } = options
  const anyStorage = metrics ? measuredStorage(options.storage, metrics) : options.storage
  const clock = options.clock ?? Date.now
  const random = options.random ?? ((bytes) => crypto.getRandomValues(bytes))
  const logger = options.logger ?? SILENCE
  const allowedOrigins = options.allowedOrigins ?? []
  const rateLimit = options.rateLimit ?? { requests: LIMITS.requests, windowMs: LIMITS.windowSeconds * 1000 }
  const createId = () => uuidv7(clock(), random)

  const vault = createVault([secrets.seal, ...(secrets.sealPrevious ?? [])], random)
  const identity = createStoreIdentity({ storage: anyStorage, random, clock })
  const storage = guardedStorage(anyStorage, identity)
  const users = createUsers({ storage, identity, vault, passwords, clock, random })
  const admins = createAdmins({ storage, identity, passwords, clock, random })
  const guard = createLoginGuard(storage, clock)
  const handlers = createHandlers({
    storage,
    identity,
    users,
    admins,
    credentials: createCredentials({ users, admins, identity, passwords, guard }),
    sessions: createSessions({ secret: secrets.session, admins, identity, clock }),
    audit: createAudit(storage, clock, random),
    answerCollection: createCollectionAnswerer(storage),
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
    metrics,
    docs,
  })
  const admit = createAdmission({ storage, users, rateLimit, masterApiKey, allowedOrigins, clock, logger, metrics })

  const h3 = new H3({
    silent: true,
    allowMalformedURL: true,
    onRequest(event) {
      const address = clientAddress(event.req)
      const client = clientKey(address)
      const exchange = openExchange(event.req, { now: clock(), address, client, audienceOf, createId })
      event.context.exchange = exchange
      event.context.startedAt = metrics?.now()
      event.url.pathname = exchange.path
    },
    onResponse(response, event) {
      const exchange = exchangeOf(event)
      for (const [name, value] of exchange.answerHeaders) {
        if (name === 'vary') response.headers.append(name, value)
        else response.headers.set(name, value)
      }
      logAnswer(logger, exchange, response, clock())
      metrics?.observeRequest({
        route: routeLabel(exchange),
        method: methodLabel(exchange.request),
        status: response.status,
        seconds: (metrics.now() - Number(event.context.startedAt)) / 1000,
      })
    },
  })
  h3.use(async (event, next) => {
    try {
      return await next()
    } catch (error) {
      return failed(toFailure(error, logger, exchangeOf(event)), exchangeOf(event).requestId)
    }
  })
  h3.use((event, next) => {
    const exchange = exchangeOf(event)
    const preflight = isPreflight(exchange.request)
    const headers = preflight
      ? preflightHeaders(corsRequest(exchange, 'access-control-request-method'), allowedOrigins)
      : corsHeaders(corsRequest(exchange), allowedOrigins)
    for (const [name, value] of Object.entries(headers)) exchange.answerHeaders.set(name, value)
    return preflight ? empty(204) : next()
  })
  h3.use(async (event, next) => {
    await admit(exchangeOf(event))
    return next()
  })
  const below = docs
    ? [{ name: 'docs', path: `${ROUTES.docs.path}/:asset`, handler: docsAssetHandler(docs) } as const]
    : []
  mountRoutes(h3, handlers, exchangeOf, below)

  return {
    fetch: async (request) => h3.fetch(request),
    users,
    admins,
    async checkSecrets() {
      await checkFinished(anyStorage)
      // Before the store gets an id: a wrong secret changes nothing.
      await openSealCheck(anyStorage, vault)
      await identity.remember()
      await checkSeal(anyStorage, vault)
    },
    verifyStore: identity.verify,
  }
}

function exchangeOf(event: H3Event): Exchange {
  return event.context.exchange as Exchange
}

function corsRequest({ request, path, audience }: Exchange, methodHeader?: string): CorsRequest {
  const method = (methodHeader && request.headers.get(methodHeader)) || request.method
  return { origin: request.headers.get('origin'), method, path, audience }
}

/** What a client may know of an error; the rest is for the log. */
function toFailure(error: unknown, logger: Logger, { request, requestId }: Exchange): Failure {
  if (error instanceof Failure && error.status < 500) return error
  if (request.signal.aborted) {
    logger.info({ requestId }, 'the client went away')
    return new Failure('client_closed_request')
  }
  const failure =
    error instanceof Failure ? error : new Failure(error instanceof StorageError ? 'storage_error' : 'internal_error')
  logger.error({ requestId, code: failure.code, err: error }, 'a request failed')
  return failure
}
