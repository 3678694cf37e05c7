import { createNormalizer, type Seen } from './compare.ts'
import { type Learned, learn, type PlainRequest, resolved } from './plain-request.ts'
import type { OpenLaneOf } from './transports.ts'

/** How long a response may take, in milliseconds: far more than it does. */
const PATIENCE_MS = 10_000

/** Plays requests one after the other through one transport, in a fresh mock. */
export async function play(open: OpenLaneOf, seed: number, requests: readonly PlainRequest[]): Promise<string[]> {
  await using transport = await open(seed)
  const normalized = createNormalizer()
  const learned: Learned = new Map()
  const responses: string[] = []
  for (const request of requests) {
    if (request.advanceMs) await transport.advance(request.advanceMs)
    const seen = await inTime(transport.send(resolved(request, learned))).catch(failure)
    if (!('failed' in seen)) learn(learned, seen)
    responses.push(normalized(seen))
  }
  return responses
}

async function inTime<Answer>(response: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no response')), PATIENCE_MS)
  })
  return Promise.race([response, late]).finally(() => clearTimeout(timer))
}

function failure(error: Error & { readonly code?: string; readonly cause?: { readonly code?: string } }): Seen {
  return { failed: `${error.name} ${error.code ?? error.cause?.code ?? ''} ${error.message}` }
}
