import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fault } from '@fish-crab/mocks'
import { afterAll, describe, expect, test } from 'vitest'
import type { Env } from '../harness.ts'
import { SECRETS, tracesIn } from './canaries.ts'
import { openContext, SECRET_VARIABLES } from './context.ts'
import { expectFailureJson, expectNoTraces } from './expect-cell.ts'
import { titled } from './row.ts'
import { ALL_ROWS } from './rows/all.ts'
import { type Cell, runIn } from './run-cell.ts'
import { loginsOnce, setUp } from './setups.ts'
import { storeOnce } from './store.ts'

const stores = storeOnce()
const { store } = stores
afterAll(() => stores[Symbol.asyncDispose]())
const logins = loginsOnce()
afterAll(() => logins[Symbol.asyncDispose]())

describe('tracesIn', () => {
  test('finds a secret in every form it may be written in, and nothing elsewhere', () => {
    const { password } = SECRETS
    const basic = Buffer.from(`Alex:${password}`)
    for (const text of [
      `before ${password} behind`,
      JSON.stringify({ password }),
      JSON.stringify(JSON.stringify({ password })),
      `/path?name=${encodeURIComponent(password)}`,
      new URLSearchParams({ password }).toString(),
      `Basic ${basic.toString('base64')}`,
      basic.toString('base64url'),
      basic.toString('hex'),
      basic.toString('latin1'),
      Buffer.from(JSON.stringify({ password })).toString('latin1'),
    ]) {
      expect(tracesIn(text)).toContain('password')
    }
    expect(tracesIn('the first word of a canary')).toEqual(['a part of a secret'])
    expect(tracesIn('Logged in to http://127.0.0.1:8787 as Alex.')).toEqual([])
  })
})

/** The same secrets in files that variables point to. */
const IN_FILES = [
  'FISH_PASSWORD',
  'FISH_ADMIN_PASSWORD',
  'FISH_NEW_ADMIN_PASSWORD',
  'FISH_KEY',
  'FISH_API_KEY',
] as const

async function inFiles(home: string): Promise<Env> {
  await Promise.all(IN_FILES.map((name) => writeFile(join(home, name), `${SECRET_VARIABLES[name]}\n`)))
  return Object.fromEntries(
    IN_FILES.flatMap((name) => [
      [name, ''],
      [`${name}_FILE`, join(home, name)],
    ]),
  )
}

describe.each(titled(ALL_ROWS))('$title', ({ row }) => {
  // Who asks no service has one way to end.
  const some = <Case>(cases: readonly Case[]) => (row.requests.length === 0 ? cases.slice(0, 1) : cases)

  test.each(some<Cell['outcome']>(['success', 'no server']))(
    'shows no secret that comes from a file: %s',
    async (outcome) => {
      await using context = await openContext({ store, withoutServer: outcome === 'no server' })
      await setUp(context, row.given)
      const env = { ...(await inFiles(context.home)), ...row.env }
      for (const more of [[], ['--json']]) expectNoTraces(await runIn(context, row, { more, env }))
    },
  )

  test.each(
    some<readonly [string, Fault | undefined]>([
      ['success', undefined],
      ['401', { status: 401 }],
      ['no answer', 'reset'],
    ]),
  )('shows no secret that login kept: %s', async (_, fault) => {
    await using context = await openContext({ store })
    await logins.logIn(context)
    await setUp(
      context,
      row.given?.filter((setup) => setup !== 'login' && setup !== 'session'),
    )
    if (fault) context.mock.fail(fault, { times: Number.POSITIVE_INFINITY })
    const env = { ...Object.fromEntries(IN_FILES.map((name) => [name, ''])), ...row.env }
    for (const more of [[], ['--json']]) expectNoTraces(await runIn(context, row, { more, env }))
  })

  test('shows no secret that the message of an unforeseen error quotes', async () => {
    await using context = await openContext({ store })
    await setUp(context, row.given)
    const clock = {
      now() {
        throw new Error(`clock of ${SECRETS.password} and ${SECRETS.fernetKey}`)
      },
      sleep: () => Promise.resolve(),
    }
    const result = await runIn(context, row, { more: ['--json'], how: { clock } })
    expectNoTraces(result)
    // Not all need a clock, and in a report it is a finding.
    if (result.status === 0 || row.id === 'doctor') return
    expectFailureJson(row, result, { exit: 1, code: /^internal_error$/ })
  })
})
