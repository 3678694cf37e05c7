import { H3, type H3Event } from 'h3'
import { StorageError } from '../../storage/errors.ts'
import type { Admission } from '../admission.ts'
import { clientKey } from '../limits/client.ts'
import type { Metrics } from '../metrics.ts'
import type { AppOptions, Logger, RequestHost } from '../options.ts'
import { logAnswer } from './access-log.ts'
import { type Answer, empty, failed, responseInit } from './answer.ts'
import { audienceOf } from './audience.ts'
import { type CorsRequest, corsHeaders, isPreflight, preflightHeaders } from './cors.ts'
import { type Exchange, openExchange } from './exchange.ts'
import { Failure } from './failure.ts'
import { targetMistake } from './path.ts'
import { methodLabel, routeLabel } from './route-label.ts'
import { exchangeOf, keepExchange } from './router.ts'

/** What {@link createPipeline} builds on. */
export interface PipelineContext {
  readonly admit: Admission
  readonly clientAddress: AppOptions['clientAddress']
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
 * What every request goes through, whatever it asks for: its exchange is opened, CORS and the rate limit come before
 * its route, and whatever is answered or thrown leaves as one response that is logged and measured.
 */
export function createPipeline(context: PipelineContext): H3 {
  const { admit, clientAddress, createId, allowedOrigins, clock, logger, metrics, responseClass } = context

  /** Empty, and logged, where the host does not provide it. */
  function addressOf({ req, context }: H3Event): string {
    try {
      const given = (context.host as RequestHost | undefined)?.address
      const address: unknown = typeof given === 'string' ? given : clientAddress?.(req)
      if (typeof address === 'string' && address !== '') return address
      throw new TypeError(NO_ADDRESS)
    } catch (err) {
      logger.error({ err }, 'the address of the client is unknown')
      return ''
    }
  }

  async function answerTo(exchange: Exchange, target: unknown, route: () => unknown): Promise<Answer> {
    const { request, answerHeaders } = exchange
    try {
      // All such clients together would share one rate limit.
      if (exchange.address === '') return failed(new Failure('internal_error'), exchange.requestId)
      if (isPreflight(request)) {
        const asked = corsRequest(exchange, request.headers.get('access-control-request-method') ?? request.method)
        Object.assign(answerHeaders, preflightHeaders(asked, allowedOrigins))
        return empty(204)
      }
      Object.assign(answerHeaders, corsHeaders(corsRequest(exchange, request.method), allowedOrigins))
      await admit(exchange)
      const message = typeof target === 'string' ? targetMistake(target) : undefined
      if (message !== undefined) throw new Failure('malformed_request', { message })
      const answer = (await route()) as Answer
      if (!request.signal.aborted) return answer
      await unread(answer)
      throw request.signal.reason
    } catch (error) {
      return failed(toFailure(error, logger, exchange), exchange.requestId)
    }
  }

  const h3 = new H3({
    silent: true,
    allowMalformedURL: true,
    onRequest(event) {
      const address = addressOf(event)
      const client = clientKey(address)
      const exchange = openExchange(event.req, { now: clock(), address, client, audienceOf, createId })
      keepExchange(event, exchange)
      // Setting it costs a parse.
      if (event.url.pathname !== exchange.path) event.url.pathname = exchange.path
    },
  })
  h3.use(async (event, next) => {
    const startedAt = metrics?.now() ?? 0
    const exchange = exchangeOf(event)
    const answer = await answerTo(exchange, (event.context.host as RequestHost | undefined)?.target, next)
    logAnswer(logger, exchange, answer, clock())
    metrics?.observeRequest({
      route: routeLabel(exchange),
      method: methodLabel(exchange.request),
      status: answer.status,
      seconds: (metrics.now() - startedAt) / 1000,
    })
    const { method } = exchange.request
    const body = method === 'HEAD' ? await unread(answer) : answer.body
    const ResponseClass = responseClass()
    return new ResponseClass(body, responseInit(answer, exchange.answerHeaders))
  })
  return h3
}

function corsRequest({ request, path, audience }: Exchange, method: string): CorsRequest {
  return { origin: request.headers.get('origin'), method, path, audience }
}

/** What is left of a body that nobody reads, as that of an answer to `HEAD`. */
async function unread({ body }: Answer): Promise<null> {
  if (body instanceof ReadableStream) await body.cancel()
  return null
}

/** What a client may know of an error; the rest is for the log. */
function toFailure(error: unknown, logger: Logger, { request, requestId }: Exchange): Failure {
  // A refusal without a cause is meant: the line of the request in the log says all there is.
  if (error instanceof Failure && (error.status < 500 || error.cause === undefined)) return error
  if (request.signal.aborted) {
    logger.info({ requestId }, 'the client went away')
    return new Failure('client_closed_request')
  }
  const failure =
    error instanceof Failure ? error : new Failure(error instanceof StorageError ? 'storage_error' : 'internal_error')
  logger.error({ requestId, code: failure.code, err: error }, 'a request failed')
  return failure
}
