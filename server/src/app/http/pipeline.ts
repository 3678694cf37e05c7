import { H3, type H3Event } from 'h3'
import type { Logger, Metrics, RequestHost, RequestObservation } from '../core/host.ts'
import { createRequestContext, METHODS, type RequestContext } from './context.ts'
import { applyCors } from './cors.ts'
import { HttpError, toHttpError } from './http-error.ts'
import { canonicalPath } from './path.ts'
import { LIMITED, type PublicRateLimit } from './rate-limit.ts'
import { addHeaders, empty, errorResponse, type HandlerResponse } from './response.ts'
import { matchOf } from './router.ts'

interface PipelineOptions {
  readonly limitRate: PublicRateLimit
  readonly clientAddress: ((request: Request) => string) | undefined
  readonly createId: () => string
  readonly allowedOrigins: readonly string[]
  readonly clock: () => number
  readonly logger: Logger
  readonly metrics: Metrics | undefined
  /** Responds to a request instead of the app. @default none */
  readonly onRequest?: ((context: RequestContext, path: string) => Promise<Response | undefined>) | undefined
  /** @default the global class at the time of the request */
  readonly responseClass: typeof Response | undefined
}

const NO_ADDRESS =
  'Pass the address with each request, app.fetch(request, { address }), or give createApp() a clientAddress that returns it as a string.'

/**
 * Creates the pipeline of every request: context, CORS, rate limit, route and response. Every response is logged and
 * measured, including error responses.
 */
export function createPipeline(options: PipelineOptions): H3 {
  const { limitRate, clientAddress, createId, allowedOrigins, clock, logger, metrics, onRequest, responseClass } =
    options

  function addressOf(request: Request, host: RequestHost | undefined): string {
    try {
      const address: unknown = typeof host?.address === 'string' ? host.address : clientAddress?.(request)
      if (typeof address === 'string' && address !== '') return address
      throw new TypeError(NO_ADDRESS)
    } catch (err) {
      logger.error({ err }, 'the address of the client is unknown')
      return ''
    }
  }

  async function respond(context: RequestContext, route: () => unknown): Promise<HandlerResponse> {
    const { request, requestId, targetError } = context
    try {
      // Refuse the request, because all clients without an address would share one rate limit.
      if (context.address === '') return errorResponse(new HttpError('internal_error'), requestId)
      if (applyCors(context, allowedOrigins)) return empty(204)
      if (context.access === LIMITED) await limitRate(context)
      if (targetError !== undefined) throw new HttpError('malformed_request', { message: targetError })
      const response = (await route()) as HandlerResponse
      if (!context.isClosed()) return response
      await discardBody(response)
      throw request.signal.reason
    } catch (error) {
      return errorResponse(toHttpError(error, logger, context), requestId)
    }
  }

  const h3 = new H3({
    silent: true,
    allowMalformedURL: true,
    onRequest(event) {
      const path = canonicalPath(event.req.url)
      // Setting `pathname` parses the URL, so set `pathname` only if the path differs.
      if (event.url.pathname !== path) event.url.pathname = path
    },
  })
  h3.use(async (event: H3Event, next) => {
    const startedAt = performance.now()
    const host = event.context.host as RequestHost | undefined
    const context = createRequestContext(event.req, {
      match: matchOf(event),
      now: clock(),
      address: addressOf(event.req, host),
      host,
      createId,
    })
    event.context.request = context
    const replacement = onRequest && (await onRequest(context, event.url.pathname))
    if (replacement) return replacement
    const response = await respond(context, next)
    logResponse(logger, context, response, clock())
    metrics?.observeRequest({
      route: context.route ?? 'unmatched',
      method: methodLabel(context.request),
      status: response.status,
      ...(response.code === undefined ? {} : { code: response.code }),
      seconds: (performance.now() - startedAt) / 1000,
    })
    const body = context.request.method === 'HEAD' ? await discardBody(response) : response.body
    const ResponseClass = responseClass ?? Response
    addHeaders(response, context.responseHeaders)
    return new ResponseClass(body, { status: response.status, headers: context.responseHeaders })
  })
  return h3
}

async function discardBody({ body }: HandlerResponse): Promise<null> {
  if (body instanceof ReadableStream) await body.cancel()
  return null
}

/** Logs a response. The line contains no query and no headers, because clients may put keys and passwords into both. */
function logResponse(
  logger: Logger,
  { request, requestId, address, receivedAt, route, path, player, gamemode }: RequestContext,
  { status, headers, code }: HandlerResponse,
  now: number,
): void {
  const length = headers['content-length']
  logger.info(
    {
      requestId,
      method: request.method,
      // Unknown paths and parameters are free text: someone may have pasted a key there by mistake.
      path: route && path,
      route: route ?? 'unmatched',
      status,
      ms: now - receivedAt,
      bytes: length === undefined ? undefined : Number(length),
      address,
      ...(code === undefined ? {} : { code, player, gamemode }),
    },
    'request',
  )
}

/** Returns `other` for an unknown method, because clients may invent any number of methods. */
function methodLabel({ method }: Request): RequestObservation['method'] {
  return METHODS.find((known) => known === method) ?? 'other'
}
