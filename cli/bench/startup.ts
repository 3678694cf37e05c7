// Compares the start of fish-cli to the start of Node alone: `npm run build && node cli/bench/startup.ts [ROUNDS]`. The
// time of a server includes its first response.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, measureRounds, readRounds, report } from '../../scripts/bench/results.ts'

interface Row {
  readonly title: string
  readonly args: readonly string[]
  /** @default Node */
  readonly file?: string
  /** The arguments of the Node process to compare with, and its name. @default `node -e 0` */
  readonly against?: readonly string[]
  readonly name?: string
  /** The maximum ratio of the times. */
  readonly goal: number
  readonly isServer?: true
}

const rounds = readRounds(21)
/** Made by `npm run executables`. */
const EXECUTABLE = fileURLToPath(new URL('../../executables/fish-cli-linux-x64', import.meta.url))
const CLI = fileURLToPath(new URL('../bin/run.js', import.meta.url))
const BARE = ['-e', '0']
const FETCH = `
const { fish } = await (await fetch(process.env.FISH_URL + '/get/fish?name=Alex&gamemode=earth')).json()
const width = Math.max(4, ...fish.map(({ name }) => name.length))
const lines = fish.map(({ name, rarity }) => name.padEnd(width) + '  ' + rarity)
process.stdout.write(['FISH'.padEnd(width) + '  RARITY', ...lines].join('\\n') + '\\n')`
/** A script that fetches and prints the same fish as `list`. */
const SCRIPT = ['--input-type=module', '-e', FETCH]
const SEED = JSON.stringify({ users: [{ name: 'Alex', fish: { earth: [{ name: 'Cod', rarity: 'gold' }] } }] })
const MOCK = `
const { startStandaloneMock } = await import('${new URL('../../mocks/dist/standalone.js', import.meta.url)}')
const { url } = await startStandaloneMock({ seed: ${SEED} })
process.stdout.write('listening on ' + url + '\\n')`
const MOCK_SCRIPT = ['--input-type=module', '-e', MOCK]

const home = mkdtempSync(join(tmpdir(), 'fish-cli-bench-'))
const ROWS: readonly Row[] = [
  { title: '--version', args: [CLI, '--version'], goal: 1.1 },
  { title: '--help', args: [CLI, '--help'], goal: 1.1 },
  { title: 'list --help', args: [CLI, 'list', '--help'], goal: 1.1 },
  { title: 'config', args: [CLI, 'config'], goal: 2 },
  { title: 'list, typed wrongly', args: [CLI, 'list', 'whales', 'Alex'], goal: 1.8 },
  {
    title: 'list',
    args: [CLI, 'list', 'fish', 'Alex', '-g', 'earth'],
    against: SCRIPT,
    name: 'a script that does the same',
    goal: 1.5,
  },
  { title: 'serve', args: [CLI, 'serve', '--port', '0', '--storage', `file:${home}/data`], goal: 5, isServer: true },
  { title: 'mock', args: [CLI, 'mock', '--port', '0'], goal: 5, isServer: true },
  { title: 'mock, by a script', args: MOCK_SCRIPT, goal: 5, isServer: true },
  ...(existsSync(EXECUTABLE) ? ['--version', '--help', 'config', 'list fish Alex -g earth'] : []).map((line) => ({
    title: `${line}, as one file`,
    file: EXECUTABLE,
    args: line.split(' '),
    against: [CLI, ...line.split(' ')],
    name: 'the installed fish-cli',
    goal: 1.5,
  })),
]

const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: home, USERPROFILE: home }
const start = async (args: readonly string[]) => {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  for await (const text of child.stdout) {
    const [, url] = /^listening on (\S+)$/m.exec(String(text)) ?? []
    if (url) return { child, url }
  }
  throw new Error(`It did not start: ${args.join(' ')}`)
}
const timeOf =
  (args: readonly string[], file = process.execPath) =>
  async () => {
    const startedAt = performance.now()
    spawnSync(file, args, { env })
    return performance.now() - startedAt
  }
const timeOfServer = (args: readonly string[]) => async () => {
  const startedAt = performance.now()
  const { child, url } = await start(args)
  const { ok } = await fetch(`${url}/status`, { headers: { connection: 'close' } })
  const ms = performance.now() - startedAt
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
  if (!ok) throw new Error(`No status: ${args.join(' ')}`)
  return ms
}

const service = await start(MOCK_SCRIPT)
try {
  env.FISH_URL = service.url
  const bare = timeOf(BARE)
  const subjects = ROWS.map(({ args, file, against, isServer, name = 'node -e 0', ...row }) => ({
    ...row,
    name,
    ours: isServer ? timeOfServer(args) : timeOf(args, file),
    beside: against ? timeOf(against) : bare,
  }))
  const samplesOf = await measureRounds(
    rounds,
    subjects.flatMap(({ ours, beside }) => [ours, beside]),
  )
  report(
    subjects.map(({ title, name, goal, ours, beside }) =>
      compare({
        what: `fish-cli ${title}`,
        unit: 'ms',
        ours: samplesOf(ours),
        beside: { name, values: samplesOf(beside) },
        goal: { atMost: goal },
      }),
    ),
  )
} finally {
  service.child.kill()
  rmSync(home, { recursive: true, force: true })
}
