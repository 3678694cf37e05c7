import { createClient } from '@fish-crab/sdk'
import { expect, test, vi } from 'vitest'
import { json, player, saved, tooMany } from './stubs.ts'

const SALMON = { name: 'Salmon', rarity: 3 } as const
const API_KEY = 'api-key-canary'
const COUNTED = { 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '20', 'x-ratelimit-reset': '1767225900' }

const counted = () => json({ message: 'Fish saved for user Alex', id: 'record-1' }, { status: 201, headers: COUNTED })
const refused = (seconds: number) => tooMany({ 'retry-after': String(seconds) })

/** The process warnings that clients emit while `work` runs. */
async function warningsOf(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  try {
    await work()
    return emit.mock.calls
  } finally {
    emit.mockRestore()
  }
}

test('a client warns once when a call starts to wait over 5 s for the rate limit', async () => {
  const { options, requests } = player(refused(6), saved(), refused(60), saved())
  const client = createClient(options)
  const warnings = await warningsOf(async () => {
    await client.fish.add(SALMON)
    await client.fish.add(SALMON)
  })
  expect(requests).toHaveLength(4)
  expect(warnings).toEqual([
    [
      'POST /post/fish waits for the rate limit until 2026-01-01T00:00:06.000Z. Later waits are silent: pass onWait, or an apiKey.',
      { type: 'FishCrabWarning', code: 'FISH_CRAB_WAITS' },
    ],
  ])
})

test('a client does not warn about a wait of exactly 5 s', async () => {
  const { options } = player(refused(5), saved())
  expect(await warningsOf(() => createClient(options).fish.add(SALMON))).toEqual([])
})

test('a client with onWait does not warn about waits', async () => {
  const { options } = player(refused(60), saved())
  const onWait = vi.fn()
  expect(await warningsOf(() => createClient({ ...options, onWait }).fish.add(SALMON))).toEqual([])
  expect(onWait).toHaveBeenCalledOnce()
})

test('a client warns once when the service counts requests despite an API key, and the warning does not contain the key', async () => {
  const { options } = player(counted(), counted())
  const client = createClient({ ...options, apiKey: API_KEY })
  const warnings = await warningsOf(async () => {
    await client.fish.add(SALMON)
    await client.fish.add(SALMON)
  })
  expect(warnings).toEqual([
    [
      'http://127.0.0.1:8787 does not know this apiKey: the rate limit applies.',
      { type: 'FishCrabWarning', code: 'FISH_CRAB_UNKNOWN_API_KEY' },
    ],
  ])
  expect(JSON.stringify(warnings)).not.toContain(API_KEY)
})

test.each([
  ['without an API key', {}, counted],
  ['with a valid API key', { apiKey: API_KEY }, saved],
])('a client %s does not warn about an unknown API key', async (_, credentials, response) => {
  const { options } = player(response())
  expect(await warningsOf(() => createClient({ ...options, ...credentials }).fish.add(SALMON))).toEqual([])
})

test('a client with a logger sends warnings to the logger, and emits no process warnings', async () => {
  const { options } = player(refused(60), counted())
  const warn = vi.fn()
  const logger = { debug() {}, info() {}, warn }
  const client = createClient({ ...options, apiKey: API_KEY, logger })
  expect(await warningsOf(() => client.fish.add(SALMON))).toEqual([])
  expect(warn.mock.calls.map(([, fields]) => fields)).toEqual([
    { code: 'FISH_CRAB_WAITS' },
    { code: 'FISH_CRAB_UNKNOWN_API_KEY' },
  ])
})
