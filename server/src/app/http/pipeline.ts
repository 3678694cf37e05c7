import { ROUTES } from '@fish-crab/sdk/contract'
import { H3, type H3Event } from 'h3'
import { StorageError } from '../../storage/errors.ts'
import type { Logger, Metrics, RequestHost } from '../core/host.ts'
import { clientKey } from './client-address.ts'
import { accessOf, createRequestContext, type RequestContext } from './context.ts'
import { type CorsRequest, corsHeaders, isPreflight, preflightHeaders } from './cors.ts'
import { HttpError } from './http-error.ts'
import { targetMistake } from './path.ts'
import type { RateLimitMiddleware } from './rate-limit.ts'
import { empty, errorResponse, type HandlerResponse, responseInit } from './response.ts'
import { contextOf, methodLabel, routeLabel, setContext } from './router.ts'

/** What {@link createPipeline} builds on. */
interface PipelineOptions {
  readonly limitRate: RateLimitMiddleware
  readonly clientAddress: ((request: Request) => string) | undefined
  readonly createId: () => string
  readonly allowedOrigins: readonly string[]
  readonly clock: () => number
  readonly logger: Logger
  readonly metrics: Metrics | undefined
  readonly responseClass: () => typeof Response
}

const NO_ADDRESS =
  'Pass the address with each request, app.fetch(request, { address }), or give createApp() a clientAddress that returns it as a string.'

/**
 * What every request goes through, whatever it asks for: its context is opened, CORS and the rate limit come before
 * its route, and whatever is answered or thrown leaves as one response that is logged and measured.
 */
export function createPipeline(options: PipelineOptions): H3 {
  const { limitRate, clientAddress, createId, allowedOrigins, clock, logger, metrics, responseClass } = options

  /** Empty, and logged, where the host does not provide it. */
  function addressOf({ req, context: { host } }: H3Event): string {
    try {
      const given = (host as RequestHost | undefined)?.address
      const address: unknown = typeof given === 'string' ? given : clientAddress?.(req)
      if (typeof address === 'string' && address !== '') return address
      throw new TypeError(NO_ADDRESS)
    } catch (err) {
      logger.error({ err }, 'the address of the client is unknown')
      return ''
    }
  }

  async function respond(context: RequestContext, target: unknown, route: () => unknown): Promise<HandlerResponse> {
    const { request, responseHeaders } = context
    try {
      // All such clients together would share one rate limit.
      if (context.address === '') return errorResponse(new HttpError('internal_error'), context.requestId)
      if (isPreflight(request)) {
        const asked = corsRequest(context, request.headers.get('access-control-request-method') ?? request.method)
        Object.assign(responseHeaders, preflightHeaders(asked, allowedOrigins))
        return empty(204)
      }
      Object.assign(responseHeaders, corsHeaders(corsRequest(context, request.method), allowedOrigins))
      await limitRate(context)
      const message = typeof target === 'string' ? targetMistake(target) : undefined
      if (message !== undefined) throw new HttpError('malformed_request', { message })
      const answer = (await route()) as HandlerResponse
      if (!request.signal.aborted) return answer
      await discardBody(answer)
      throw request.signal.reason
    } catch (error) {
      return errorResponse(toHttpError(error, logger, context), context.requestId)
    }
  }

  const h3 = new H3({
    silent: true,
    allowMalformedURL: true,
    onRequest(event) {
      const address = addressOf(event)
      const client = clientKey(address)
      const context = createRequestContext(event.req, { now: clock(), address, client, accessOf, createId })
      setContext(event, context)
      // Setting it costs a parse.
      if (event.url.pathname !== context.path) event.url.pathname = context.path
    },
  })
  h3.use(async (event, next) => {
    const startedAt = metrics?.now() ?? 0
    const context = contextOf(event)
    const answer = await respond(context, (event.context.host as RequestHost | undefined)?.target, next)
    logResponse(logger, context, answer, clock())
    metrics?.observeRequest({
      route: routeLabel(context),
      method: methodLabel(context.request),
      status: answer.status,
      seconds: (metrics.now() - startedAt) / 1000,
    })
    const { method } = context.request
    const body = method === 'HEAD' ? await discardBody(answer) : answer.body
    const ResponseClass = responseClass()
    return new ResponseClass(body, responseInit(answer, context.responseHeaders))
  })
  return h3
}

function corsRequest({ request, path, access }: RequestContext, method: string): CorsRequest {
  return { origin: request.headers.get('origin'), method, path, access }
}

/** What is left of a body that nobody reads, as that of an answer to `HEAD`. */
async function discardBody({ body }: HandlerResponse): Promise<null> {
  if (body instanceof ReadableStream) await body.cancel()
  return null
}

/** What a client may know of an error; the rest is for the log. */
function toHttpError(error: unknown, logger: Logger, { request, requestId }: RequestContext): HttpError {
  // A refusal without a cause is meant: the line of the request in the log says all there is.
  if (error instanceof HttpError && (error.status < 500 || error.cause === undefined)) return error
  if (request.signal.aborted) {
    logger.info({ requestId }, 'the client went away')
    return new HttpError('client_closed_request')
  }
  const failure =
    error instanceof HttpError
      ? error
      : new HttpError(error instanceof StorageError ? 'storage_error' : 'internal_error')
  logger.error({ requestId, code: failure.code, err: error }, 'a request failed')
  return failure
}

/**
 * Logs an answer in one line. Neither the query nor any header of the request is in it: API keys, passwords and
 * sessions travel there, and some clients put them where they do not belong.
 */
function logResponse(logger: Logger, context: RequestContext, { status, headers }: HandlerResponse, now: number): void {
  const { request, requestId, address, receivedAt } = context
  const length = headers['content-length']
  const bytes = length === undefined ? {} : { bytes: Number(length) }
  const route = routeLabel(context)
  // A path that nobody serves is free text, and so are parameters: what was pasted there by mistake may be a key.
  const path = route === 'unmatched' ? {} : { path: context.pattern ?? ROUTES[route].path }
  const fields = { requestId, method: request.method, ...path, route, status, ms: now - receivedAt, ...bytes, address }
  logger.info(fields, 'request')
}
