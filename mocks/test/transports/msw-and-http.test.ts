import { createMock, DEFAULT_CODES, FAULT_NAMES, type Fault, type Mock } from '@fish-crab/mocks'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, type Seen } from './http-clients.ts'

type Client = keyof typeof CLIENTS

const STATUSES = Object.keys(DEFAULT_CODES).map((status) => ({ status: Number(status) as keyof typeof DEFAULT_CODES }))
const FAULTS: readonly Fault[] = [...FAULT_NAMES, ...STATUSES]
/**
 * The clients that MSW intercepts. MSW does not intercept `undici.request`, but `listen()` does, and has separate
 * tests.
 */
const SEEN_BY_MSW: readonly Client[] = ['fetch', 'node:http', 'the SDK']

const table = FAULTS.flatMap((fault) => SEEN_BY_MSW.map((client) => ({ fault, client })))

describe('a fault through MSW and over HTTP', () => {
  const network = setupServer()
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)
  const open: Mock[] = []

  beforeAll(() => {
    process.on('uncaughtExceptionMonitor', note)
    network.listen({ onUnhandledFrame: 'bypass' })
  })
  afterEach(async () => {
    network.resetHandlers()
    await Promise.all(open.splice(0).map((mock) => mock[Symbol.asyncDispose]()))
  })
  afterAll(() => {
    network.close()
    process.off('uncaughtExceptionMonitor', note)
    expect(uncaught).toEqual([])
  })

  it.each(table)('$fault has the same effect on $client', async ({ fault, client }) => {
    const seen = async (at: (mock: Mock) => Promise<string>): Promise<Seen> => {
      const mock = await createMock({ startAt: Date.UTC(2026, 0, 1) })
      open.push(mock)
      mock.fail(fault)
      const origin = await at(mock)
      return CLIENTS[client](client === 'the SDK' ? origin : `${origin}/demo/fish`, fault === 'silence' ? 40 : 5000)
    }
    const standalone = await seen(async (mock) => (await mock.serve()).url)
    const intercepted = await seen(async (mock) => {
      network.use(...mock.handlers())
      return mock.origin
    })
    expect(intercepted).toEqual(standalone)
  })
})
