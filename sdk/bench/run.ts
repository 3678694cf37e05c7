// Sends 100 calls at once with each client, against the real service with 25 requests per window, on virtual time.
// `npm run bench`, or `node sdk/bench/run.ts [SEEDS]` when the other clients are installed.
import { execFileSync } from 'node:child_process'
import { compare, readRounds, report } from '../../scripts/bench/results.ts'
import { textTable } from '../../scripts/lib/text-table.ts'
import { CONTENDERS } from './contenders.ts'
import { type Outcome, SCENARIOS } from './scenarios.ts'

const OWN = '@fish-crab/sdk'
const LAST_LIMIT_S = 2
const SEEDS = Array.from({ length: readRounds(3) }, (_, seed) => seed + 1)

function playApart(client: string, scenario: string, seed: number): Outcome {
  const args = ['play.ts', client, scenario, String(seed)]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })) as Outcome
}

/** Formats the worst values of several runs. */
function worst(outcomes: readonly Outcome[]): readonly string[] {
  const most = (pick: (outcome: Outcome) => number) => Math.max(...outcomes.map(pick)).toString()
  const last = outcomes.map(({ lastAfterResetMs }) => lastAfterResetMs)
  return [
    Math.min(...outcomes.map(({ succeeded }) => succeeded)).toString(),
    most(({ requests }) => requests),
    most(({ refused }) => refused),
    last.includes(undefined) ? '-' : `${(Math.max(...last.map(Number)) / 1000).toFixed(1)} s`,
  ]
}

const results = SCENARIOS.flatMap(({ name, lastLimitS = LAST_LIMIT_S }) => {
  const played = CONTENDERS.map((contender) => ({
    client: contender.name,
    outcomes: SEEDS.map((seed) => playApart(contender.name, name, seed)),
  }))
  const columns = ['client', 'succeeded', 'requests', 'refused', 'last after the reset']
  const rows = played.map(({ client, outcomes }) => [client, ...worst(outcomes)])
  process.stdout.write(`${name} (worst of ${SEEDS.length} runs)\n${textTable([columns, ...rows])}\n`)
  const own = played.find(({ client }) => client === OWN)?.outcomes ?? []
  const last = own.map(({ lastAfterResetMs = Number.POSITIVE_INFINITY }) => lastAfterResetMs / 1000)
  const refused = own.map((outcome) => outcome.refused)
  return [
    compare({ what: `SDK, ${name}: last`, unit: 's', ours: last, beside: { limit: lastLimitS } }),
    compare({
      ...{ what: `SDK, ${name}: refused`, unit: 'requests', ours: refused },
      ...{ beside: { limit: 1 }, goal: { atMost: 0 } },
    }),
  ]
})
report(results)
