import { execFileSync } from 'node:child_process'
import { CONTENDERS } from './contenders.ts'
import { abortCosts, browserSizes, type Cost, callCosts, importCosts } from './costs.ts'
import { type Outcome, SCENARIOS } from './scenarios.ts'

/*
 * Prints what the client does beside others of its kind. Scenarios run on virtual time against the real service;
 * costs are measured, each figure in the same rounds as what it is compared to.
 */

const SEEDS = [1, 2, 3]

function table(title: string, columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const lines = [columns, ...rows].map((row) => row.map(String))
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  process.stdout.write(`\n${title}\n${text.map((line) => `  ${line}\n`).join('')}`)
}

/** The worst of several runs. */
function worst(outcomes: readonly Outcome[]): readonly (string | number)[] {
  const most = (pick: (outcome: Outcome) => number) => Math.max(...outcomes.map(pick))
  const last = outcomes.map(({ lastAfterResetMs }) => lastAfterResetMs)
  return [
    Math.min(...outcomes.map(({ succeeded }) => succeeded)),
    most(({ requests }) => requests),
    most(({ refused }) => refused),
    most(({ refusedAWindow }) => refusedAWindow),
    last.includes(undefined) ? '-' : `${(Math.max(...last.map(Number)) / 1000).toFixed(1)} s`,
  ]
}

function playApart(client: string, scenario: string, seed: number): Outcome {
  const args = ['play.ts', client, scenario, String(seed)]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })) as Outcome
}

const fixed = ({ name, median, overBare }: Cost) => [name, median.toFixed(1), overBare.toFixed(1)]

for (const scenario of SCENARIOS) {
  const rows: (readonly (string | number)[])[] = []
  for (const contender of CONTENDERS) {
    const outcomes: Outcome[] = []
    for (const seed of SEEDS) outcomes.push(playApart(contender.name, scenario.name, seed))
    rows.push([contender.name, ...worst(outcomes)])
  }
  const columns = ['client', 'succeeded', 'requests', 'refused', 'refused a window', 'last after the reset']
  table(`${scenario.name} (worst of ${SEEDS.length} runs)`, columns, rows)
}
const aborts = await abortCosts()
table('abort during a wait, ms', ['median', 'worst'], [[at(aborts, 0.5), at(aborts, 1)]])
table('a call over a stub fetch, µs', ['client', 'median', 'over the bare fetch'], (await callCosts()).map(fixed))
table('import, ms', ['module', 'process', 'over bare node'], (await importCosts()).map(fixed))
table(
  'browser, bytes gzip',
  ['client', 'loaded at once'],
  (await browserSizes()).map(({ name, bytes }) => [name, bytes]),
)

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN).toFixed(2)
}
