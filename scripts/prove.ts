// npm run prove: injects faults under load, and shows that no acknowledged catch is lost. `--long` repeats each fault
// more often, and writes docs/proof.json and docs/proof.md. `--only TEXT` runs the experiments whose names contain
// TEXT.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { textTable } from './lib/text-table.ts'
import { cells, type Experiment, type Finding, page, type Row, type Scale } from './prove/experiment.ts'
import { CLOCK_EXPERIMENTS } from './prove/experiments/clock.ts'
import { CLUSTER_EXPERIMENTS } from './prove/experiments/cluster.ts'
import { DISK_EXPERIMENTS } from './prove/experiments/disk.ts'
import { KILL_EXPERIMENTS } from './prove/experiments/kills.ts'
import { NETWORK_EXPERIMENTS } from './prove/experiments/network.ts'
import { REDIS_EXPERIMENTS } from './prove/experiments/redis.ts'

const [RESULTS, PAGE] = ['docs/proof.json', 'docs/proof.md']

const EXPERIMENTS: readonly Experiment[] = [
  ...KILL_EXPERIMENTS,
  ...DISK_EXPERIMENTS,
  ...CLOCK_EXPERIMENTS,
  ...REDIS_EXPERIMENTS,
  ...CLUSTER_EXPERIMENTS,
  ...NETWORK_EXPERIMENTS,
]

const { values } = parseArgs({
  options: { long: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const scale: Scale = values.long ? 'long' : 'short'
const MAX_MS = { short: 300_000, long: 3_600_000 }

/** Rejects after the time limit, which ends an experiment if its service never recovers. */
async function tooLate(): Promise<never> {
  await wait(MAX_MS[scale], undefined, { ref: false })
  throw new Error(`It did not end within ${MAX_MS[scale] / 60_000} minutes.`)
}

/** Returns the original error. Errors of a later cleanup wrap the original in a `SuppressedError`. */
const firstOf = (error: unknown): unknown => (error instanceof SuppressedError ? firstOf(error.suppressed) : error)

async function rowOf({ name, how, missing, run }: Experiment): Promise<Row> {
  const reason = missing?.()
  const row = { experiment: name, how, figure: '', limit: '', seconds: 0 }
  if (reason !== undefined) return { ...row, figure: reason, verdict: 'skipped' }
  const started = performance.now()
  const failed = (error: unknown): Finding => ({ figure: String(firstOf(error)), limit: '', isMet: false })
  const { isMet, ...finding } = await Promise.race([run(scale), tooLate()]).catch(failed)
  return { ...row, ...finding, verdict: isMet ? 'met' : 'MISSED', seconds: (performance.now() - started) / 1000 }
}

const chosen = EXPERIMENTS.filter(({ name, isLong }) => name.includes(values.only) && (scale === 'long' || !isLong))
if (chosen.length === 0) {
  const names = EXPERIMENTS.map(({ name, isLong }) => `  ${name}${isLong ? ' (--long)' : ''}\n`)
  process.stderr.write(`No experiment has "${values.only}" in its name. Choose from:\n${names.join('')}`)
  process.exit(2)
}
const rows: Row[] = []
for (const experiment of chosen) {
  const row = await rowOf(experiment)
  process.stderr.write(`${row.experiment}: ${row.verdict} (${row.seconds.toFixed(1)} s)\n`)
  rows.push(row)
  if (scale === 'long') keep(row)
}
process.stdout.write(textTable(cells(rows)))

/** Replaces the earlier result of an experiment, and rewrites docs/proof.md. */
function keep(row: Row): void {
  const before = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as readonly Row[]) : []
  const all = EXPERIMENTS.flatMap(({ name }) =>
    name === row.experiment ? row : (before.find((one) => one.experiment === name) ?? []),
  )
  writeFileSync(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`)
  writeFileSync(PAGE, page(all))
}

// An experiment that exceeded its time limit is still running, so the process has to exit explicitly.
process.exit(rows.some(({ verdict }) => verdict === 'MISSED') ? 1 : 0)
