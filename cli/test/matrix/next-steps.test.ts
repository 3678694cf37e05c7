import { describe, expect, test } from 'vitest'
import { openContext } from './context.ts'
import type { Row } from './row.ts'
import { runCell, runIn } from './run-cell.ts'
import { setUp } from './setups.ts'
import { storeOnce } from './store.ts'

const { store } = storeOnce()
const LIST_ADMINS: Row = { id: 'admin:list', requests: ['adminLogin', 'listAdmins'] }
const SUPERADMIN: readonly Row[] = [
  { id: 'user:delete', args: ['Alex', '--yes'], requests: ['adminLogin', 'deleteUser'] },
  LIST_ADMINS,
  { id: 'admin:create', args: ['zoe'], requests: ['adminLogin', 'createAdmin'] },
  { id: 'admin:delete', args: ['admin', '--yes'], requests: ['adminLogin', 'deleteAdmin'] },
]
const KEPT: Row = { ...LIST_ADMINS, given: ['session'], env: { FISH_ADMIN_PASSWORD: '' } }
const LIST: Row = { id: 'list', requests: ['getFish'] }

describe('the next step after a failure', () => {
  test.each(SUPERADMIN)('names the rights of a superadmin where those are missing: $id', async (row) => {
    await using context = await openContext({ store })
    const { stderr } = await runIn(context, row, { env: { FISH_ADMIN_USERNAME: 'mia' } })
    expect(stderr).toMatch(/rights of a superadmin\. .*--admin/)
  })

  test.each([
    { id: 'leaderboard', requests: ['leaderboard'] },
    { id: 'user:create', args: ['Bella'], requests: ['createUser'] },
    { id: 'key:rotate', args: ['Alex', '--yes', '--show'], requests: ['resetUser'] },
  ] as const satisfies readonly Row[])('names the rights of an administrator: $id', async (row) => {
    const { stderr } = await runCell({ row, outcome: '403', route: row.requests[0], store })
    expect(stderr).toMatch(/rights of an administrator\. .*--admin/)
  })

  test('says nothing of administrators where a player is refused', async () => {
    const row: Row = { id: 'stats', args: ['Alex', '-g', 'earth'], requests: ['getFish', 'getCrab'] }
    const { stderr } = await runCell({ row, outcome: '403', route: 'getFish', store })
    expect(stderr).not.toContain('needs the rights')
  })

  test('is another login where the session is over', async () => {
    const { stderr } = await runCell({ row: KEPT, outcome: '401', route: 'listAdmins', store })
    expect(stderr).toContain('fish-cli login NAME --admin')
  })

  test('is an API key where the limit of players holds, and none where that of administrators does', async () => {
    const player = await runCell({ row: LIST, outcome: '429', store })
    expect(player.stderr).toContain('or use an API key (FISH_API_KEY)')
    const admin = await runCell({ row: LIST_ADMINS, outcome: '429', route: 'listAdmins', store })
    expect(admin.stderr).toContain('An API key does not lift the limit of administrators.')
  })

  test('is never prompted for with --no-input, on a terminal either', async () => {
    await using context = await openContext({ store })
    const how = { terminal: true, typed: 'canary\r' }
    const asked = await runIn(context, LIST_ADMINS, { more: ['--no-input'], env: { FISH_ADMIN_PASSWORD: '' }, how })
    expect(asked).toMatchObject({ status: 4, stdout: '', traces: [] })
  })
})

describe('the form of a failure', () => {
  test('is what the setting says, unless a flag says otherwise', async () => {
    await using context = await openContext({ store })
    await setUp(context, ['json preset'])
    const failing = (more: readonly string[]) => runIn(context, LIST, { more: ['Nobody', ...more] })
    expect(JSON.parse((await failing([])).stdout).error.code).toBe('user_not_found')
    for (const more of [['--output', 'table'], ['-o', 'csv'], ['--output=tsv']]) {
      const { stdout, stderr } = await failing(more)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^fish-cli: No user/)
    }
  })

  test('is text for commands that print no rows, as what they print is', async () => {
    await using context = await openContext({ store })
    const row: Row = { id: 'add', args: ['Cod'], requests: ['postFish'] }
    const { status, stdout } = await runIn(context, row, { env: { FISH_OUTPUT: 'json' } })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  })
})
