import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/program/commands.ts'
import type { Env, RunOptions } from '../harness.ts'
import { SECRETS } from './canaries.ts'
import { expectErrorDocument } from './expect-error.ts'
import {
  ACCOUNTS,
  type Conditions,
  copyLogins,
  type Machine,
  openMachine,
  type Result,
  runOn,
  setUp,
} from './machine.ts'
import { type Exceptions, ROWS, type Row } from './rows.ts'
import { storeOnce } from './store.ts'

const stores = storeOnce()
let loggedIn: Machine
beforeAll(async () => {
  loggedIn = await openMachine(stores)
  await setUp(loggedIn, ['login', 'session'])
})
afterAll(async () => {
  await loggedIn[Symbol.asyncDispose]()
  await stores[Symbol.asyncDispose]()
})

const NO_ACCOUNTS = Object.fromEntries(Object.keys(ACCOUNTS).map((name) => [name, '']))
const ALWAYS = { times: Number.POSITIVE_INFINITY }

/** Writes the secrets of accounts to files, and returns the variables with the paths. */
async function inFiles({ home }: Machine): Promise<Env> {
  const entries = Object.entries(ACCOUNTS).map(async ([name, secret]) => {
    await writeFile(join(home, name), `${secret}\n`)
    return [`${name}_FILE`, join(home, name)] as const
  })
  return { ...NO_ACCOUNTS, ...Object.fromEntries(await Promise.all(entries)) }
}

function stopOnceReady(): RunOptions {
  const ready = Promise.withResolvers<void>()
  const stops = [ready.promise]
  return { onStdout: () => ready.resolve(), stopRequested: () => stops.shift() ?? new Promise(() => {}) }
}

test('each command has a row, and each row belongs to a command', () => {
  const found = ROWS.map(([line]) => COMMANDS.find(line.split(' '))?.id)
  expect([...new Set(found)].toSorted()).toEqual(COMMANDS.ids.toSorted())
})

describe.each<Row>(ROWS)('%s', (line, requests, exceptions = {}) => {
  const { given, env, shows, lines, findings, runsOn }: Exceptions = exceptions
  const routes = requests.split(' ').filter(Boolean).toSorted()

  const runRow = async (machine: Machine, more: readonly string[], conditions: Conditions = {}): Promise<Result> => {
    const how = { ...(runsOn && stopOnceReady()), ...conditions.how }
    const result = await runOn(machine, [...line.split(' '), ...more], {
      how,
      shows,
      env: { ...conditions.env, ...env },
    })
    expect(result.traces).toEqual([])
    if (more.includes('--json') && !runsOn) expect(result.stderr).toBe('')
    return result
  }

  function expectData({ status, stdout }: Result, exit = 0): void {
    expect(status, stdout).toBe(exit)
    for (const text of lines ? stdout.trimEnd().split('\n') : [stdout]) {
      expect(JSON.parse(text)).not.toHaveProperty('error')
    }
  }

  test('succeeds with the expected requests, and prints no secret', async () => {
    await using machine = await openMachine(stores)
    await setUp(machine, given)
    const result = await runRow(machine, ['--json'])
    expectData(result)
    expect(result.requested).toEqual(routes)
  })

  test('reports a bad flag, an unreachable service and an unexpected error, each in one document that contains no secret', async () => {
    await using machine = await openMachine(stores)
    await setUp(machine, given)
    const bad = await runRow(machine, [`--password=${SECRETS.password}`, '--json'])
    expect(expectErrorDocument(bad, lines)).toMatchObject({ code: 'usage', exit: 2, hint: expect.any(String) })
    expect([...bad.requested, ...bad.changed]).toEqual([])

    const fault = machine.mock.fail('reset', ALWAYS)
    const unreachable = await runRow(machine, ['--json'])
    if (findings === undefined && routes.length > 0) {
      const error = expectErrorDocument(unreachable, lines)
      expect(error).toMatchObject({ code: 'unreachable', exit: 69, hint: expect.any(String) })
    } else expectData(unreachable, findings)
    if (routes.length === 0) expect(unreachable.requested).toEqual([])
    fault.cancel()

    const now = () => {
      throw new Error(`${SECRETS.password} ${SECRETS.fernetKey}`)
    }
    const clock = { now, sleep: () => Promise.resolve() }
    const unexpected = await runRow(machine, ['--json'], { how: { clock } })
    // Some commands do not use the clock, and do not fail.
    if (unexpected.status === 0 || routes.length === 0 || findings !== undefined) return
    expect(expectErrorDocument(unexpected, lines)).toMatchObject({ code: 'internal_error', exit: 1 })
  })

  test('prints no secret from a file or a stored login, even if the service rejects the secret', async () => {
    await using machine = await openMachine(stores)
    await copyLogins(loggedIn, machine)
    await setUp(
      machine,
      given?.filter((setup) => setup !== 'login' && setup !== 'session'),
    )
    const files = await inFiles(machine)
    const text = await runRow(machine, [], { env: files })
    expect(text.stdout === '', text.stderr).toBe(text.status !== 0)
    machine.mock.fail({ status: 401 }, ALWAYS)
    await runRow(machine, [], { env: files })
    await runRow(machine, ['--json'], { env: NO_ACCOUNTS })
  })
})
