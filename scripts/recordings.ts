// npm run recordings: types commands into a real shell with the built program and a real service, and draws what the terminal
// showed, as pictures that move (docs/recordings/).
import { execFile } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { createRecorder } from './recordings/recorder.ts'
import { drawRecording } from './recordings/svg.ts'
import { PROJECT } from './test-support/language-tools.ts'
import { ROOT, startServerProcess } from './test-support/server-process.ts'

const SIZE = { columns: 80, rows: 18 }
const PROMPT = '$ '

const home = await mkdtemp(join(tmpdir(), 'fish-recording-'))
const PROGRAM = join(PROJECT, 'cli/bin/run.js')
const server = await startServerProcess(
  { HOME: home, FISH_STORAGE: `file:${home}/data`, FISH_RATE_LIMIT: '1000' },
  [],
  [PROGRAM, 'serve'],
)

const ENV = {
  PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
  HOME: home,
  PS1: PROMPT,
  LANG: 'C.UTF-8',
  FISH_SECRET_STORE: 'file',
  FISH_URL: server.url,
  FISH_ADMIN_USERNAME: ROOT.username,
  FISH_ADMIN_PASSWORD: ROOT.password,
}

/** Runs fish-cli where nobody sees it. */
const program = (...args: readonly string[]) =>
  promisify(execFile)(join(home, 'bin/fish-cli'), args, { env: ENV, cwd: home })

/** What differs from run to run is shown as it would be on the machine of a reader. */
const shown = (piece: string) => piece.replaceAll(home, '/home/alex').replaceAll(server.url, 'http://127.0.0.1:8787')

/** A shell in a terminal that is recorded. */
async function openShell() {
  const recorder = createRecorder(SIZE)
  const shell = spawn('/bin/sh', ['-i'], {
    cols: SIZE.columns,
    rows: SIZE.rows,
    name: 'xterm-256color',
    cwd: home,
    env: ENV,
  })
  let text = ''
  let wake = () => {}
  shell.onData((piece) => {
    text += piece
    wake()
  })
  const until = async (pattern: RegExp) => {
    while (!pattern.test(text)) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  /** Shows what was written since the last time. */
  const show = async () => {
    const piece = text
    text = ''
    await recorder.write(shown(piece))
  }
  await until(/\$ $/)
  await show()
  return {
    recorder,
    /** Types a line, and waits until the command ended, or has written something. */
    async run(line: string, done = /\$ $/) {
      await recorder.type(line)
      shell.write(`${line}\r`)
      // The terminal shows what is typed, too.
      await until(new RegExp(`^${line}\\r\\n`))
      text = text.slice(line.length)
      await until(done)
      await show()
      recorder.pause(1200)
    },
    async waitFor(pattern: RegExp) {
      await until(pattern)
      await show()
      recorder.pause(900)
    },
    press: (keys: string) => shell.write(keys),
    end: () => shell.kill(),
  }
}

type Shell = Awaited<ReturnType<typeof openShell>>

const LOG = join(home, '.minecraft/logs/latest.log')

/** Lines of the game's log. */
const CHAT = [
  { name: 'Cod', praise: 'GREAT' },
  { name: 'Blue Tang', praise: 'EPIC' },
].map(({ name, praise }) => ({
  name,
  line: `[11:02:00] [Render thread/INFO]: [CHAT] ${praise} CATCH! You caught a ${name} with a length of 53.1cm.\n`,
}))

interface Recording {
  readonly name: string
  readonly title: string
  readonly play: (shell: Shell) => Promise<void>
}

const RECORDINGS: readonly Recording[] = [
  {
    name: 'play',
    title: 'fish-cli logs in with a file, adds a fish, lists the collection, and follows the log of the game',
    async play(shell) {
      await shell.run('fish-cli login --from alex.json', /\[y\/N\]/)
      shell.press('y\r')
      await shell.waitFor(/\$ $/)
      await shell.run('fish-cli add Salmon --rarity gold')
      await shell.run('fish-cli list')
      // It goes on where the last run ended: what the game writes while it starts counts.
      await program('watch', '--once')
      await shell.run('fish-cli watch', /Watching/)
      for (const { name, line } of CHAT) {
        await appendFile(LOG, line)
        await shell.waitFor(new RegExp(name))
      }
      await shell.waitFor(/0 queued · 2 sent/)
      shell.press('\u0003')
      await shell.waitFor(/\$ $/)
    },
  },
  {
    name: 'run-a-service',
    title: 'fish-cli creates a player, lists the players, shows that the service works, and backs it up',
    async play(shell) {
      await shell.run('fish-cli user create Bea --login-file bea.json --gamemode earth')
      await shell.run('fish-cli user list')
      await shell.run('fish-cli status')
      await shell.run('fish-cli backup ./backup --storage file:./data')
    },
  },
]

const folder = join(PROJECT, 'docs/recordings')
try {
  await mkdir(join(home, 'bin'))
  await mkdir(join(home, '.minecraft/logs'), { recursive: true })
  await writeFile(LOG, '[11:00:00] [Render thread/INFO]: Setting user: Alex\n')
  await writeFile(join(home, 'bin/fish-cli'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
    mode: 0o755,
  })
  await program('user', 'create', 'Alex', '--login-file', 'alex.json', '--gamemode', 'earth')
  await mkdir(folder, { recursive: true })
  for (const { name, title, play } of RECORDINGS) {
    const shell = await openShell()
    try {
      await play(shell)
      const { frames, endMs } = shell.recorder
      await writeFile(join(folder, `${name}.svg`), drawRecording(frames, endMs, SIZE, title))
    } finally {
      shell.end()
    }
  }
} finally {
  await server.end('SIGTERM')
  await rm(home, { recursive: true, force: true })
}
