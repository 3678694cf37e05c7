import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext, startServiceContext } from './harness.ts'
import { fishInTerminal, openTerminal, PROGRAM, SKIPPED, type TerminalOptions } from './pseudo-terminal.ts'
import { TerminalScreen } from './terminal-screen.ts'

const context = serviceContext()
const at = (second: number) => `[12:00:${String(second).padStart(2, '0')}] [Render thread/INFO]: `
const nice = (second: number, name: string) => `${at(second)}[CHAT] NICE CATCH! You caught a ${name}.\n`

let players = 0

/** A player who watches a log with nothing in it yet, on a screen. */
async function watchOn(terminalOptions: TerminalOptions, ...flags: readonly string[]) {
  players += 1
  const user = `Watcher${players}`
  const { stdout } = await run(['user', 'create', user, '--json'], { env: context.admin })
  const folder = newFolder()
  const log = join(folder, 'latest.log')
  mkdirSync(join(folder, 'state'))
  writeFileSync(log, '[09:00:00] [main/INFO]: Begun\n')
  const env = {
    FISH_URL: context.service.url,
    ...xdgFolders(folder),
    FISH_USER: user,
    FISH_KEY: JSON.parse(stdout).fernetKey,
    FISH_GAMEMODE: 'earth',
    ...terminalOptions.env,
  }
  const terminal = fishInTerminal(['watch', log, '--from-start', ...flags], { ...terminalOptions, env })
  /** What is on the screen. */
  const screen = () => {
    const shown = new TerminalScreen(terminalOptions.columns ?? 80)
    // A bell and a notification take no place.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one.
    shown.write(terminal.text().replace(/\x1b\](?:9|777);[^\x1b]*\x1b\\/g, ''))
    return shown.lines()
  }
  const until = (pattern: RegExp) =>
    expect.poll(() => screen().join('\n'), { interval: 20, timeout: 10_000 }).toMatch(pattern)
  const catchLines = (text: string) => appendFileSync(log, text)
  const stored = async (gamemode: string) =>
    JSON.parse((await run(['list', '--json', '-g', gamemode], { env })).stdout).fish as readonly { name: string }[]
  await until(/\d sent/)
  return { terminal, screen, until, catchLines, stored, user, log, env }
}

