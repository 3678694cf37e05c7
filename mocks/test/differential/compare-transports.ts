import { generate } from './generate.ts'
import type { PlainRequest } from './plain-request.ts'
import { sendAll } from './send-all.ts'
import { TRANSPORTS, type Transports } from './transports.ts'

/** A request with different responses from two transports. */
export interface Difference {
  readonly seed: number
  /** Which one of the sequence, from 0. */
  readonly index: number
  /** The names of the two: the reference, and the one that differs from it. */
  readonly transports: readonly [string, string]
  readonly responses: readonly [string, string]
}

/** The result of a sequence. */
export interface Comparison {
  readonly seed: number
  readonly requests: readonly PlainRequest[]
  /** The responses of the reference, the first transport. */
  readonly responses: readonly string[]
  /** The first one of each transport that has any. */
  readonly differences: readonly Difference[]
}

/** Sends the requests of a seed through every transport, each in a mock of its own, and compares them response by response. */
export async function compareTransports(
  seed: number,
  count: number,
  transports: Transports = TRANSPORTS,
): Promise<Comparison> {
  const requests = await generate(seed, count)
  const [reference = '', ...others] = Object.keys(transports)
  const responses = await sendThrough(transports, reference, seed, requests)
  const differences: Difference[] = []
  for (const other of others) {
    const found = firstDifference(responses, await sendThrough(transports, other, seed, requests))
    if (found) differences.push({ seed, transports: [reference, other], ...found })
  }
  return { seed, requests, responses, differences }
}

/** Sends requests through the transport of a name. */
export function sendThrough(transports: Transports, name: string, seed: number, requests: readonly PlainRequest[]) {
  const open = transports[name]
  if (!open) throw new Error(`There is no transport "${name}".`)
  return sendAll(open, seed, requests)
}

/** The first different response of two transports. */
export function firstDifference(
  ones: readonly string[],
  others: readonly string[],
): Pick<Difference, 'index' | 'responses'> | undefined {
  for (const [index, one] of ones.entries()) {
    const other = others[index] ?? ''
    if (one !== other) return { index, responses: [one, other] }
  }
  return undefined
}
