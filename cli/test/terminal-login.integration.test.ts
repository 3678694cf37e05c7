import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'
import { fishInTerminal, SKIPPED } from './pseudo-terminal.ts'
import { TerminalScreen } from './terminal-screen.ts'

const context = serviceContext()

/** The lines of a text on a screen with `columns` columns. */
function linesOn(columns: number, text: string): readonly string[] {
  const screen = new TerminalScreen(columns)
  screen.write(text)
  return screen.lines()
}

describe.skipIf(SKIPPED !== '')(`login in a real terminal${SKIPPED}`, () => {
  test.each([40, 80, 200])('prompts once for each missing value in %i columns', async (columns) => {
    const env = { ...xdgFolders(newFolder()), NO_COLOR: '1' }
    const terminal = fishInTerminal(['login', '--with-api-key'], { columns, env })
    const answer = async (question: RegExp, keys: string) => {
      await terminal.until(question)
      terminal.type(`${keys}\r`)
    }
    await answer(/Address of the service \(.*?\): /s, 'no where')
    await answer(/must\s+be\s+an\s+address.*Address of the service \(.*?\): /s, context.service.url)
    await answer(/Your player name: /, 'Alex')
    await answer(/gamemode, .*press Enter to skip\): /s, 'erth')
    await answer(/mean:\s+earth.*press Enter to skip\): /s, 'earth')
    await answer(/Password of Alex: /, context.alex.password)
    await answer(/API key of Alex: /, context.alex.apiKey)
    const { status, text, isSane } = await terminal.ended
    expect({ status, isSane }).toEqual({ status: 0, isSane: true })
    for (const secret of [context.alex.password, context.alex.apiKey]) expect(text).not.toContain(secret)
    expect(Math.max(...linesOn(columns, text).map((line) => line.length))).toBeLessThanOrEqual(columns)
    const { stdout } = await run(['whoami', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ user: 'Alex', gamemode: 'earth', apiKey: 'file', accepted: true })
    // A second login prompts only for the password.
    const again = fishInTerminal(['login'], { columns, env })
    await again.until(/^Password of Alex: /)
    again.type(`${context.alex.password}\r`)
    expect(await again.ended).toMatchObject({ status: 0, text: expect.stringContaining('Logged in to') })
  })

  test.each([40, 80, 200])(
    'if a login file is given, prompts only for the deletion of the file, in %i columns',
    async (columns) => {
      const home = newFolder()
      const env = { ...xdgFolders(home), NO_COLOR: '1' }
      const file = join(home, 'login.json')
      const argv = ['user', 'create', `Wide${columns}`, '--login-file', file, '--gamemode', 'earth']
      expect(await run(argv, { env: { ...context.admin, ...env } })).toMatchObject({ status: 0 })
      const terminal = fishInTerminal(['login', '--from', file], { columns, env })
      await terminal.until(/\[y\/N\] /)
      terminal.type('y\r')
      expect(await terminal.ended).toMatchObject({ status: 0, isSane: true })
      expect(existsSync(file)).toBe(false)
      expect(await run(['add', 'Koi', '-r', 'gold'], { env })).toMatchObject({ status: 0 })
    },
  )

  test('stores nothing after Ctrl-C at a prompt', async () => {
    const env = { ...xdgFolders(newFolder()), NO_COLOR: '1', FISH_URL: context.service.url }
    const terminal = fishInTerminal(['login', 'Alex'], { env })
    await terminal.until(/press Enter to skip\): /)
    terminal.type('\u0003')
    expect(await terminal.ended).toMatchObject({ status: 130, isSane: true })
    expect(JSON.parse((await run(['profile', '--json'], { env })).stdout).profiles).toEqual([])
  })
})
