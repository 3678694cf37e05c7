// npm run bench [-- --short]: runs the benchmarks one after the other. Each benchmark prints a table and accepts the
// number of rounds as its argument. The benchmarks read CPU and memory figures of the Linux kernel, so they run on
// Linux only. The short form takes about five minutes.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const BENCHMARKS = [
  { script: 'server/bench/requests.ts', rounds: 7, shortRounds: 2 },
  { script: 'server/bench/writes.ts', rounds: 5, shortRounds: 1 },
  { script: 'server/bench/collections.ts', rounds: 5, shortRounds: 1 },
  { script: 'server/bench/streams.ts', rounds: 3, shortRounds: 0 },
  { script: 'server/bench/crowd.ts', rounds: 3, shortRounds: 0 },
  { script: 'sdk/bench/run.ts', rounds: 3, shortRounds: 1 },
  { script: 'mocks/bench/direct.ts', rounds: 15, shortRounds: 5 },
  { script: 'cli/bench/startup.ts', rounds: 21, shortRounds: 5 },
] as const

const { values: flags } = parseArgs({ options: { short: { type: 'boolean', default: false } } })
for (const { script, rounds: longRounds, shortRounds } of BENCHMARKS) {
  const rounds = flags.short ? shortRounds : longRounds
  process.stdout.write(`\n${script}${rounds === 0 ? ': only without --short' : ''}\n`)
  if (rounds === 0) continue
  const args = [join(import.meta.dirname, '..', script), String(rounds)]
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) throw new Error(`${script} failed.`)
}
