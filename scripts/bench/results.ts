// Runs the rounds of a benchmark, compares two figures that were measured in the same rounds, and prints the table.
import { textTable } from '../lib/text-table.ts'

/** One row of `npm run bench`. */
export interface Result {
  readonly what: string
  readonly ours: string
  /** The figure to which `ours` is compared. */
  readonly beside: string
  /** The median of the ratios of all rounds. */
  readonly ratio: number
  /** The smallest and the largest of the ratios. */
  readonly spread: readonly [number, number]
  readonly goal: Goal
}

type Goal = { readonly atMost: number } | { readonly atLeast: number }

interface Measured {
  readonly what: string
  readonly unit: 'µs' | 'ms' | 's' | 'a second' | 'requests' | 'round trips' | 'MB'
  /** One value per round. */
  readonly ours: readonly number[]
  /** The values to compare with, which were measured in the same rounds, or a limit. */
  readonly beside: { readonly name: string; readonly values: readonly number[] } | { readonly limit: number }
  readonly goal?: Goal
}

/** @param measured the values of all rounds; the default goal is a ratio of at most 1 */
export function compare({ what, unit, ours, beside, goal = { atMost: 1 } }: Measured): Result {
  const others = 'limit' in beside ? ours.map(() => beside.limit) : beside.values
  const ratios = ours.map((value, round) => value / (others[round] ?? Number.NaN)).sort((a, b) => a - b)
  const shown = (values: readonly number[]) => {
    const value = median(values)
    return `${value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0)} ${unit}`
  }
  return {
    what,
    ours: shown(ours),
    beside: `${'limit' in beside ? 'limit' : beside.name} ${shown(others)}`,
    ratio: median(ratios),
    spread: [ratios.at(0) ?? Number.NaN, ratios.at(-1) ?? Number.NaN],
    goal,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** A subject that is measured once per round. */
export type Subject<Sample> = () => Promise<Sample>

/**
 * Runs every subject once per round, so that a busy moment of the machine affects all subjects. The first round is a
 * warm-up and does not count. A subject that is listed twice runs once per round.
 */
export async function measureRounds<Sample>(
  rounds: number,
  subjects: Iterable<Subject<Sample>>,
): Promise<(subject: Subject<Sample>) => readonly Sample[]> {
  const samples = new Map(Array.from(subjects, (subject) => [subject, [] as Sample[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [subject, of] of samples) {
      const sample = await subject()
      if (round > 0) of.push(sample)
    }
  }
  return (subject) => samples.get(subject) ?? []
}

/** Reads the number of rounds from the command line: the only argument of a benchmark. */
export function readRounds(defaultRounds: number): number {
  return Number(process.argv[2] ?? defaultRounds)
}

const COLUMNS = ['what', 'ours', 'beside', 'ratio', 'spread', 'goal', '']

export function report(results: readonly Result[]): void {
  const rows = results.map(({ what, ours, beside, ratio, spread: [least, most], goal }) => [
    what,
    ours,
    beside,
    ratio.toFixed(2),
    `${least.toFixed(2)} to ${most.toFixed(2)}`,
    'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`,
    ('atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast) ? 'met' : 'MISSED',
  ])
  process.stdout.write(textTable([COLUMNS, ...rows]))
}
