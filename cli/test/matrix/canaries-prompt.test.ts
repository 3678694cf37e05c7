import { describe, expect, test } from 'vitest'
import { openContext, SECRET_VARIABLES } from './context.ts'
import { expectNoTraces } from './expect-cell.ts'
import type { Row } from './row.ts'
import { runIn } from './run-cell.ts'
import { storeOnce } from './store.ts'

const { store } = storeOnce()

// Whose password is asked for, or read from stdin.
const ASKING: readonly {
  readonly row: Row
  readonly variable: keyof typeof SECRET_VARIABLES
}[] = [
  { row: { id: 'login', args: ['Alex'], requests: ['getUserKey', 'postFish'] }, variable: 'FISH_PASSWORD' },
  { row: { id: 'login', args: ['admin', '--admin'], requests: ['adminLogin'] }, variable: 'FISH_ADMIN_PASSWORD' },
  { row: { id: 'key:get', requests: ['getUserKey'] }, variable: 'FISH_PASSWORD' },
  { row: { id: 'key:get', args: ['Alex'], requests: ['getUserKey'] }, variable: 'FISH_ADMIN_PASSWORD' },
  {
    row: { id: 'admin:create', args: ['zoe'], requests: ['adminLogin', 'createAdmin'] },
    variable: 'FISH_NEW_ADMIN_PASSWORD',
  },
]

describe.each(ASKING.map((each) => ({ ...each, title: [each.row.id, ...(each.row.args ?? [])].join(' ') })))(
  '$title',
  ({ row, variable }) => {
    test.each(['success', '401', 'no server'] as const)('shows no password from stdin: %s', async (outcome) => {
      for (const more of [['--password-stdin'], ['--password-stdin', '--json']]) {
        await using context = await openContext({ store, withoutServer: outcome === 'no server' })
        if (outcome === '401') context.mock.fail({ status: 401 }, { times: Number.POSITIVE_INFINITY })
        const how = { piped: `${SECRET_VARIABLES[variable]}\n` }
        const result = await runIn(context, row, { more, env: { [variable]: '' }, how })
        expectNoTraces(result)
        expect(result.status).toBe({ success: 0, 401: 4, 'no server': 69 }[outcome])
      }
    })

    test('shows nothing of a password that is typed', async () => {
      await using context = await openContext({ store })
      const how = { terminal: true, typed: `${SECRET_VARIABLES[variable]}\r` }
      const result = await runIn(context, row, { env: { [variable]: '' }, how })
      expectNoTraces(result)
      // A new password is asked for twice, and this one was typed once.
      expect(result.status).toBe(variable === 'FISH_NEW_ADMIN_PASSWORD' ? 4 : 0)
    })
  },
)
