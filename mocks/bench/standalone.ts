// How long a mock takes to start, against bare Node: `npm run build && node mocks/bench/standalone.ts [ROUNDS]`.
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

interface Subject {
  readonly title: string
  readonly args: readonly string[]
  /** Maximum ratio to bare Node. */
  readonly goal: number
}

const rounds = Number(process.argv[2] ?? 21)
const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))
const SCRIPT = `
import { startStandaloneMock } from '@fish-crab/mocks/standalone'
const { url } = await startStandaloneMock({ seed: { users: [{ name: 'Alex' }] } })
process.stdout.write('listening on ' + url + '\\n')`
const NODE = ['-e', '0']
const SUBJECTS: readonly Subject[] = [
  { title: 'a script that starts one', args: ['--input-type=module', '-e', SCRIPT], goal: 5 },
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
  const lines = SUBJECTS.map(({ title, goal }) => {
    const own = times.get(title) ?? []
    const ratio = median(own.map((ms, round) => ms / (bare[round] ?? Number.NaN)))
    const result = `goal ${goal.toFixed(1)}  ${ratio <= goal ? 'met' : 'MISSED'}`
    return `${line(title, own)}  ${ratio.toFixed(2).padStart(5)} x  ${result}\n`
  })
  process.stdout.write(`${line('node -e 0', bare)}\n${lines.join('')}`)
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

function line(title: string, times: readonly number[]): string {
  const widest = Math.max(...SUBJECTS.map((each) => each.title.length))
  return `${title.padEnd(widest)}  ${median(times).toFixed(1).padStart(7)} ms`
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
}
