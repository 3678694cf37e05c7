import { type Difference, firstDifference, sendThrough } from './compare-transports.ts'
import type { PlainRequest } from './plain-request.ts'
import { TRANSPORTS, type Transports } from './transports.ts'

/** Maximum number of further comparisons of the two transports. */
const TRIES = 80

/** A shortened sequence. The last request is the request whose responses differ. */
export interface Shrunk {
  readonly requests: readonly PlainRequest[]
  readonly difference: Difference
}

/**
 * Removes every earlier request, and every header of the last request, that is not needed to reproduce the difference.
 */
export async function shrink(
  requests: readonly PlainRequest[],
  difference: Difference,
  transports: Transports = TRANSPORTS,
): Promise<Shrunk> {
  const { seed } = difference
  let remaining: readonly PlainRequest[] = requests.slice(0, difference.index + 1)
  let found = difference
  let tries = TRIES

  async function attempt(fewer: readonly PlainRequest[]): Promise<boolean> {
    if (tries <= 0) return false
    tries -= 1
    const ones = await sendThrough(transports, difference.transports[0], seed, fewer)
    const still = firstDifference(ones, await sendThrough(transports, difference.transports[1], seed, fewer))
    if (!still) return false
    remaining = fewer.slice(0, still.index + 1)
    found = { ...difference, ...still }
    return true
  }

  await attempt(remaining.slice(-1))
  for (let size = remaining.length >> 1; size >= 1; size >>= 1) {
    for (let start = 0; start < remaining.length - 1; ) {
      const end = Math.min(start + size, remaining.length - 1)
      if (!(await attempt([...remaining.slice(0, start), ...remaining.slice(end)]))) start = end
    }
  }
  for (const header of remaining.at(-1)?.headers ?? []) {
    const last = remaining.at(-1)
    if (last)
      await attempt([...remaining.slice(0, -1), { ...last, headers: last.headers.filter((one) => one !== header) }])
  }
  return { requests: remaining, difference: found }
}

const SHOWN = 1500

/** Describes a difference, with the seed and the requests that reproduce the difference. */
export function describeDifference({ requests, difference }: Shrunk): string {
  const { seed, transports, responses } = difference
  return [
    `Seed ${seed}: ${transports.join(' and ')} respond to the last of these requests differently. In mocks of this seed, send:`,
    ...requests.map((request) => `  ${JSON.stringify(request).slice(0, SHOWN)}`),
    ...transports.map(
      (transport, side) => `${transport}:\n${(responses[side] ?? '').slice(0, SHOWN).replace(/^/gm, '  | ')}`,
    ),
  ].join('\n')
}
