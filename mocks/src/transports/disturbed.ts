import { nextTurns } from '../mock/next-turns.ts'
import type { Disturbance } from '../mock/outcome.ts'
import { isBodiless } from './bodiless.ts'

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
  if (isBodiless(method, response)) return response
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
        await nextTurns()
        controller.error(failure())
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { status: response.status, headers })
}
