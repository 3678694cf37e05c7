// All benchmarks in one table: `npm run bench [-- --short] [--out FOLDER]`. Writes the rows to bench.json, and to
// bench.html with plots. The short form takes about five minutes. Peers are installed by the benchmarks alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { goalText, type Result, table } from './bench/results.ts'

/** Each takes the number of its rounds, `--short`, and `--json FILE`. */
const BENCHMARKS = [
  { script: 'server/bench/requests.ts', rounds: 7, shortRounds: 3 },
  { script: 'server/bench/writes.ts', rounds: 5, shortRounds: 3 },
  { script: 'server/bench/collections.ts', rounds: 5, shortRounds: 3 },
  { script: 'server/bench/redis.ts', rounds: 5, shortRounds: 3 },
  { script: 'server/bench/store.ts', rounds: 5, shortRounds: 3 },
  { script: 'server/bench/streams.ts', rounds: 3, shortRounds: 1 },
  { script: 'server/bench/crowd.ts', rounds: 3, shortRounds: 1 },
  { script: 'sdk/bench/run.ts', rounds: 15, shortRounds: 7 },
  { script: 'cli/bench/startup.ts', rounds: 21, shortRounds: 9 },
  { script: 'mocks/bench/standalone.ts', rounds: 21, shortRounds: 9 },
  { script: 'mocks/bench/transports.ts', rounds: 240, shortRounds: 80 },
] as const

const PLOT_WIDTH = 220

const { values: flags } = parseArgs({
  options: { short: { type: 'boolean', default: false }, out: { type: 'string', default: '.' } },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'fish-bench-'))
try {
  const results: Result[] = []
  for (const { script, rounds, shortRounds } of BENCHMARKS) {
    process.stderr.write(`${script} …\n`)
    const json = join(folder, 'results.json')
    const args = [join(root, script), String(flags.short ? shortRounds : rounds), '--json', json]
    if (flags.short) args.push('--short')
    // Not its own table: the rows of all are printed below.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${script} failed.`)
    results.push(...(JSON.parse(readFileSync(json, 'utf8')) as Result[]))
  }
  mkdirSync(flags.out, { recursive: true })
  writeFileSync(join(flags.out, 'bench.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(flags.out, 'bench.html'), page(results))
  process.stdout.write(table(results))
  const met = results.filter(({ isMet }) => isMet).length
  process.stdout.write(`${met} of ${results.length} goals met; bench.json and bench.html are in ${flags.out}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function page(results: readonly Result[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Benchmarks</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1f24 }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: 0.4rem 0.6rem; border-top: 1px solid #d0d7de; vertical-align: top }
  small { color: #57606a }
  .missed { color: #a40e26 }
  svg { display: block }
</style>
<h1>Benchmarks</h1>
<p>Node ${process.versions.node}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}. A bar is the median of the
rounds' ratios, the thin line their spread, the upright line the goal.</p>
<table>
<tr><th>What</th><th>Ours</th><th>Beside</th><th>Ratio</th><th>Goal</th><th></th></tr>
${results.map(pageRow).join('\n')}
</table>
`
}

function pageRow(result: Result): string {
  const { what, why, ours, beside, ratio, goal, isMet } = result
  const cells = [
    `${escaped(what)}<br><small>${escaped(why)}</small>`,
    escaped(ours),
    escaped(beside),
    ratio.toFixed(2),
    `<span${isMet ? '' : ' class="missed"'}>${goalText(goal)} ${isMet ? 'met' : 'missed'}</span>`,
    plot(result),
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function plot({ ratio, spread: [least, most], goal, isMet }: Result): string {
  const limit = 'atMost' in goal ? goal.atMost : goal.atLeast
  const scale = PLOT_WIDTH / (1.1 * Math.max(ratio, most, limit))
  const at = (value: number) => (value * scale).toFixed(1)
  return `<svg width="${PLOT_WIDTH}" height="24" role="img" aria-label="${ratio.toFixed(2)} of ${limit}">
<rect y="6" width="${at(ratio)}" height="12" fill="${isMet ? '#2da44e' : '#cf222e'}"/>
<path d="M${at(least)} 12H${at(most)}" stroke="#1b1f24"/>
<path d="M${at(limit)} 0V24" stroke="#1b1f24" stroke-width="2"/></svg>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
