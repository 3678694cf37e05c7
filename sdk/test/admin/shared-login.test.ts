import { expect, test } from 'vitest'
import { createService, failureOf, ROOT } from './service.ts'

test('aborting a call does not end a login that concurrent calls also wait for', async () => {
  const { admin: open, sent, intercept } = await createService()
  const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  intercept((request, send) => {
    if (!request.url.endsWith('/login')) return undefined
    arrived.resolve()
    return release.promise.then(send)
  })
  const admin = open()
  const leaving = new AbortController()
  const first = failureOf(admin.me({ signal: leaving.signal }))
  const second = admin.me()
  await arrived.promise
  leaving.abort('enough')
  expect(await first).toBe('enough')
  release.resolve()
  expect((await second).username).toBe(ROOT.username)
  expect(sent).toEqual(['POST /admin/login', 'GET /admin/me'])
})

test('the login ends when all calls that share the login are aborted, and the next call logs in again', async () => {
  const { admin: open, sent, intercept } = await createService()
  const admin = open()
  const ended = Promise.withResolvers<void>()
  intercept((request) => {
    request.signal.addEventListener('abort', () => ended.resolve())
    return new Promise(() => {})
  })
  const leaving = [new AbortController(), new AbortController()]
  const calls = leaving.map(({ signal }) => failureOf(admin.me({ signal })))
  const explicit = failureOf(admin.login({ signal: leaving[0]?.signal }))
  await expect.poll(() => sent.length).toBe(1)
  for (const each of leaving) each.abort('enough')
  expect(await Promise.all([...calls, explicit])).toEqual(['enough', 'enough', 'enough'])
  await ended.promise
  intercept(() => undefined)
  expect((await admin.me()).username).toBe(ROOT.username)
})

test('a call with an aborted signal sends nothing', async () => {
  const { admin: open, sent } = await createService()
  const [admin, signal] = [open(), AbortSignal.abort('no')]
  expect(await failureOf(admin.me({ signal }))).toBe('no')
  expect(await failureOf(admin.login({ signal }))).toBe('no')
  expect(sent).toEqual([])
})

test('a call can be aborted while it waits for its login', async () => {
  const { admin: open, intercept } = await createService()
  intercept(() => new Promise(() => {}))
  const leaving = new AbortController()
  const call = failureOf(open().me({ signal: leaving.signal }))
  leaving.abort('left')
  expect(await call).toBe('left')
})
