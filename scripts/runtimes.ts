// npm run runtimes [name …]: tests the built packages on every runtime that they support, and prints the results.

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { EXPECTED, tryHost } from '../examples/e2e/hosts.ts'
import { installPacked } from '../examples/e2e/packed.ts'
import { type Outcome, PROGRAMS, type Runtime, runSmoke } from '../sdk/e2e/runtimes.ts'
import { textTable } from './lib/text-table.ts'
import { installRuntimes } from './runtimes-install.ts'

interface Column {
  readonly title: string
  readonly outcomes: readonly Outcome[]
}

/** Runs the example for a runtime in a folder. Runtimes that have no host example are not listed. */
const HOST_EXAMPLES: Readonly<Record<string, (folder: string, runtime: Runtime) => Promise<unknown>>> = {
  Bun: (folder, runtime) => tryHost(join(folder, 'hosts/bun.ts'), {}, runtime),
  Deno: (folder, runtime) => tryHost(join(folder, 'hosts/deno.ts'), { FISH_STORAGE: 'memory:' }, runtime),
  workerd: (folder, { command }) => tryHost(join(folder, 'serve-worker.ts'), { WORKERD: command }),
}

const runtimes = installRuntimes()
if (typeof runtimes === 'string') process.stdout.write(`Skipped: ${runtimes}\n`)
else process.exitCode = await tryAll(runtimes, process.argv.slice(2))

async function tryAll(runtimes: ReadonlyMap<string, Runtime>, only: readonly string[]): Promise<number> {
  const columns: Column[] = []
  for (const [name, runtime] of runtimes) {
    if (only.length > 0 && !only.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue
    for (const program of Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]) {
      // The program `server` needs Node. The program `host` needs a built-in server for a `Request`, which Node does
      // not have. workerd runs only Workers, and none of the programs.
      if (program === (name.startsWith('Node') ? 'host' : 'server') || name === 'workerd') continue
      columns.push({ title: `${name} ${program}`, outcomes: await runSmoke(runtime, program) })
    }
    const example = HOST_EXAMPLES[name]
    if (example) {
      const run = (folder: string) => example(folder, runtime)
      columns.push({ title: `${name} example`, outcomes: [await tryExample(run)] })
    }
  }
  process.stdout.write(table(columns))
  const outcomes = columns.flatMap(({ title, outcomes }) => outcomes.map((outcome) => ({ title, ...outcome })))
  for (const { title, check, outcome, detail } of outcomes) {
    if (outcome !== 'ok') process.stdout.write(`\n${title}, ${check}: ${outcome}\n${detail ?? ''}\n`)
  }
  return columns.length > 0 && outcomes.every(({ outcome }) => outcome !== 'failed') ? 0 : 1
}

/** Runs the example of a host with the packed packages. */
async function tryExample(run: (folder: string) => Promise<unknown>): Promise<Outcome> {
  const check = 'example of a host'
  const installed = await installPacked()
  try {
    const result = await run(installed.folder)
    const outcome = isDeepStrictEqual(result, EXPECTED) ? 'ok' : 'failed'
    return { check, outcome, detail: JSON.stringify(result) }
  } catch (error) {
    return { check, outcome: 'failed', detail: String(error) }
  } finally {
    await installed.remove()
  }
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
