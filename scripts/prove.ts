// npm run prove: does to the service what the world does to one, and shows what became of every acknowledged catch.
// `--long` tries much more, and writes docs/proof.json and docs/proof.md; `--only TEXT` runs the experiments with that in their name.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { textTable } from './lib/text-table.ts'
import { cells, type Experiment, type Finding, page, type Row, type Scale } from './prove/experiment.ts'
import { ACCESS_EXPERIMENTS } from './prove/experiments/access.ts'
import { CLOCK_EXPERIMENTS } from './prove/experiments/clock.ts'
import { CLUSTER_EXPERIMENTS } from './prove/experiments/cluster.ts'
import { DISK_EXPERIMENTS } from './prove/experiments/disk.ts'
import { FUZZ_EXPERIMENTS } from './prove/experiments/fuzz.ts'
import { KILL_EXPERIMENTS } from './prove/experiments/kills.ts'
import { NETWORK_EXPERIMENTS } from './prove/experiments/network.ts'
import { REDIS_EXPERIMENTS } from './prove/experiments/redis.ts'
import { TIMING_EXPERIMENTS } from './prove/experiments/timing.ts'
import { TOKEN_EXPERIMENTS } from './prove/experiments/tokens.ts'

const [RESULTS, PAGE] = ['docs/proof.json', 'docs/proof.md']

const EXPERIMENTS: readonly Experiment[] = [
  ...KILL_EXPERIMENTS,
  ...DISK_EXPERIMENTS,
  ...CLOCK_EXPERIMENTS,
  ...REDIS_EXPERIMENTS,
  ...CLUSTER_EXPERIMENTS,
  ...NETWORK_EXPERIMENTS,
  ...TOKEN_EXPERIMENTS,
  ...ACCESS_EXPERIMENTS,
  ...FUZZ_EXPERIMENTS,
  ...TIMING_EXPERIMENTS,
]

const { values } = parseArgs({
  options: { long: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
const scale: Scale = values.long ? 'long' : 'short'

async function rowOf({ name, how, missing, run }: Experiment): Promise<Row> {
  const reason = missing?.()
  const row = { experiment: name, how, figure: '', limit: '', seconds: 0 }
  if (reason !== undefined) return { ...row, figure: reason, verdict: 'skipped' }
  const started = performance.now()
  const failed = (error: unknown): Finding => ({ figure: String(error), limit: '', isMet: false })
  const { isMet, ...finding } = await run(scale).catch(failed)
  return { ...row, ...finding, verdict: isMet ? 'met' : 'MISSED', seconds: (performance.now() - started) / 1000 }
}

const rows: Row[] = []
for (const experiment of EXPERIMENTS) {
  if (!experiment.name.includes(values.only) || (experiment.isLong && scale === 'short')) continue
  const row = await rowOf(experiment)
  process.stderr.write(`${row.experiment}: ${row.verdict} (${row.seconds.toFixed(1)} s)\n`)
  rows.push(row)
  if (scale === 'long') keep(row)
}
process.stdout.write(textTable(cells(rows)))
if (rows.some(({ verdict }) => verdict === 'MISSED')) process.exitCode = 1

/** Puts a row in the place of what was found before, and writes the page anew. */
function keep(row: Row): void {
  const before = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as readonly Row[]) : []
  const all = EXPERIMENTS.flatMap(({ name }) =>
    name === row.experiment ? row : (before.find((one) => one.experiment === name) ?? []),
  )
  writeFileSync(RESULTS, `${JSON.stringify(all, undefined, 2)}\n`)
  writeFileSync(PAGE, page(all))
}
