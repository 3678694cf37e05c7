import { beforeEach, describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext } from './harness.ts'
import { fishInTerminal, SKIPPED } from './pseudo-terminal.ts'
import { TerminalScreen } from './terminal-screen.ts'

const context = serviceContext()
let env: Env
let player: string
let players = 0

beforeEach(async () => {
  players += 1
  player = `Player${players}`
  const created = await run(['user', 'create', player, '--json'], { env: context.admin })
  const { password, fernetKey } = JSON.parse(created.stdout)
  const home = xdgFolders(newFolder())
  env = { ...context.base, ...home, FISH_USER: player, FISH_KEY: fernetKey, TEST_PASSWORD: password, NO_COLOR: '1' }
  for (const name of ['Cod', 'A fish with a name that is longer than the narrowest of the three terminals']) {
    expect(await run(['add', name, '-r', 'gold', '--yes'], { env })).toMatchObject({ status: 0 })
  }
})

const names = async (gamemode = 'earth') =>
  JSON.parse((await run(['list', '-g', gamemode, '--json'], { env })).stdout).fish.map(
    ({ name }: { name: string }) => name,
  )

/** The lines of a text on a screen with `columns` columns. */
function linesOn(columns: number, text: string): readonly string[] {
  const screen = new TerminalScreen(columns)
  screen.write(text)
  return screen.lines()
}

describe.skipIf(SKIPPED !== '')(`undo and remove in a real terminal${SKIPPED}`, () => {
  test.each([40, 80, 200])(
    'undo shows the catch, prompts, and prints the command that adds the catch again, in %i columns',
    async (columns) => {
      const no = fishInTerminal(['undo'], { columns, env })
      await no.until(/\[y\/N\] /)
      no.type('n\r')
      expect(await no.ended).toMatchObject({
        status: 1,
        isSane: true,
        text: expect.stringContaining('Nothing was changed'),
      })
      expect(await names()).toHaveLength(2)

      const terminal = fishInTerminal(['undo'], { columns, env })
      await terminal.until(/\[y\/N\] /)
      const asked = linesOn(columns, terminal.text())
      expect(asked.join(' ').replace(/\s+/g, ' ')).toMatch(
        /A fish with a name that is longer than .* · Gold .*Remove 1 catch of/,
      )
      expect(Math.max(...asked.map((line) => line.length))).toBeLessThanOrEqual(columns)
      terminal.type('y\r')
      await terminal.until(/Password of Player\d+: /)
      terminal.type(`${env.TEST_PASSWORD}\r`)
      const { status, text, isSane } = await terminal.ended
      expect({ status, isSane }).toEqual({ status: 0, isSane: true })
      expect(text).not.toContain(env.TEST_PASSWORD)
      expect(await names()).toEqual(['Cod'])
      const [, file = ''] = /fish-cli add --file (\S+) --user/.exec(text) ?? []
      expect(await run(['add', '--file', file], { env })).toMatchObject({ status: 0 })
      expect(await names()).toHaveLength(2)
    },
  )

  test('undo exits after Ctrl-C at any prompt, and changes nothing', async () => {
    for (const question of [/\[y\/N\] /, /Password of Player\d+: /]) {
      const terminal = fishInTerminal(['undo'], { env })
      await terminal.until(/\[y\/N\] /)
      if (question.source.startsWith('Password')) {
        terminal.type('y\r')
        await terminal.until(question)
      }
      terminal.type('\x03')
      expect(await terminal.ended).toMatchObject({ status: 130, isSane: true })
    }
    expect(await names()).toHaveLength(2)
  })

  test('remove with a range needs the name of the player as confirmation, and does not accept y', async () => {
    const argv = ['remove', '--user', player, '--since', '1h']
    const admin = { ...env, ...context.admin }
    for (const [typed, status, left] of [
      ['y', 1, 2],
      [player, 0, 0],
    ] as const) {
      const terminal = fishInTerminal(argv, { env: admin })
      await terminal.until(/Type Player\d+ to confirm: /)
      terminal.type(`${typed}\r`)
      expect(await terminal.ended).toMatchObject({ status, isSane: true })
      expect(await names()).toHaveLength(left)
    }
  })
})
