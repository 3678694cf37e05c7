// How long fish-cli takes to start, against bare Node: `tsup && node cli/bench/startup.ts [ROUNDS] [--json FILE]`. Within a round
// everything runs once, so that a busy machine slows both sides; a ratio is the median over the rounds' ratios.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, readBenchArguments, report } from '../../scripts/bench/results.ts'

interface Subject {
  readonly title: string
  readonly args: readonly string[]
  /** What it is compared with. */
  readonly against: string
  /** The most that the ratio may be; none where it is what others are compared with. */
  readonly goal?: number
}

const { rounds, json } = readBenchArguments(21)
const CLI = fileURLToPath(new URL('../bin/run.js', import.meta.url))
const NODE = 'node -e 0'
const SCRIPT = 'a script that fetches and prints the same'
const FETCH = `
const { fish } = await (await fetch(process.env.FISH_URL + '/get/fish?name=Alex&gamemode=earth')).json()
const width = Math.max(4, ...fish.map(({ name }) => name.length))
const lines = fish.map(({ name, rarity }) => name.padEnd(width) + '  ' + rarity)
process.stdout.write(['FISH'.padEnd(width) + '  RARITY', ...lines].join('\\n') + '\\n')`

const SUBJECTS: readonly Subject[] = [
  { title: NODE, args: ['-e', '0'], against: NODE },
  { title: '--version', args: [CLI, '--version'], against: NODE, goal: 1.1 },
  { title: '--help', args: [CLI, '--help'], against: NODE, goal: 1.1 },
  { title: 'list --help', args: [CLI, 'list', '--help'], against: NODE, goal: 1.1 },
  { title: 'config path', args: [CLI, 'config', 'path'], against: NODE, goal: 1.8 },
  { title: 'profile list', args: [CLI, 'profile', 'list'], against: NODE, goal: 1.8 },
  { title: 'list, typed wrongly', args: [CLI, 'list', 'whales', 'Alex'], against: NODE, goal: 1.8 },
  { title: SCRIPT, args: ['--input-type=module', '-e', FETCH], against: SCRIPT },
  { title: 'list', args: [CLI, 'list', 'fish', 'Alex', '-g', 'earth'], against: SCRIPT, goal: 1.5 },
]

const home = mkdtempSync(join(tmpdir(), 'fish-cli-bench-'))
const server = spawn(process.execPath, ['-e', serverProgram()], { stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const [url] = (await once(server.stdout, 'data')) as [Buffer]
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, FISH_URL: url.toString().trim() }
  const run = ({ args }: Subject) => {
    const startedAt = performance.now()
    const { stdout, stderr } = spawnSync(process.execPath, [...args], { env, encoding: 'utf8' })
    return { ms: performance.now() - startedAt, stdout, stderr }
  }
  // The first runs fill the cache of compiled code, and show whether both sides print the same.
  for (const subject of SUBJECTS) run(subject)
  const firsts = SUBJECTS.map((subject) => [subject.title, run(subject)] as const)
  const printed = new Map(firsts.map(([title, { stdout }]) => [title, stdout]))
  if (printed.get('list') !== printed.get(SCRIPT))
    throw new Error(`They print different things: ${firsts.at(-1)?.[1].stderr}`)
  const times = new Map(SUBJECTS.map(({ title }) => [title, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of SUBJECTS) times.get(subject.title)?.push(run(subject).ms)
  }
  const results = SUBJECTS.flatMap(({ title, against, goal }) => {
    if (goal === undefined) return []
    return compare({
      what: `fish-cli ${title}`,
      unit: 'ms',
      ours: times.get(title) ?? [],
      beside: { name: against, values: times.get(against) ?? [] },
      goal: { atMost: goal },
      why: 'A process from its start to its end, with the cache of compiled code that a first run has filled',
    })
  })
  report(results, { json })
} finally {
  server.kill()
  rmSync(home, { recursive: true, force: true })
}

/** A server of a few catches, in a process of its own: this one waits while its subjects run. */
function serverProgram(): string {
  const serve = (create: typeof createServer) => {
    const fish = ['Salmon', 'Bronze Koi', 'Cod'].map((name) => ({ name, rarity: 'Gold' }))
    const server = create((_, answer) => {
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify({ user: 'Alex', fish }))
    })
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`)
    })
  }
  return `(${serve})(require('node:http').createServer)`
}
