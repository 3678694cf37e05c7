import { expect, test } from 'vitest'
import { answerEmpty, listen } from '../test/client/http-server.ts'
import { type Format, runModule, runOnPackage } from './package-process.ts'

const FORMATS = ['module', 'commonjs'] as const satisfies readonly Format[]

test('instanceof recognises errors of the CommonJS build in ES modules, and vice versa', async () => {
  const { stdout, stderr } = await runModule(`
    import { createRequire } from 'node:module'
    import * as esm from '@fish-crab/sdk'
    import * as esmOutbox from '@fish-crab/sdk/outbox'
    const require = createRequire(process.cwd() + '/')
    const cjs = require('@fish-crab/sdk')
    const cjsOutbox = require('@fish-crab/sdk/outbox')
    const rateLimited = ({ RateLimitError }) =>
      new RateLimitError('Too many.', { status: 429, code: 'rate_limited' }, { resetAt: new Date(), retryAfterMs: 1 })
    const full = ({ OutboxFullError }) => new OutboxFullError(1)
    const knows = []
    for (const [types, errors] of [[esm, cjs], [cjs, esm]]) {
      const error = rateLimited(errors)
      for (const type of ['RateLimitError', 'ApiError', 'FishCrabError', 'ConnectionError', 'NotFoundError']) {
        knows.push(error instanceof types[type])
      }
    }
    knows.push(full(cjsOutbox) instanceof esmOutbox.OutboxFullError, full(esmOutbox) instanceof cjs.FishCrabError)
    process.stdout.write(JSON.stringify(knows))
  `)
  expect(stderr).toBe('')
  const acrossFormats = [true, true, true, false, false]
  expect(JSON.parse(stdout)).toEqual([...acrossFormats, ...acrossFormats, true, true])
})

test.each(FORMATS)('the class name of every error class of the %s build equals its exported name', async (format) => {
  const { stdout } = await runOnPackage(
    format,
    `
    const types = Object.entries(sdk).filter(([, value]) => value?.prototype instanceof Error)
    process.stdout.write(JSON.stringify(types.map(([name, type]) => [name, type.name])))
    `,
  )
  const names = JSON.parse(stdout) as [string, string][]
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter(([exported, own]) => exported !== own)).toEqual([])
})

test.each(FORMATS)(
  'an MSW server intercepts the requests of the %s build until the MSW server closes',
  async (format) => {
    await using server = await listen(answerEmpty)
    const { stdout, stderr } = await runOnPackage(
      format,
      `
    const baseUrl = '${server.baseUrl}'
    const client = sdk.createClient({ baseUrl })
    const users = [(await client.demo.fish()).user]
    const { HttpResponse, http } = await import('msw')
    const { setupServer } = await import('msw/node')
    const msw = setupServer(http.get(baseUrl + '/demo/fish', () => HttpResponse.json({ user: 'mocked', fish: [] })))
    msw.listen()
    users.push((await client.demo.fish()).user, (await sdk.createClient({ baseUrl }).demo.fish()).user)
    msw.close()
    users.push((await client.demo.fish()).user)
    process.stdout.write(users.join(' '))
    `,
    )
    expect(stderr).toBe('')
    expect(stdout).toBe('demo mocked mocked demo')
  },
)

test.each(FORMATS)('the %s build does not change the dispatcher of the process', async (format) => {
  await using server = await listen(answerEmpty)
  const { stdout, status } = await runOnPackage(
    format,
    `
    void globalThis.Response
    const shared = Symbol.for('undici.globalDispatcher.1')
    const before = globalThis[shared]
    await sdk.createClient({ baseUrl: '${server.baseUrl}' }).demo.fish()
    process.stdout.write(String(globalThis[shared] === before))
    `,
  )
  expect(stdout).toBe('true')
  expect(status).toBe(0)
})
