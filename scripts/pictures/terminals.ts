import { execFile } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'
import { PROJECT } from '../test-support/language-tools.ts'
import { ROOT, startServerProcess } from '../test-support/server-process.ts'

const [COLUMNS, ROWS] = [80, 18]
const FRAME_MS = 1500
/** Sizes in pixels. */
const [CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN] = [8.4, 19, 14, 16]
const [GROUND, TEXT] = ['#16181d', '#d8dee9']
/** The sixteen standard colours of a terminal, for a dark background. */
const PALETTE = [
  ...['#5c6370', '#f07178', '#a5d66b', '#f0c674', '#7fb0ff', '#d09bef', '#6fd0d8', '#d8dee9'],
  ...['#7f8898', '#ff8b92', '#bbe67e', '#ffd98a', '#9cc4ff', '#e0b3ff', '#8be4ec', '#ffffff'],
]
const CATCHES = ['GREAT CATCH! You caught a Cod', 'EPIC CATCH! You caught a Blue Tang']

/**
 * Above the sixteen standard colours, a terminal has a cube of six steps each of red, green and blue, and then greys.
 */
function colorOf(index: number): string {
  if (index < 16) return PALETTE[index] ?? TEXT
  if (index >= 232) return `rgb(${Array(3).fill(8 + 10 * (index - 232))})`
  return `rgb(${[36, 6, 1].map((weight) => [0, 95, 135, 175, 215, 255][Math.floor((index - 16) / weight) % 6])})`
}

/** Types a line, and adds a frame to the recording when the output matches the pattern. */
type Run = (line: string, pattern?: RegExp) => Promise<void>

/** Types commands into a shell that runs the built program against a service. @returns the screen after each command */
async function record(home: string, play: (run: Run) => Promise<void>, env: Record<string, string>): Promise<string[]> {
  const terminal = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
  const shell = spawn('/bin/sh', ['-i'], { cols: COLUMNS, rows: ROWS, name: 'xterm-256color', cwd: home, env })
  const frames: string[] = []
  let text = ''
  let notify = () => {}
  shell.onData((piece) => {
    text += piece
    notify()
  })
  const waitFor = async (pattern: RegExp) => {
    while (!pattern.test(text)) {
      await new Promise<void>((resolve) => {
        notify = resolve
      })
    }
    const piece = text.replaceAll(home, '/home/alex').replaceAll(env.FISH_URL ?? '', 'http://127.0.0.1:8787')
    text = ''
    await new Promise<void>((resolve) => terminal.write(piece, resolve))
    frames.push(Array.from({ length: ROWS }, (_, row) => drawRow(terminal, row)).join(''))
  }
  try {
    await waitFor(/\$ $/)
    await play(async (line, pattern = /\n\$ $/) => {
      shell.write(line)
      await waitFor(pattern)
    })
    return frames
  } finally {
    shell.kill()
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function drawRow({ buffer: { active } }: headless.Terminal, row: number): string {
  const line = active.getLine(active.viewportY + row)
  const cells = Array.from({ length: COLUMNS }, (_, column) => {
    const cell = line?.getCell(column)
    const text = cell?.getChars() || ' '
    if (!cell || text === ' ') return ''
    const color = cell.isFgPalette() ? ` style="fill:${colorOf(cell.getFgColor())}"` : ''
    const weight = cell.isBold() ? ' font-weight="bold"' : ''
    const opacity = cell.isDim() ? ' opacity="0.7"' : ''
    const x = (MARGIN + column * CELL_WIDTH).toFixed(1)
    return `<tspan x="${x}"${color}${weight}${opacity}>${escaped(text)}</tspan>`
  })
  return `<text y="${MARGIN + row * CELL_HEIGHT + FONT_SIZE}">${cells.join('')}</text>`
}

/**
 * Draws an animated picture that shows the frames one after the other. A reader who prefers reduced motion sees only
 * the last frame.
 */
function draw(frames: readonly string[], title: string): string {
  const [width, height] = [COLUMNS * CELL_WIDTH + 2 * MARGIN, ROWS * CELL_HEIGHT + 2 * MARGIN]
  const groups = frames.map((frame, at) => `<g style="animation-delay:${at * FRAME_MS}ms">${frame}</g>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>
text{font:${FONT_SIZE}px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${TEXT}}
g{visibility:hidden;animation:show ${frames.length * FRAME_MS}ms step-end infinite}
@keyframes show{0%{visibility:visible}${(100 / frames.length).toFixed(3)}%{visibility:hidden}}
@media(prefers-reduced-motion:reduce){g{animation:none}g:last-of-type{visibility:visible}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
${groups.join('\n')}
</svg>
`
}

/** Records the pictures of docs/recordings again. */
export async function recordTerminals(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'fish-recording-'))
  const program = join(PROJECT, 'cli/bin/run.js')
  const settings = { HOME: home, FISH_STORAGE: `file:${home}/data`, FISH_RATE_LIMIT: '1000' }
  const server = await startServerProcess(settings, [], [program, 'serve'])
  const env = {
    ...{ PATH: [join(home, 'bin'), process.env.PATH].join(delimiter), HOME: home, PS1: '$ ', LANG: 'C.UTF-8' },
    ...{ FISH_SECRET_STORE: 'file', FISH_URL: server.url },
    ...{ FISH_ADMIN_USERNAME: ROOT.username, FISH_ADMIN_PASSWORD: ROOT.password },
  }
  const log = join(home, '.minecraft/logs/latest.log')
  const unseen = (...args: string[]) => promisify(execFile)(join(home, 'bin/fish-cli'), args, { env, cwd: home })
  const write = async (name: string, title: string, play: (run: Run) => Promise<void>) =>
    writeFile(join(PROJECT, 'docs/recordings', `${name}.svg`), draw(await record(home, play, env), title))
  try {
    await mkdir(join(home, 'bin'))
    await mkdir(join(home, '.minecraft/logs'), { recursive: true })
    await writeFile(log, '[11:00:00] [Render thread/INFO]: Setting user: Alex\n')
    const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`
    await writeFile(join(home, 'bin/fish-cli'), script, { mode: 0o755 })
    await unseen('user', 'create', 'Alex', '--login-file', 'alex.json', '--gamemode', 'earth')
    await write(
      'play',
      'fish-cli logs in, adds a fish, lists the fish, and follows the log of the game',
      async (run) => {
        await run('fish-cli login --from alex.json\r', /\[y\/N\]/)
        await run('y\r')
        await run('fish-cli add Salmon --rarity gold\r')
        await run('fish-cli list\r')
        // `watch --once` stores the end of the log as the position, so the next `watch` also reads lines that are
        // written while it starts.
        await unseen('watch', '--once')
        await run('fish-cli watch\r', /Watching/)
        for (const line of CATCHES) {
          await appendFile(log, `[11:02:00] [Render thread/INFO]: [CHAT] ${line} with a length of 53.1cm.\n`)
          await run('', line.includes('Cod') ? /Cod/ : /Blue Tang/)
        }
        await run('', /2 sent/)
        await run('\u0003')
      },
    )
    await write('run-a-service', 'fish-cli creates a player, lists the players, and backs them up', async (run) => {
      await run('fish-cli user create Bea --login-file bea.json --gamemode earth\r')
      await run('fish-cli user list\r')
      await run('fish-cli status\r')
      await run('fish-cli backup ./backup --storage file:./data\r')
    })
  } finally {
    await server.end('SIGTERM')
    await rm(home, { recursive: true, force: true })
  }
}
