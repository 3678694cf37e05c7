import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'
import { fishInTerminal, SKIPPED, type TerminalOptions } from './pseudo-terminal.ts'
import { TerminalScreen } from './terminal-screen.ts'

const context = serviceContext()
const at = (second: number) => `[12:00:${String(second).padStart(2, '0')}] [Render thread/INFO]: `
const nice = (second: number, name: string) => `${at(second)}[CHAT] NICE CATCH! You caught a ${name}.\n`

let players = 0

/** Creates a player, and starts watch in a terminal for a log without catches. */
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
  const terminal = fishInTerminal(['watch', log, ...flags], { ...terminalOptions, env })
  /** The visible lines of the terminal. */
  const screen = () => {
    const shown = new TerminalScreen(terminalOptions.columns ?? 80)
    shown.write(terminal.text())
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
  test.each([40, 80, 200])(
    'shows catches, totals and the queue in %i columns, and a summary at the end',
    async (columns) => {
      const { terminal, screen, until, catchLines } = await watchOn({ columns, env: { NO_COLOR: '1' } })
      catchLines(`${nice(1, 'Salmon')}${at(2)}[CHAT] FISHING ▶ You fished up a Hermit Crab!\n`)
      catchLines(
        `${at(3)}[CHAT] NEW ENTRY! You caught a Mythical Leviathan with a length of 112cm for the first time.\n`,
      )
      await until(/0 waiting, 3 sent/)
      const text = screen().join('\n')
      expect(text.match(/Hermit Crab/g)).toHaveLength(1)
      const details = 'LeviathanMythical,112cm,firstofitskind,earth(2fish,1crab)'
      expect(text.replace(/\s/g, '')).toContain(details)
      await terminal.interrupt()
      const { status, isSane, text: all } = await terminal.ended
      expect({ status, isSane }).toEqual({ status: 130, isSane: true })
      const after = new TerminalScreen(columns)
      after.write(all)
      const left = after.lines().join('\n').replace(/\s+/g, ' ')
      expect(left).not.toContain('waiting')
      expect(left).toContain('fish-cli: 2 fish, 1 crab.')
      expect(left).toContain('Interrupted. Nothing is left to send.')
    },
  )

  test('colours rarities, and rings the bell only for the catches that --notify selects', async () => {
    const { terminal, until, catchLines } = await watchOn({ env: {} }, '--notify', 'Mythical,first')
    catchLines(nice(1, 'Salmon'))
    await until(/Salmon/)
    expect(terminal.text()).toContain('\u001b[38;5;243mSilver\u001b[39m')
    expect(terminal.text()).not.toContain('\u0007')
    catchLines(`${at(3)}[CHAT] NEW ENTRY! You caught a Gold Koi for the first time.\n${at(4)}Stop\n`)
    await expect.poll(() => terminal.text()).toContain('\u0007')
    await terminal.interrupt()
    expect(await terminal.ended).toMatchObject({ status: 130, isSane: true })
  })

  test('shows waiting catches while the service is unreachable, and prints the command that sends them', async () => {
    const { terminal, until, catchLines } = await watchOn({ env: { NO_COLOR: '1', FISH_URL: 'http://127.0.0.1:1' } })
    catchLines(`${nice(1, 'Salmon')}${at(2)}[CHAT] [Pro] NICE CATCH! You caught a Cod.\n${at(3)}Stop\n`)
    await until(/Your\s+catches\s+wait\s+in\s+the\s+outbox/)
    await until(/1 waiting, 0 sent/)
    await terminal.interrupt()
    const { status, text } = await terminal.ended
    expect(status).toBe(130)
    expect(text).toContain('1 catch is waiting in the outbox.')
    expect(text).toContain('Send the catches: fish-cli outbox --send')
    expect(text).toContain('1 line looks like a catch but is not recognized')
  })

  test('rejects an unknown value of --notify', async () => {
    const log = join(newFolder(), 'latest.log')
    const env = { ...context.player }
    expect(await run(['watch', log, '--notify', 'golden'], { env })).toMatchObject({ status: 2 })
    expect(await run(['watch', log], { env: { ...env, FISH_NOTIFY: 'golden' } })).toMatchObject({ status: 2 })
  })
})
