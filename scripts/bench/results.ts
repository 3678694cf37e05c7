// What all benchmarks share: a figure beside another one, measured in the same rounds, and the table of them.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { textTable } from '../lib/text-table.ts'

/** One row of `npm run bench`. */
export interface Result {
  readonly what: string
  readonly ours: string
  /** What ours is compared with. */
  readonly beside: string
  /** The median of the rounds' ratios. */
  readonly ratio: number
  /** The smallest and the largest of them. */
  readonly spread: readonly [number, number]
  readonly goal: Goal
  readonly isMet: boolean
  /** What is measured, and why the comparison is fair. */
  readonly why: string
}

/** Of a ratio. */
type Goal = { readonly atMost: number } | { readonly atLeast: number }

interface Measured {
  readonly what: string
  readonly unit: 'µs' | 'ms' | 's' | 'a second' | 'requests' | 'round trips' | 'bytes' | 'MB'
  /** One value of each round. */
  readonly ours: readonly number[]
  /** Something measured in the same rounds, or a limit. */
  readonly beside: { readonly name: string; readonly values: readonly number[] } | { readonly limit: number }
  readonly goal?: Goal
  readonly why: string
}

/** @param measured its goal is the limit, if it is compared with one */
export function compare({ what, unit, ours, beside, goal = { atMost: 1 }, why }: Measured): Result {
  const others = 'limit' in beside ? ours.map(() => beside.limit) : beside.values
  const ratios = ours.map((value, round) => value / (others[round] ?? Number.NaN)).sort((a, b) => a - b)
  const ratio = median(ratios)
  const shown = (values: readonly number[]) => {
    const value = median(values)
    return `${value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0)} ${unit}`
  }
  return {
    what,
    ours: shown(ours),
    beside: `${'limit' in beside ? 'limit' : beside.name} ${shown(others)}`,
    ratio,
    spread: [ratios.at(0) ?? Number.NaN, ratios.at(-1) ?? Number.NaN],
    goal,
    isMet: 'atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast,
    why,
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** `[ROUNDS] [--short] [--json FILE]`, which every benchmark takes. */
export function readBenchArguments(defaultRounds: number): BenchArguments {
  const options = { short: { type: 'boolean', default: false }, json: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  return { rounds: Number(positionals[0] ?? defaultRounds), isShort: values.short, json: values.json }
}

interface BenchArguments {
  readonly rounds: number
  /** Large amounts of data are a tenth of what they are otherwise. */
  readonly isShort: boolean
  readonly json: string | undefined
}

/** Prints the table, and writes the rows to the file of `--json`. */
export function report(results: readonly Result[], { json }: Pick<BenchArguments, 'json'>): void {
  process.stdout.write(table(results))
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`)
}

const COLUMNS = ['what', 'ours', 'beside', 'ratio', 'spread', 'goal', '']

export function table(results: readonly Result[]): string {
  const rows = results.map(({ what, ours, beside, ratio, spread: [least, most], goal, isMet }) => [
    what,
    ours,
    beside,
    ratio.toFixed(2),
    `${least.toFixed(2)} to ${most.toFixed(2)}`,
    goalText(goal),
    isMet ? 'met' : 'MISSED',
  ])
  return textTable([COLUMNS, ...rows])
}

export function goalText(goal: Goal): string {
  return 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`
}
