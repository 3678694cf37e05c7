import { createNormalizer, type Received } from './normalize.ts'
import { type Learned, learn, type PlainRequest, resolved } from './plain-request.ts'
import type { OpenTransport } from './transports.ts'

/** Maximum time for a response, in milliseconds. Real responses take far less time. */
const PATIENCE_MS = 10_000

/** Sends requests one after another through one transport to a new mock, and returns the normalized responses. */
export async function sendAll(open: OpenTransport, seed: number, requests: readonly PlainRequest[]): Promise<string[]> {
  await using transport = await open(seed)
  const normalized = createNormalizer()
  const learned: Learned = new Map()
  const responses: string[] = []
  for (const request of requests) {
    if (request.advanceMs) await transport.advance(request.advanceMs)
    const received = await inTime(transport.send(resolved(request, learned))).catch(failure)
    if (!('failed' in received)) learn(learned, received)
    responses.push(normalized(received))
  }
  return responses
}

async function inTime<Result>(response: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no response')), PATIENCE_MS)
  })
  return Promise.race([response, late]).finally(() => clearTimeout(timer))
}

function failure(error: Error & { readonly code?: string; readonly cause?: { readonly code?: string } }): Received {
  return { failed: `${error.name} ${error.code ?? error.cause?.code ?? ''} ${error.message}` }
}
