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

/** Runs the command line of a row with further arguments, and checks that no secret leaves the machine. */
async function runRow(
  [line, , { env, shows, runsOn } = {}]: Row,
  machine: Machine,
  more: readonly string[],
  conditions: Conditions = {},
): Promise<Result> {
  const how = { ...(runsOn && stopOnceReady()), ...conditions.how }
  const result = await runOn(machine, [...line.split(' '), ...more], { how, shows, env: { ...conditions.env, ...env } })
  expect(result.traces).toEqual([])
  if (more.includes('--json') && !runsOn) expect(result.stderr).toBe('')
  return result
}

function expectData({ status, stdout }: Result, { lines, findings }: Exceptions = {}, exit = findings ?? 0): void {
  expect(status, stdout).toBe(exit)
  for (const text of lines ? stdout.trimEnd().split('\n') : [stdout]) {
    expect(JSON.parse(text)).not.toHaveProperty('error')
  }
}

describe.each<Row>(ROWS)('%s', (...row) => {
  const [, requests, exceptions = {}] = row

  test('succeeds with the expected requests, and prints no secret', async () => {
    await using machine = await openMachine(stores)
    await setUp(machine, exceptions.given)
    const result = await runRow(row, machine, ['--json'])
    expectData(result, exceptions, 0)
    expect(result.requested).toEqual(requests.split(' ').filter(Boolean).toSorted())
  })

  test('reports a bad flag in one document that contains no secret, and sends and changes nothing', async () => {
    await using machine = await openMachine(stores)
    await setUp(machine, exceptions.given)
    const bad = await runRow(row, machine, [`--password=${SECRETS.password}`, '--json'])
    expect(expectErrorDocument(bad, exceptions.lines)).toMatchObject({
      code: 'usage',
      exit: 2,
      hint: expect.any(String),
    })
    expect([...bad.requested, ...bad.changed]).toEqual([])
  })

  test('prints no secret from a file or a stored login, even if the service rejects the secret', async () => {
    await using machine = await openMachine(stores)
    await copyLogins(loggedIn, machine)
    const given = exceptions.given?.filter((setup) => setup !== 'login' && setup !== 'session')
    await setUp(machine, given)
    const files = await inFiles(machine)
    const text = await runRow(row, machine, [], { env: files })
    expect(text.stdout === '', text.stderr).toBe(text.status !== 0)
    machine.mock.fail({ status: 401 }, ALWAYS)
    await runRow(row, machine, [], { env: files })
    await runRow(row, machine, ['--json'], { env: NO_ACCOUNTS })
  })
})

const ONLINE = ROWS.filter(([, requests]) => requests !== '')
const hasFindings = ([, , exceptions]: Row) => exceptions?.findings !== undefined

async function runUnreachable(row: Row): Promise<Result> {
  await using machine = await openMachine(stores)
  await setUp(machine, row[2]?.given)
  machine.mock.fail('reset', ALWAYS)
  return await runRow(row, machine, ['--json'])
}

test.each(ONLINE.filter((row) => !hasFindings(row)))('%s reports an unreachable service', async (...row) => {
  const error = expectErrorDocument(await runUnreachable(row), row[2]?.lines)
  expect(error).toMatchObject({ code: 'unreachable', exit: 69, hint: expect.any(String) })
})

test.each(ONLINE.filter(hasFindings))('%s lists an unreachable service as a finding', async (...row) => {
  expectData(await runUnreachable(row), row[2])
})

test.each(ONLINE.filter((row) => !hasFindings(row) && !row[2]?.ownClock))(
  '%s reports an unexpected error without the secrets that it contains',
  async (...row) => {
    await using machine = await openMachine(stores)
    await setUp(machine, row[2]?.given)
    const now = () => {
      throw new Error(`${SECRETS.password} ${SECRETS.fernetKey}`)
    }
    const how = { clock: { now, sleep: () => Promise.resolve() } }
    const unexpected = await runRow(row, machine, ['--json'], { how })
    expect(expectErrorDocument(unexpected, row[2]?.lines)).toMatchObject({ code: 'internal_error', exit: 1 })
  },
)
