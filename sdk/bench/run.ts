// Measures a call over a stub of fetch. Then sends 100 calls at once with each client, against the real service with 25
// requests per window, on virtual time.
// `npm run bench`, or `node sdk/bench/run.ts [SEEDS]` when the other clients are installed.
import { execFileSync } from 'node:child_process'
import { compare, measureRounds, readRounds, report, type Subject } from '../../scripts/bench/results.ts'
import { textTable } from '../../scripts/lib/text-table.ts'
import { CONTENDERS, type Contender } from './contenders.ts'
import { type Outcome, SCENARIOS } from './scenarios.ts'

const OWN = '@fish-crab/sdk'
const PEER = 'stripe'
const CALL_ROUNDS = 41
const CALLS_PER_ROUND = 1000
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

const BODY = JSON.stringify({ user: 'demo', fish: [{ name: 'Salmon', rarity: 'Gold' }] })
const HEADERS = { 'content-type': 'application/json', 'x-request-id': 'bench' }

/** Measures the microseconds of CPU time per call over a stub that responds immediately. */
function costOf(name: string): Subject<number> {
  const { open } = CONTENDERS.find((contender) => contender.name === name) as Contender
  const call = open(async () => new Response(BODY, { headers: HEADERS }))
  return async () => {
    const before = process.cpuUsage()
    for (let count = 0; count < CALLS_PER_ROUND; count += 1) await call()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / CALLS_PER_ROUND
  }
}

const [ownCall, peerCall] = [costOf(OWN), costOf(PEER)]
const costs = await measureRounds(CALL_ROUNDS, [ownCall, peerCall])
const callResult = compare({
  ...{ what: 'SDK, a call over a stub fetch', unit: 'µs', ours: costs(ownCall) },
  beside: { name: PEER, values: costs(peerCall) },
})

const results = SCENARIOS.flatMap(({ name }) => {
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
    compare({ what: `SDK, ${name}: last`, unit: 's', ours: last, beside: { limit: LAST_LIMIT_S } }),
    compare({
      ...{ what: `SDK, ${name}: refused`, unit: 'requests', ours: refused },
      ...{ beside: { limit: 1 }, goal: { atMost: 0 } },
    }),
  ]
})
report([callResult, ...results])
