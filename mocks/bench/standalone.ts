// How long a mock takes to start, against bare Node: `npm run build && node mocks/bench/standalone.ts [ROUNDS] [--json FILE]`.
// Measured from the start of the process to the end of its first response: the request is sent as soon as the process has
// printed its address. Each round runs everything once, so that a busy machine slows both sides; the result is the
// median of the ratios of all rounds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, readBenchArguments, report } from '../../scripts/bench/results.ts'

interface Subject {
  readonly title: string
  readonly args: readonly string[]
  /** Maximum ratio to bare Node. */
  readonly goal: number
}

const { rounds, json } = readBenchArguments(21)
const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))
const SCRIPT = `
import { startStandaloneMock } from '@fish-crab/mocks/standalone'
const { url } = await startStandaloneMock({ seed: { users: [{ name: 'Alex' }] } })
process.stdout.write('listening on ' + url + '\\n')`
const NODE = ['-e', '0']
const SUBJECTS: readonly Subject[] = [
  { title: 'a script that starts a standalone mock', args: ['--input-type=module', '-e', SCRIPT], goal: 5 },
  { title: 'fish-cli mock', args: [CLI, 'mock', '--port', '0'], goal: 5 },
]

const home = mkdtempSync(join(tmpdir(), 'fish-mock-bench-'))
const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home }
try {
  // The first runs fill the cache of compiled code, where there is one.
  for (const { args } of SUBJECTS) await timeToAnswer(args)
  const bare: number[] = []
  const times = new Map(SUBJECTS.map(({ title }) => [title, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await timeToEnd(NODE))
    for (const { title, args } of SUBJECTS) times.get(title)?.push(await timeToAnswer(args))
  }
  const results = SUBJECTS.map(({ title, goal }) =>
    compare({
      what: title,
      unit: 'ms',
      ours: times.get(title) ?? [],
      beside: { name: 'node -e 0', values: bare },
      goal: { atMost: goal },
      why: 'From the start of the process to the end of its first response, beside a process that does nothing',
    }),
  )
  report(results, { json })
} finally {
  rmSync(home, { recursive: true, force: true })
}

function run(args: readonly string[]) {
  return spawn(process.execPath, [...args], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'ignore'] })
}

async function timeToEnd(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await once(run(args), 'exit')
  return performance.now() - startedAt
}

async function timeToAnswer(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const child = run(args)
  const ended = once(child, 'exit')
  try {
    const [said] = (await Promise.race([once(child.stdout, 'data'), ended])) as [unknown]
    const [, url] = /^listening on (\S+)\n$/.exec(String(said)) ?? []
    if (!url) throw new Error(`It did not start: ${args.join(' ')}`)
    const [response] = (await once(get(`${url}/status`, { agent: false }), 'response')) as [IncomingMessage]
    for await (const _ of response);
    if (response.statusCode !== 200) throw new Error(`It answered ${response.statusCode}.`)
    return performance.now() - startedAt
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}
