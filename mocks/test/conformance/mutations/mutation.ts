import type { SendRequest } from '@fish-crab/mocks/conformance'

/** A change to a service that violates the contract in one way. */
export interface Mutation {
  /** The violation, as a predicate that completes the sentence "a service that …". */
  readonly name: string
  /** Wraps the `fetch` of a service. Each call has separate state. */
  readonly around: (send: SendRequest) => SendRequest
}

export type Json = Record<string, unknown>
type Which = (request: Request, path: string) => boolean

/** Creates a mutation that replaces the handling of some requests. */
export function onRequest(
  name: string,
  which: Which,
  respond: (request: Request, send: SendRequest) => Promise<Response>,
): Mutation {
  return {
    name,
    around: (send) => (request) =>
      which(request, new URL(request.url).pathname) ? respond(request, send) : send(request),
  }
}

/** Creates a mutation that changes some responses. */
export function onResponse(
  name: string,
  which: (request: Request, response: Response, path: string) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): Mutation {
  return {
    name,
    around: (send) => async (request) => {
      const response = await send(request)
      return which(request, response, new URL(request.url).pathname) ? change(response, request) : response
    },
  }
}

/** Returns a copy of a response with a changed status or changed headers. The value `null` removes a header. */
export function changed(
  response: Response,
  { status = response.status, headers = {} }: { status?: number; headers?: Readonly<Record<string, string | null>> },
): Response {
  const next = new Headers(response.headers)
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  return new Response(status === 204 || status === 304 ? null : response.body, { status, headers: next })
}

/** Creates a mutation that removes a header from some responses. */
export function dropHeader(header: string, which: (request: Request) => boolean = () => true): Mutation {
  const name = `drops ${header}`
  return onResponse(name, which, (response) => changed(response, { headers: { [header]: null } }))
}

/** Creates a mutation that changes the JSON of some responses. */
export function onJson(
  name: string,
  which: (path: string, request: Request, response: Response) => boolean,
  change: (body: Json, request: Request) => unknown,
): Mutation {
  return onResponse(
    name,
    (request, response, path) =>
      request.method !== 'HEAD' &&
      response.headers.get('content-type') === 'application/json' &&
      !response.headers.has('content-encoding') &&
      which(path, request, response),
    async (response, request) => {
      const body = change((await response.json()) as Json, request)
      const headers = new Headers(response.headers)
      headers.delete('content-length')
      return new Response(JSON.stringify(body), { status: response.status, headers })
    },
  )
}

/** Returns a copy of a request with a changed URL or changed headers. The value `null` removes a header. */
export function changedRequest(
  request: Request,
  { url = request.url, headers = {} }: { url?: string; headers?: Readonly<Record<string, string | null>> },
): Request {
  const next = new Headers(request.headers)
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  const { method, body, signal } = request
  const init: RequestInit & { duplex: 'half' } = { method, body, signal, headers: next, duplex: 'half' }
  return new Request(url, init)
}

/** Creates a JSON response with a made-up request id. */
export function madeUp(status: number, body: unknown): Response {
  const headers = { 'x-request-id': 'made-up' }
  return Response.json(body, { status, headers })
}

/** Creates an error response with a valid body. */
export function madeUpError(status: number, code: string): Response {
  return madeUp(status, { error: 'Something is wrong.', code, requestId: 'made-up' })
}

export const isSuccess = ({ status }: Response) => status >= 200 && status < 300
export const isRead = (path: string) => /\/get\/(fish|crab)\/?$/.test(path)
export const isWrite = (path: string) => /\/post\/(fish|crab)\/?$/.test(path)
