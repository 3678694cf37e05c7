import type { Disturbance } from '../world/outcome.ts'

/** Statuses whose answers never have a body (RFC 9110, section 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Kept, since fake timers replace the global one, and no test means to stop the network with them. */
const { setTimeout: later } = globalThis

/** What disturbs a body. */
export type BodyDisturbance = Extract<Disturbance, { kind: 'cut-body' }>

/**
 * An answer of whose body a share arrives, and never its end. One that has no body is whole.
 * @param failure what reading the body fails with
 */
export async function disturbedBody(
  method: string,
  response: Response,
  { share }: BodyDisturbance,
  failure: () => Error,
): Promise<Response> {
  if (method === 'HEAD' || BODILESS.has(response.status)) return response
  const body = new Uint8Array(await response.arrayBuffer())
  const headers = new Headers(response.headers)
  headers.set('content-length', String(Math.max(body.byteLength, 1)))
  // An empty piece lets the headers leave.
  const pieces = [body.subarray(0, Math.floor(body.byteLength * share))]
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = pieces.shift()
        if (piece) return controller.enqueue(piece)
        await new Promise((resolve) => later(resolve, 0))
        controller.error(failure())
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { status: response.status, headers })
}
