import { AuthenticationError, RateLimitError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { createService, failureOf, HELPER, logins, ROOT } from './service.ts'

const WRONG = { ...ROOT, password: 'not-the-password' }
const FIVE_MINUTES = 300_000

test('a wrong password is sent at most once in five minutes, regardless of the number of calls', async () => {
  const { admin: open, sent, advance } = await createService()
  const admin = open(WRONG)
  const errors = await Promise.all([failureOf(admin.me()), failureOf(admin.stats())])
  advance(FIVE_MINUTES - 1000)
  errors.push(await failureOf(admin.users.create({ name: 'Bob' })))
  for (const error of errors) expect(error instanceof AuthenticationError && error.code).toBe('invalid_credentials')
  expect(sent).toEqual(['POST /admin/login'])
  advance(1000)
  await failureOf(admin.me())
  expect(logins(sent)).toBe(2)
})

test('login() resends a rejected password, and calls succeed after the login succeeds', async () => {
  const service = await createService()
  const admin = service.admin({ username: 'late', password: 'a-late-password' })
  await failureOf(admin.me())
  await service.app.admins.create('late', 'a-late-password', 'admin')
  expect((await failureOf(admin.me())) instanceof AuthenticationError).toBe(true)
  await admin.login()
  expect((await admin.me()).username).toBe('late')
})

test('after too many failed logins, calls send nothing until the limit resets, and reject with an error that contains the reset time', async () => {
  const { admin: open, sent, slept, advance } = await createService()
  for (let count = 0; count < 10; count++) await failureOf(open(WRONG).login())
  const admin = open()
  advance(60_000)
  const [error, again] = [await failureOf(admin.me()), await failureOf(admin.me())]
  if (!(error instanceof RateLimitError)) throw error
  expect(error.resetAt).toEqual(new Date('2026-01-01T00:05:00Z'))
  expect(again).toBe(error)
  expect(slept).toEqual([])
  expect(logins(sent)).toBe(11)
  advance(240_000)
  expect((await admin.me()).username).toBe(ROOT.username)
})

test('a client waits for the rate limit of its administrator, and clients of other administrators do not wait', async () => {
  const { admin: open, slept, sent } = await createService({ adminRateLimit: { requests: 5, windowMs: 300_000 } })
  const [admin, other] = [open(), open(HELPER)]
  for (let count = 0; count < 5; count++) await admin.me()
  await other.me()
  expect(slept).toEqual([])
  expect((await failureOf(admin.me({ maxWaitMs: 1000 }))) instanceof RateLimitError).toBe(true)
  expect((await admin.me()).username).toBe(ROOT.username)
  expect(sent.filter((line) => line === 'GET /admin/me')).toHaveLength(7)
})
