// What completion costs: `tsup && node cli/bench/completion.ts [ROUNDS]`. First the start of a shell, with its script
// and without; then an answer at TAB, beside bare Node. Within a round everything runs once, in turns, so that a busy
// machine slows both sides; a figure is the median over the rounds' differences or ratios.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Start {
  readonly title: string
  readonly shell: string
  readonly args: readonly string[]
  /** The settings that it reads, without the script. */
  readonly file: string
  readonly settings: string
  /** The line that reads the script; none where the shell finds it by itself when it is needed. */
  readonly line?: string
  /** What shows that the shell knows how to complete. */
  readonly proof: string
}

const GOAL_MS = 5
const rounds = Number(process.argv[2] ?? 41)
const CLI = fileURLToPath(new URL('../bin/run.js', import.meta.url))
const COMPINIT = 'autoload -Uz compinit && compinit -u'

const STARTS: readonly Start[] = [
  {
    title: 'bash, line in ~/.bashrc',
    shell: 'bash',
    args: ['-i'],
    file: '.bashrc',
    settings: '',
    line: '. ~/script',
    proof: 'complete -p fish-cli',
  },
  {
    title: 'zsh, line in ~/.zshrc',
    shell: 'zsh',
    args: ['-o', 'no_global_rcs', '-i'],
    file: '.zshrc',
    settings: COMPINIT,
    line: '. ~/script',
    proof: 'print $_comps[fish-cli]',
  },
  {
    title: 'zsh, file in fpath',
    shell: 'zsh',
    args: ['-o', 'no_global_rcs', '-i'],
    file: '.zshrc',
    settings: `fpath=(~/functions $fpath); ${COMPINIT}`,
    proof: 'print $_comps[fish-cli]',
  },
  {
    title: 'fish, file in completions',
    shell: 'fish',
    args: ['-i'],
    file: '.config/fish/config.fish',
    settings: '',
    proof: 'complete -C "fish-cli lis"',
  },
]

const folder = mkdtempSync(join(tmpdir(), 'fish-cli-bench-'))
try {
  for (const start of STARTS) process.stdout.write(`${start.title.padEnd(27)}  ${timeStart(start)}\n`)
  process.stdout.write(`${'an answer at TAB'.padEnd(27)}  ${timeAnswer()}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function timeStart({ title, shell, args, file, settings, line = '', proof }: Start): string {
  if (spawnSync(shell, ['--version']).status !== 0) return `skipped: no ${shell} here`
  const script = spawnSync(process.execPath, [CLI, 'completion', shell], { encoding: 'utf8' }).stdout
  const homes = [true, false].map((isWith) => {
    const home = join(folder, title, String(isWith))
    for (const part of ['.config/fish/completions', 'functions', 'bin'])
      mkdirSync(join(home, part), { recursive: true })
    writeFileSync(join(home, file), `${settings}\n${isWith ? line : ''}\n`)
    const places = ['script', 'functions/_fish-cli', '.config/fish/completions/fish-cli.fish']
    if (isWith) for (const place of places) writeFileSync(join(home, place), script)
    writeFileSync(join(home, 'bin', 'fish-cli'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, {
      mode: 0o755,
    })
    return { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}`, LANG: 'C.UTF-8', TERM: 'dumb' }
  })
  const [own = {}, bare = {}] = homes
  const run = (env: NodeJS.ProcessEnv, command = 'exit') => {
    const startedAt = performance.now()
    const { stdout } = spawnSync(shell, [...args, '-c', command], { env, encoding: 'utf8' })
    return { ms: performance.now() - startedAt, stdout }
  }
  // The first runs write what shells keep, and show that one side can complete and the other cannot.
  if (!/list|_fish_cli|_fish-cli/.test(run(own, proof).stdout)) throw new Error(`${title}: the script was not read.`)
  if (/list|_fish_cli|_fish-cli/.test(run(bare, proof).stdout)) throw new Error(`${title}: it completes without it.`)
  const times = Array.from({ length: rounds }, (_, round) => {
    // Whoever comes second may find more in the caches of the machine.
    if (round % 2 === 0) return { own: run(own).ms, bare: run(bare).ms }
    const bareMs = run(bare).ms
    return { own: run(own).ms, bare: bareMs }
  })
  const added = median(times.map((time) => time.own - time.bare))
  const verdict = added <= GOAL_MS ? 'met' : 'MISSED'
  const start = median(times.map((time) => time.bare)).toFixed(1)
  return `${added.toFixed(2).padStart(6)} ms added to ${start.padStart(5)} ms  goal ${GOAL_MS}  ${verdict}`
}

function timeAnswer(): string {
  const env = { ...process.env, FISH_CLI_LINE: 'fish-cli list --profile ' }
  const run = (...args: string[]) => {
    const startedAt = performance.now()
    spawnSync(process.execPath, args, { env })
    return performance.now() - startedAt
  }
  const times = Array.from({ length: rounds }, () => ({ own: run(CLI, '__complete', 'bash'), bare: run('-e', '0') }))
  const ratio = median(times.map((time) => time.own / time.bare)).toFixed(2)
  return `${median(times.map((time) => time.own)).toFixed(1)} ms, ${ratio} x node -e 0`
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
}
