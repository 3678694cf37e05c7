import { createClient } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { answerEmpty, listen } from './http-server.ts'

test('a plain MSW server intercepts the client, also one that has open connections, and gives it back', async () => {
  await using server = await listen(answerEmpty)
  const used = createClient({ baseUrl: server.baseUrl })
  expect((await used.demo.fish()).user).toBe('demo')
  // Loaded only now: MSW sees no connection that was open before it came.
  const { HttpResponse, http } = await import('msw')
  const { setupServer } = await import('msw/node')
  const mocked = { user: 'mocked', fish: [] }
  const msw = setupServer(http.get(`${server.baseUrl}/demo/fish`, () => HttpResponse.json(mocked)))
  msw.listen()
  try {
    expect((await used.demo.fish()).user).toBe('mocked')
    expect((await createClient({ baseUrl: server.baseUrl }).demo.fish()).user).toBe('mocked')
  } finally {
    msw.close()
  }
  expect((await used.demo.fish()).user).toBe('demo')
})
