import { expect, test } from 'vitest'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()

test.each<[string, readonly string[]]>([
  ['a message', ['add', 'Cod', '-r', 'gold']],
  ['a note', ['undo', '--yes']],
  ['an error', ['list', '--filter', 'rarity=shiny']],
  ['a table', ['list', '--detail']],
  ['a chart', ['list', '--chart']],
  ['the help', ['mock', '--help']],
  ['the description of a command', ['backup', '--help']],
])('%s is ASCII in a locale without UTF-8', async (_, argv) => {
  await run(['add', 'Cod', 'Eel', '-r', 'gold', '--yes'], { env: context.player })
  for (const locale of [{ LC_ALL: 'C' }, { LANG: 'POSIX' }]) {
    const options = { terminal: true, columns: 60, rows: 20, piped: 'wrong\n' }
    const { stdout, stderr } = await run(argv, { env: { ...context.player, ...locale, NO_COLOR: '1' }, ...options })
    expect((stdout + stderr).replace(/[\x20-\x7e\n]/g, '')).toBe('')
    expect(stdout + stderr).not.toBe('')
  }
})
