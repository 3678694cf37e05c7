import { generate } from './generate.ts'
import { LANES, type Lanes } from './lanes.ts'
import type { PlainRequest } from './plain-request.ts'
import { play } from './play.ts'

/** A request that two lanes answered differently. */
export interface Difference {
  readonly seed: number
  /** Which one of the sequence, from 0. */
  readonly index: number
  /** The names of the two: the reference, and the one that differs from it. */
  readonly lanes: readonly [string, string]
  readonly answers: readonly [string, string]
}

/** What became of a sequence. */
export interface Episode {
  readonly seed: number
  readonly requests: readonly PlainRequest[]
  /** The answers of the reference, the first lane. */
  readonly answers: readonly string[]
  /** The first one of each lane that has any. */
  readonly differences: readonly Difference[]
}

/** Plays the requests of a seed through every lane, each in a world of its own, and compares them answer by answer. */
export async function playEpisode(seed: number, count: number, lanes: Lanes = LANES): Promise<Episode> {
  const requests = await generate(seed, count)
  const [reference = '', ...others] = Object.keys(lanes)
  const answers = await playLane(lanes, reference, seed, requests)
  const differences: Difference[] = []
  for (const other of others) {
    const found = firstDifference(answers, await playLane(lanes, other, seed, requests))
    if (found) differences.push({ seed, lanes: [reference, other], ...found })
  }
  return { seed, requests, answers, differences }
}

/** Plays requests through the lane of a name. */
export function playLane(lanes: Lanes, name: string, seed: number, requests: readonly PlainRequest[]) {
  const open = lanes[name]
  if (!open) throw new Error(`There is no lane "${name}".`)
  return play(open, seed, requests)
}

/** Where two lanes part. */
export function firstDifference(
  ones: readonly string[],
  others: readonly string[],
): Pick<Difference, 'index' | 'answers'> | undefined {
  for (const [index, one] of ones.entries()) {
    const other = others[index] ?? ''
    if (one !== other) return { index, answers: [one, other] }
  }
  return undefined
}
