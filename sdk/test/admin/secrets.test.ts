import { inspect } from 'node:util'
import type { AdminClientOptions } from '@fish-crab/sdk/admin'
import { expect, test } from 'vitest'
import { createService, failureOf, ROOT } from './service.ts'

const BASIC = Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')

function expectNoSecret(value: unknown, secrets: readonly string[]): void {
  const error = value instanceof Error ? `${value.message}\n${value.stack}\n${String(value)}` : ''
  const text = `${inspect(value, { depth: 20, showHidden: true, getters: true })}\n${JSON.stringify(value)}\n${error}`
  for (const secret of [ROOT.password, BASIC, ...secrets]) expect(text).not.toContain(secret)
}

test('a printed client shows neither its password nor its token, before and after login', async () => {
  const admin = (await createService()).admin()
  expectNoSecret(admin, [])
  const { token } = await admin.login()
  expectNoSecret(admin, [token])
})

test.each<[string, () => Response | Error]>([
  ['a 403 response', () => Response.json({ error: 'No.', code: 'forbidden', requestId: 'r' }, { status: 403 })],
  [
    'a 500 response',
    () => Response.json({ error: 'Failed.', code: 'internal_error', requestId: 'r' }, { status: 500 }),
  ],
  ['a lost connection', () => new TypeError('fetch failed')],
  ['a response that is not JSON', () => new Response('hello')],
  ['JSON of an unexpected shape', () => Response.json({ password: ROOT.password, token: 5 })],
])('an error caused by %s contains no secret, during login or afterwards', async (_, response) => {
  const { admin: open, intercept } = await createService()
  const { token } = await open().login()
  const options: AdminClientOptions = { ...ROOT, token, maxRetries: 0 }
  intercept(async () => {
    const given = response()
    if (given instanceof Error) throw given
    return given
  })
  const calls = [
    open(options).login(),
    open({ ...ROOT, maxRetries: 0 }).me(),
    open(options).me(),
    open(options).users.create({ name: 'Bob', password: 'a-new-password' }),
    open(options).keys.get('Alex'),
  ]
  for (const error of await Promise.all(calls.map(failureOf))) {
    expect(error).toBeInstanceOf(Error)
    expectNoSecret(error, [token, 'a-new-password'])
  }
})

test('hooks and logs receive no secret', async () => {
  const { admin: open } = await createService()
  const events: unknown[] = []
  const record = (...event: unknown[]) => events.push(event)
  const logger = { debug: record, info: record, warn: record }
  const admin = open({ ...ROOT, onRequest: record, onResponse: record, logger })
  const { token } = await admin.login()
  const { fernetKey, password, apiKey } = await admin.users.create({ name: 'Bob' })
  await admin.keys.get('Alex')
  expect(events.length).toBeGreaterThan(8)
  expectNoSecret(events, [token, fernetKey, password, apiKey])
})
