import { generate } from './generate.ts'
import type { PlainRequest } from './plain-request.ts'
import { sendAll } from './send-all.ts'
import { TRANSPORTS, type Transports } from './transports.ts'

/** The first request of a sequence to which two transports respond differently. */
export interface Difference {
  readonly seed: number
  /** The zero-based index of the request in the sequence. */
  readonly index: number
  /** The names of the reference transport and of the transport whose response differs from the reference. */
  readonly transports: readonly [string, string]
  readonly responses: readonly [string, string]
}

/** The result of sending one sequence of requests through all transports and comparing the responses. */
export interface Comparison {
  readonly seed: number
  readonly requests: readonly PlainRequest[]
  /** The responses of the first transport, which is the reference. */
  readonly responses: readonly string[]
  /** The first difference of each transport that differs from the reference. */
  readonly differences: readonly Difference[]
}

/**
 * Sends the requests of a seed through every transport, each with a separate mock, and compares the responses one by
 * one.
 */
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

/** Sends requests through a transport, given by name. */
export function sendThrough(transports: Transports, name: string, seed: number, requests: readonly PlainRequest[]) {
  const open = transports[name]
  if (!open) throw new Error(`There is no transport "${name}".`)
  return sendAll(open, seed, requests)
}

/** Returns the index of the first request to which two transports respond differently, with both responses. */
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
