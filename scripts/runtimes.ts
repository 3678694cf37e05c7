// npm run runtimes [name …]: tries the built packages on every runtime they are for, and prints what works where.
import { type Outcome, PROGRAMS, type Runtime, runSmoke } from '../sdk/e2e/runtimes.ts'
import { textTable } from './lib/text-table.ts'
import { installRuntimes } from './runtimes-install.ts'

interface Column {
  readonly title: string
  readonly outcomes: readonly Outcome[]
}

const runtimes = installRuntimes()
if (typeof runtimes === 'string') process.stdout.write(`Skipped: ${runtimes}\n`)
else process.exitCode = await tryAll(runtimes, process.argv.slice(2))

async function tryAll(runtimes: ReadonlyMap<string, Runtime>, only: readonly string[]): Promise<number> {
  const columns: Column[] = []
  for (const [name, runtime] of runtimes) {
    if (only.length > 0 && !only.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue
    for (const program of Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]) {
      // The server is for Node, which has no server of its own that takes a Request.
      if (program === (name.startsWith('Node') ? 'host' : 'server')) continue
      columns.push({ title: `${name} ${program}`, outcomes: await runSmoke(runtime, program) })
    }
  }
  process.stdout.write(table(columns))
  const outcomes = columns.flatMap(({ title, outcomes }) => outcomes.map((outcome) => ({ title, ...outcome })))
  for (const { title, check, outcome, detail } of outcomes) {
    if (outcome !== 'ok') process.stdout.write(`\n${title}, ${check}: ${outcome}\n${detail ?? ''}\n`)
  }
  return columns.length > 0 && outcomes.every(({ outcome }) => outcome !== 'failed') ? 0 : 1
}

function table(columns: readonly Column[]): string {
  const checks = [...new Set(columns.flatMap(({ outcomes }) => outcomes.map(({ check }) => check)))]
  const outcomeOf = ({ outcomes }: Column, name: string) => outcomes.find(({ check }) => check === name)?.outcome ?? '-'
  const rows = [
    ['', ...columns.map(({ title }) => title)],
    ...checks.map((check) => [check, ...columns.map((column) => outcomeOf(column, check))]),
  ]
  return textTable(rows)
}