describe.skipIf(SKIPPED !== '')(`watch on a real terminal${SKIPPED}`, () => {
  test.each([40, 80, 200])('shows who, where, catches, what is sent and totals, in %i columns', async (columns) => {
    const { terminal, screen, until, catchLines, user } = await watchOn({ columns, env: { NO_COLOR: '1' } })
    catchLines(`${nice(1, 'Salmon')}${at(2)}[CHAT] FISHING ▶ You fished up a Hermit Crab!\n`)
    catchLines(`${at(3)}[CHAT] NEW ENTRY! You caught a Mythical Leviathan with a length of 112cm for the first time.\n`)
    await until(/0 queued\s.\s3 sent/)
    const lines = screen()
    const text = lines.join('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    // The catches stay above the panel, each once.
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}Salmon {2}Silver, earth$/)
    expect(text.match(/Hermit Crab/g)).toHaveLength(1)
    expect(text.replace(/\s/g, '')).toContain('LeviathanMythical,112cm,firstofitskind,earth')
    for (const part of ['latest.log', user, context.service.url, 'earth', '2 fish, 1 crab', 'Silver 1', 'Mythical 1']) {
      expect(text).toContain(part)
    }
    expect(text).toMatch(/1 first of its kind/)
    expect(text).toMatch(/best: Leviathan, Mythical, 112 cm/)
    expect(lines.filter((line) => /^─+$/.test(line))).toHaveLength(1)

    await terminal.interrupt()
    const { status, isSane, text: all } = await terminal.ended
    expect({ status, isSane }).toEqual({ status: 130, isSane: true })
    const after = new TerminalScreen(columns)
    after.write(all)
    const left = after.lines().join('\n').replace(/\s+/g, ' ')
    // A summary instead of the panel.
    expect(left).not.toContain('q: quit')
    expect(left).not.toContain('Interrupted')
    expect(left).toMatch(/2 fish, 1 crab in \d+ s\. Silver 1, Mythical 1 1 first of its kind, best: Leviathan/)
    expect(left).toContain('3 sent, nothing is queued.')
  })

  test('stays whole when the terminal is resized', async () => {
    const { terminal, catchLines } = await watchOn({ columns: 80, env: { NO_COLOR: '1' } })
    const from = terminal.text().length
    terminal.resize(40)
    await terminal.until(/q: quit/, from)
    catchLines(nice(1, 'Salmon'))
    await terminal.until(/1 sent[\s\S]*q: quit/, from)
    const panel = stripVTControlCharacters(terminal.text().slice(terminal.text().lastIndexOf('───')))
    expect(Math.max(...panel.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(40)
    terminal.type('q')
    expect(await terminal.ended).toMatchObject({ status: 0, isSane: true })
  })

  test('g changes the gamemode until the log names another, and q quits', async () => {
    const { terminal, until, catchLines, stored } = await watchOn({ env: { NO_COLOR: '1' } })
    catchLines(nice(1, 'Before'))
    await until(/1 sent/)
    terminal.type('g')
    await until(/1: oneblock · 2: earth · 3: survival · 4: factions · Esc: keep/)
    terminal.type('x')
    terminal.type('3')
    await until(/Watcher\d+ · survival/)
    catchLines(nice(2, 'Chosen'))
    await until(/Chosen {2}Silver, survival/)
    catchLines(`${at(3)}Connecting to factions.example.net, 25565\n${nice(4, 'Moved')}${at(5)}Stop\n`)
    await until(/Watcher\d+ · factions, from the log/)
    await until(/3 sent/)
    terminal.type('g\u001b')
    await until(/factions, from the log/)
    terminal.type('q')
    expect(await terminal.ended).toMatchObject({ status: 0, isSane: true, text: expect.stringContaining('3 fish') })
    for (const [gamemode, name] of [
      ['earth', 'Before'],
      ['survival', 'Chosen'],
      ['factions', 'Moved'],
    ] as const) {
      expect(await stored(gamemode)).toMatchObject([{ name }])
    }
  })

  test('paints catches in the colour of their rarity, and rings for those that were chosen only', async () => {
    const { terminal, until, catchLines } = await watchOn(
      { env: { TERM: 'xterm-kitty' } },
      '--notify',
      'Mythical,first',
    )
    catchLines(nice(1, 'Salmon'))
    await until(/Salmon/)
    expect(terminal.text()).toContain('\u001b[38;5;243mSalmon\u001b[39m')
    expect(terminal.text()).not.toContain('\u0007')
    catchLines(`${at(3)}[CHAT] NEW ENTRY! You caught a Gold Koi for the first time.\n${at(4)}Stop\n`)
    await until(/Koi/)
    await expect.poll(() => terminal.text()).toContain('\u0007')
    expect(terminal.text()).toContain('\u0007\u001b]9;Koi, Gold, first of its kind\u001b\\')
    terminal.type('q')
    expect(await terminal.ended).toMatchObject({ status: 0, isSane: true })
  })

  test('shows what is queued while the service is away, and says at the end how to send it', async () => {
    const { terminal, until, catchLines } = await watchOn({ env: { NO_COLOR: '1', FISH_URL: 'http://127.0.0.1:1' } })
    catchLines(`${nice(1, 'Salmon')}${at(2)}[CHAT] [Pro] NICE CATCH! You caught a Cod.\n${at(3)}Stop\n`)
    await until(/Catches stay queued/)
    await until(/1 queued · 0 sent/)
    terminal.type('q')
    const { status, text } = await terminal.ended
    expect(status).toBe(0)
    expect(text).toContain('0 sent; 1 catch is queued on this machine. Send them: fish-cli outbox --send')
    expect(text).toContain('1 line looks like a catch but is not recognized')
  })

  test('says when it sends the rest, where few requests remain in a window', async () => {
    const { service, player } = await startServiceContext({ FISH_RATE_LIMIT: '4' })
    onTestFinished(() => service.close())
    const { terminal, until, catchLines } = await watchOn({ env: { ...player, NO_COLOR: '1' } })
    for (const sent of [1, 2]) {
      catchLines(nice(sent, `Fish ${sent}`))
      await until(new RegExp(`0 queued · ${sent} sent`))
    }
    catchLines(nice(3, 'Fish 3'))
    await until(/1 queued · 2 sent · sends at \d\d:\d\d:\d\d, within the rate limit/)
    terminal.type('q')
    expect(await terminal.ended).toMatchObject({ status: 0, isSane: true })
  })

  test('Ctrl-Z gives the terminal back, and fg goes on below what was written meanwhile', async () => {
    const folder = newFolder()
    const log = join(folder, 'latest.log')
    writeFileSync(log, '[09:00:00] [main/INFO]: Begun\n')
    const env = { ...context.player, ...xdgFolders(folder), NO_COLOR: '1', PS1: '$ ', HISTFILE: '/dev/null' }
    const shell = openTerminal(['/bin/bash', '--norc', '--noprofile', '-i'], { env })
    shell.type(`${PROGRAM.join(' ')} watch ${log}\r`)
    await shell.until(/q: quit/)
    shell.type('\u001a')
    await shell.until(/Stopped/)
    shell.type('stty -a | grep -oE "(^|[ ;])-?(icanon|isig)"; echo between\r')
    await shell.until(/between\r\n/)
    expect(shell.text()).toMatch(/\bicanon/)
    expect(shell.text()).not.toMatch(/-icanon|-isig/)
    const from = shell.text().length
    shell.type('fg\r')
    await shell.until(/q: quit/, from)
    // Nothing above is erased.
    expect(shell.text().slice(from)).not.toContain('\u001b[7A')
    const again = shell.text().length
    shell.type('g')
    await shell.until(/Esc: keep/, again)
    shell.type('2q')
    await shell.until(/nothing is queued/, again)
    shell.type('exit\r')
    await shell.ended
  })

  test('fits on a screen of few lines, and erases all of it', async () => {
    const { terminal, catchLines, until } = await watchOn({ rows: 7, env: { NO_COLOR: '1' } })
    catchLines(nice(1, 'Salmon'))
    await until(/1 sent/)
    terminal.type('q')
    const { text } = await terminal.ended
    const screen = new TerminalScreen(80)
    screen.write(text)
    expect(screen.lines().join('\n')).not.toContain('Watching')
  })

  test('refuses what it cannot ring for', async () => {
    const log = join(newFolder(), 'latest.log')
    const env = { ...context.player }
    expect(await run(['watch', log, '--notify', 'golden'], { env })).toMatchObject({ status: 2 })
    expect(await run(['watch', log], { env: { ...env, FISH_NOTIFY: 'golden' } })).toMatchObject({ status: 2 })
  })
})
