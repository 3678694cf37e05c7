import { afterAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/runtime/commands.ts'
import { SECRETS } from './canaries.ts'
import { openContext } from './context.ts'
import { expectFailure, expectFailureJson, expectNoTraces, expectResult } from './expect-cell.ts'
import { RULES, WITHOUT_BODY } from './outcomes.ts'
import { type Exception, type Outcome, type Row, titled } from './row.ts'
import { type Cell, type CellResult, runCell, runIn } from './run-cell.ts'
import { setUp } from './setups.ts'
import { storeOnce } from './store.ts'

const OUTCOMES = (Object.keys(RULES) as (keyof typeof RULES)[]).filter((outcome) => outcome !== 'bad flag')
/** The situations of a command that sends no request: every request would fail, or there is no service at all. */
const WITHOUT_REQUESTS: readonly (keyof typeof RULES)[] = ['500', 'no server']
/** Flags that no command has; behind one there is a secret that somebody put there by mistake. */
const BAD = [['--bogus'], [`--password=${SECRETS.password}`], ['--api-key', SECRETS.apiKey]]
/** Where FISH_OUTPUT=json is tried as well: each way to fail at a different place. */
const PRESET: readonly Outcome[] = ['401', 'no server']

/** Tests every cell of these rows. */
export function describeRows(rows: readonly Row[]): void {
  const stores = storeOnce()
  const { store } = stores
  afterAll(() => stores[Symbol.asyncDispose]())

  describe.each(titled(rows))('$title', ({ row }) => {
    test('succeeds with 0 and data on stdout, and sends the requests it should', async () => {
      const { text, json } = await both({ row, outcome: 'success', store })
      expectResult(row, text, json)
      for (const { requested } of [text, json]) expect([...requested].toSorted()).toEqual([...row.requests].toSorted())
    })

    test('ends with 2 when it is typed wrongly; sends no request, changes nothing, repeats nothing', async () => {
      await using context = await openContext({ store })
      await setUp(context, row.given)
      for (const more of [...BAD, ...(row.bad ? [row.bad] : [])]) {
        const text = await runIn(context, row, { more })
        const json = await runIn(context, row, { more: [...more, '--json'] })
        expectFailure(row, text, json, RULES['bad flag'])
        for (const { requested, changed } of [text, json]) expect([...requested, ...changed]).toEqual([])
        for (const result of [text, json]) expectNoTraces(result)
        await expectPreset(row, await runIn(context, row, { more, env: { FISH_OUTPUT: 'json' } }), RULES['bad flag'])
      }
    })

    for (const outcome of row.requests.length === 0 ? WITHOUT_REQUESTS : OUTCOMES) {
      for (const route of outcome === 'no server' || row.requests.length === 0 ? [undefined] : row.requests) {
        const { exit, code } = expected(row, outcome, route)
        const when =
          outcome === 'no server' ? 'where no server is' : `where ${route ?? 'every request'} gets: ${outcome}`
        test(`ends with ${exit} ${when}`, async () => {
          const cell = { row, outcome, route, store }
          const { text, json } = await both(cell)
          if (code === undefined) expectResult(row, text, json, exit)
          else expectFailure(row, text, json, { exit, code })
          if (row.requests.length === 0) for (const { requested } of [text, json]) expect([...requested]).toEqual([])
          if (code === undefined || !PRESET.includes(outcome) || (route !== undefined && route !== row.requests[0]))
            return
          await expectPreset(row, await runCell(cell, [], { FISH_OUTPUT: 'json' }), { exit, code })
        })
      }
    }

    for (const failure of row.fails ?? []) {
      test(`ends with ${failure.exit} on ${failure.title}`, async () => {
        const { args, env, given, exit, code } = failure
        await using context = await openContext({ store })
        await setUp(context, given ?? row.given)
        const text = await runIn(context, row, { args, env })
        const json = await runIn(context, row, { args, env, more: ['--json'] })
        expectFailure(row, text, json, { exit, code: new RegExp(`^${code}$`) })
        for (const result of [text, json]) expectNoTraces(result)
      })
    }
  })
}

async function both(cell: Cell): Promise<{ readonly text: CellResult; readonly json: CellResult }> {
  const [text, json] = await Promise.all([runCell(cell), runCell(cell, ['--json'])])
  for (const result of [text, json]) expectNoTraces(result)
  return { text, json }
}

/** Where FISH_OUTPUT says how rows are printed, it says how their failures are as well. */
async function expectPreset(
  { id, ...row }: Row,
  result: CellResult,
  failure: { exit: number; code: RegExp },
): Promise<void> {
  const { [id]: Type } = await COMMANDS.load([id])
  const { flags = {} } = Type as unknown as { readonly flags?: object }
  if ('output' in flags) expectFailureJson({ id, ...row }, result, failure)
  else
    expect({ status: result.status, stdout: row.prints === 'lines' ? '' : result.stdout }).toEqual({
      status: failure.exit,
      stdout: '',
    })
  expectNoTraces(result)
}

function expected(row: Row, outcome: keyof typeof RULES, route: string | undefined): { exit: number; code?: RegExp } {
  const { expects = {}, requests } = row
  const exceptions = expects as Readonly<Record<string, Exception | undefined>>
  const exception = (route === undefined ? undefined : exceptions[`${route} ${outcome}`]) ?? exceptions[outcome]
  if (exception) return { exit: exception.exit, ...(exception.code ? { code: new RegExp(`^${exception.code}$`) } : {}) }
  const isSpared = requests.length === 0 || (WITHOUT_BODY.some((each) => each === route) && / answer/.test(outcome))
  return isSpared ? { exit: 0 } : RULES[outcome]
}
