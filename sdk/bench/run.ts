import { execFileSync } from 'node:child_process'
import { compare, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'
import { textTable } from '../../scripts/lib/text-table.ts'
import { CONTENDERS } from './contenders.ts'
import {
  abortCosts,
  BARE_CALL,
  browserSizes,
  type Cost,
  callCosts,
  firstCallCosts,
  importCosts,
  SDK_CALL,
} from './costs.ts'
import { type Outcome, SCENARIOS } from './scenarios.ts'

/*
 * Prints what the client does beside others of its kind. Scenarios run on virtual time against the real service;
 * costs are measured, each figure in the same rounds as what it is compared to.
 */

const SEEDS = [1, 2, 3]

function table(title: string, columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const text = textTable([columns, ...rows].map((row) => row.map(String)))
  process.stdout.write(`\n${title}\n${text.replace(/^(?=.)/gm, '  ')}`)
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

const OWN = '@fish-crab/sdk'
const LAST_LIMIT_S = 2
const { rounds, json } = readBenchArguments(15)
const results: Result[] = []

for (const scenario of SCENARIOS) {
  const rows: (readonly (string | number)[])[] = []
  for (const contender of CONTENDERS) {
    const outcomes: Outcome[] = []
    for (const seed of SEEDS) outcomes.push(playApart(contender.name, scenario.name, seed))
    rows.push([contender.name, ...worst(outcomes)])
    if (contender.name === OWN) results.push(...scenarioResults(scenario.name, outcomes))
  }
  const columns = ['client', 'succeeded', 'requests', 'refused', 'refused a window', 'last after the reset']
  table(`${scenario.name} (worst of ${SEEDS.length} runs)`, columns, rows)
}
const aborts = await abortCosts()
table('abort during a wait, ms', ['median', 'worst'], [[at(aborts, 0.5), at(aborts, 1)]])
const calls = await callCosts(rounds)
table('a call over a stub fetch, µs', ['client', 'median', 'over the bare fetch'], calls.map(fixed))
table('import, ms', ['module', 'process', 'over bare node'], (await importCosts(rounds)).map(fixed))
const firstCalls = await firstCallCosts(rounds)
table('the first call of a process, ms', ['client', 'process', 'over a bare fetch'], firstCalls.map(fixed))
table(
  'browser, bytes gzip',
  ['client', 'loaded at once'],
  (await browserSizes()).map(({ name, bytes }) => [name, bytes]),
)
const clients = calls.filter(({ name }) => CONTENDERS.some((contender) => contender.name === name && name !== OWN))
results.push(
  compare({
    what: 'SDK, a call over a stub fetch',
    unit: 'µs',
    ours: timesOf(calls, OWN),
    beside: leastOf(clients),
    why: 'Beside the fastest of the other clients in the same rounds',
  }),
  compare({
    what: 'SDK, first call of a process',
    unit: 'ms',
    ours: timesOf(firstCalls, SDK_CALL),
    beside: { name: BARE_CALL, values: timesOf(firstCalls, BARE_CALL) },
    goal: { atMost: 1.3 },
    why: 'A process that loads the client and reads one collection over a real connection, from its start to its end',
  }),
)
process.stdout.write('\n')
report(results, { json })

function scenarioResults(scenario: string, outcomes: readonly Outcome[]): Result[] {
  const why = 'On virtual time, against the real service: 100 calls at once, 25 of which a window takes'
  const last = outcomes.map(({ lastAfterResetMs = Number.POSITIVE_INFINITY }) => lastAfterResetMs / 1000)
  return [
    compare({ what: `SDK, ${scenario}: last`, unit: 's', ours: last, beside: { limit: LAST_LIMIT_S }, why }),
    compare({
      what: `SDK, ${scenario}: refused`,
      unit: 'requests',
      ours: outcomes.map(({ refused }) => refused),
      beside: { limit: 1 },
      goal: { atMost: 0 },
      why,
    }),
  ]
}

function timesOf(costs: readonly Cost[], wanted: string): readonly number[] {
  return costs.find(({ name }) => name === wanted)?.times ?? []
}

function leastOf(costs: readonly Cost[]): { readonly name: string; readonly values: readonly number[] } {
  const [least] = costs.toSorted((a, b) => a.median - b.median)
  return { name: least?.name ?? '', values: least?.times ?? [] }
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN).toFixed(2)
}
