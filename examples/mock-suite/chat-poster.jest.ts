/**
 * The test suite of a mod with Jest. To run TypeScript, Jest needs `jest.config.js` and `strip-types.js`. See
 * docs/install.md for the mocks.
 *
 *   npm install --save-dev jest @jest/globals
 *   NODE_OPTIONS=--experimental-vm-modules npx jest --config mock-suite/jest.config.js
 */
import { createMock } from '@fish-crab/mocks'
import { createClient, ServerError } from '@fish-crab/sdk'
import { expect, test } from '@jest/globals'
import { postLine } from './chat-poster.ts'

const CRAB = '[12:00:01] [Render thread/INFO]: [CHAT] FISHING ▶ You fished up a Crab!'
const mockOptions = { seed: { users: [{ name: 'Alex' }] } }

test('posts the catches in chat lines', async () => {
  const mock = await createMock(mockOptions)
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  expect(await postLine(client, CRAB)).toBe('posted')
  expect(mock.sent.crabs()).toEqual([{ user: 'Alex', gamemode: 'earth', name: 'crab' }])
})

test('rejects with an error of the service, and stores nothing', async () => {
  const mock = await createMock(mockOptions)
  mock.fail({ status: 500 }, { on: 'postCrab' })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', maxRetries: 0 })
  await expect(postLine(client, CRAB)).rejects.toThrow(ServerError)
  expect(mock.sent.crabs()).toEqual([])
})

test('posts a catch in the next window of the rate limit', async () => {
  const mock = await createMock({ ...mockOptions, startAt: Date.UTC(2026, 0, 1) })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', maxWaitMs: 0 })
  for (let count = 0; count < 25; count += 1) await client.status()
  expect(await postLine(client, CRAB)).toBe('later')

  await mock.clock.advance(300_000)
  expect(await postLine(client, CRAB)).toBe('posted')
})
