import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tracesIn } from './canaries.ts'
import { openContext } from './context.ts'
import { expectNoTraces, expectResult } from './expect-cell.ts'
import { OPERATOR_ROWS } from './rows/operators.ts'
import { runIn } from './run-cell.ts'
import { setUp } from './setups.ts'
import { storeOnce } from './store.ts'

const stores = storeOnce()
const { store } = stores
afterAll(() => stores[Symbol.asyncDispose]())

const KEEPERS = ['backup', 'restore', 'export', 'import', 'rotate-secret']

test('a data folder holds encrypted keys and hashes, and no secret as it is', async () => {
  const { folder, made } = await store()
  expect(filesWith(folder, made)).toEqual([])
})

test.each(OPERATOR_ROWS.filter(({ id }) => KEEPERS.includes(id)))('so does what $id makes', async (row) => {
  await using context = await openContext({ store })
  await setUp(context, row.given)
  const result = await runIn(context, row, { more: ['--json'] })
  expectNoTraces(result)
  expectResult(row, result, result)
  const { made } = await store()
  for (const secret of made) expect((result.stdout + result.stderr).includes(secret)).toBe(false)
  expect(filesWith(context.home, made)).toEqual([])
})

/** The names of files in which secrets are: given ones in any form, made ones as they are. */
function filesWith(folder: string, made: readonly string[]): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const found = entries.filter(({ parentPath, name }) => {
    const text = readFileSync(join(parentPath, name), 'latin1')
    return tracesIn(text, ['new']).length > 0 || made.some((secret) => text.includes(secret))
  })
  expect(entries.length).toBeGreaterThan(0)
  return found.map(({ name }) => name)
}
