/**
 * The test suite of a mod with Node's test runner. Each test creates its own mock service. See docs/install.md for the
 * mocks.
 *
 *   node --test mock-suite/chat-poster.node.ts
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMock } from '@fish-crab/mocks'
import { createClient, ServerError } from '@fish-crab/sdk'
import { postLine } from './chat-poster.ts'

const CRAB = '[12:00:01] [Render thread/INFO]: [CHAT] FISHING ▶ You fished up a Crab!'
const seed = { users: [{ name: 'Alex', crab: { earth: [{ name: 'Hermit' }] } }] }

test('posts the catches in chat lines', async () => {
  const mock = await createMock({ seed })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
  assert.equal(await postLine(client, CRAB), 'posted')

  const { crab } = await client.crabs.list()
  assert.deepEqual(
    crab.map(({ name }) => name),
    ['Hermit', 'crab'],
  )
})

test('rejects with an error of the service, and stores nothing', async () => {
  const mock = await createMock({ seed })
  mock.fail({ status: 500 }, { on: 'postCrab' })
  const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', maxRetries: 0 })
  await assert.rejects(postLine(client, CRAB), ServerError)
  assert.deepEqual(mock.sent.crabs(), [])
})

test('posts a catch over a real socket', async (t) => {
  const mock = await createMock({ seed })
  const { url, close } = await mock.serve()
  t.after(close)
  const client = createClient({ ...mock.client('Alex', { transport: 'network' }), baseUrl: url, gamemode: 'survival' })
  assert.equal(await postLine(client, CRAB), 'posted')
  assert.deepEqual(mock.sent.crabs(), [{ user: 'Alex', gamemode: 'survival', name: 'crab' }])
})
