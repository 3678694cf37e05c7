// npm run differential [requests] [first seed]: plays random requests through every transport of the built mock and through
// the server, and prints the number of different responses.
import { compareTransports } from '../test/differential/compare-transports.ts'
import { describeDifference, shrink } from '../test/differential/shrink.ts'
import { TRANSPORTS } from '../test/differential/transports.ts'

const PER_MOCK = 1000
const PROGRESS_MS = 10_000

const [requests = 100_000, firstSeed = 1] = process.argv.slice(2).map(Number)
process.exitCode = (await compareAll(requests, firstSeed)) === 0 ? 0 : 1

async function compareAll(requests: number, firstSeed: number): Promise<number> {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0)
  const statuses = new Map<string, number>()
  let [played, differing, reportedAt] = [0, 0, startedAt]
  for (let seed = firstSeed; played < requests; seed += 1) {
    const comparison = await compareTransports(seed, Math.min(PER_MOCK, requests - played))
    played += comparison.requests.length
    differing += comparison.differences.length
    for (const response of comparison.responses) {
      const status = response.split('\n', 1)[0] ?? ''
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    for (const difference of comparison.differences) {
      print(describeDifference(await shrink(comparison.requests, difference)))
    }
    if (performance.now() - reportedAt > PROGRESS_MS) {
      reportedAt = performance.now()
      print(`${played} of ${requests} requests, ${differing} differences, ${seconds()} s`)
    }
  }
  const transports = Object.keys(TRANSPORTS)
  const table = [...statuses].sort().map(([status, count]) => `${status}: ${count}`)
  print(`responses: ${table.join(', ')}`)
  print(`${played} requests through ${transports.join(', ')} in ${seconds()} s: ${differing} differences`)
  return differing
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
