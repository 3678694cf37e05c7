import { afterAll, describe, expect, test } from 'vitest'
import { SECRETS, tracesIn } from './canaries.ts'
import { ACCOUNTS, openMachine, runOn } from './machine.ts'
import { storeOnce } from './store.ts'

const stores = storeOnce()
afterAll(() => stores[Symbol.asyncDispose]())

test('tracesIn finds a secret in every encoding, and finds nothing in other text', () => {
  const { password } = SECRETS
  const basic = Buffer.from(`Alex:${password}`)
  for (const text of [
    `before ${password} behind`,
    JSON.stringify(JSON.stringify({ password })),
    `/path?name=${encodeURIComponent(password)}`,
    new URLSearchParams({ password }).toString(),
    basic.toString('base64url'),
    basic.toString('hex'),
    Buffer.from(JSON.stringify({ password })).toString('latin1'),
  ]) {
    expect(tracesIn(text)).toContain('password')
  }
  expect(tracesIn('the first word of a canary')).toEqual(['a part of a secret'])
  expect(tracesIn('Logged in to http://127.0.0.1:8787 as Alex.')).toEqual([])
})

describe.each([
  ['login Alex', 'FISH_PASSWORD'],
  ['login admin --admin', 'FISH_ADMIN_PASSWORD'],
  ['key', 'FISH_PASSWORD'],
  ['key Alex', 'FISH_ADMIN_PASSWORD'],
  ['admin create zoe', 'FISH_NEW_PASSWORD'],
] as const)('%s', (line, variable) => {
  const env = { [variable]: '' }

  test('prints no password from stdin, whether or not the service accepts the password', async () => {
    await using machine = await openMachine(stores)
    const argv = [...line.split(' '), '--password-stdin']
    const how = { piped: `${ACCOUNTS[variable]}\n` }
    expect(await runOn(machine, argv, { env, how })).toMatchObject({ status: 0, traces: [] })
    machine.mock.fail({ status: 401 }, { times: Number.POSITIVE_INFINITY })
    expect(await runOn(machine, [...argv, '--json'], { env, how })).toMatchObject({ status: 4, traces: [] })
  })

  test('prints no typed password, and does not prompt with --no-input', async () => {
    await using machine = await openMachine(stores)
    const how = { terminal: true, typed: `${ACCOUNTS[variable]}\r` }
    // A new password has to be typed twice, but the test types the password only once.
    const status = variable === 'FISH_NEW_PASSWORD' ? 4 : 0
    expect(await runOn(machine, line.split(' '), { env, how })).toMatchObject({ status, traces: [] })
    expect(await runOn(machine, [...line.split(' '), '--no-input'], { env, how })).toMatchObject({
      status: 4,
      stdout: '',
      traces: [],
    })
  })
})
