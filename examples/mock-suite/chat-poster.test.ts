/**
 * The test suite of a mod with Vitest. The suite needs no network, no server and no waiting. Each test has its own mock
 * service. See docs/install.md for the mocks.
 *
 *   npm install --save-dev vitest
 *   npx vitest run mock-suite
 */
import { createMock, type Mock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { postLine } from './chat-poster.ts'

const SALMON = '[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon with a length of 31.5cm.'

let mock: Mock

beforeEach(async () => {
  // The clock jumps over every wait of a client.
  mock = await createMock({ seed: { users: [{ name: 'Alex' }] }, startAt: Date.UTC(2026, 0, 1), autoAdvance: true })
})

afterEach(() => mock.assertNoPendingFaults())

test('posts the catches in chat lines', async () => {
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  expect(await postLine(client, SALMON)).toBe('posted')
  expect(await postLine(client, '[CHAT] <Steve> nice fish!')).toBe('nothing caught')

  expect(mock.sent.fish()).toEqual([{ user: 'Alex', gamemode: 'earth', name: 'Salmon', rarity: 2 }])
  expect(mock.requests).toHaveLength(1)
})

test('stores a catch once although the first response is lost', async () => {
  mock.fail('lost-response', { on: 'postFish' })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  expect(await postLine(client, SALMON)).toBe('posted')

  expect(mock.requests.map(({ route }) => route)).toEqual(['postFish', 'postFish'])
  expect(mock.sent.fish()).toHaveLength(1)
})

test('reports that the rate limit is reached, and posts in the next window', async () => {
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', maxWaitMs: 0 })
  for (let count = 0; count < 25; count += 1) await client.status()
  expect(await postLine(client, SALMON)).toBe('later')
  expect(mock.sent.fish()).toEqual([])

  await mock.clock.advance(300_000)
  expect(await postLine(client, SALMON)).toBe('posted')
})
