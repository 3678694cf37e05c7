import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ORIGIN = 'http://fish.test'

describe('a mock', () => {
  const network = setupServer()
  beforeAll(() => network.listen({ onUnhandledFrame: 'error' }))
  afterAll(() => network.close())

  it('responds to the SDK through MSW as the service does', async () => {
    const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
    network.use(...mock.handlers(ORIGIN))
    const { fernetKey } = mock.user('Alex')
    const client = createClient({ baseUrl: ORIGIN, user: 'Alex', fernetKey, gamemode: 'earth' })

    const saved = await client.fish.add({ name: 'Salmon', rarity: 'gold' })
    expect(saved).toMatchObject({ message: 'Fish saved for user Alex', replayed: false })
    expect((await client.fish.list()).fish).toEqual([{ name: 'Salmon', rarity: 'Gold' }])
  })

  it('counts requests in windows according to its own clock', async () => {
    const mock = await createMock({ startAt: Date.UTC(2026, 0, 1) })
    const get = () => mock.fetch(new Request(`${ORIGIN}/demo/fish`))
    const statuses = async (times: number) => {
      const responses: number[] = []
      for (let count = 0; count < times; count += 1) responses.push((await get()).status)
      return responses
    }
    expect(await statuses(26)).toEqual([...Array.from({ length: 25 }, () => 200), 429])
    await mock.clock.advance(300_000)
    expect(await statuses(1)).toEqual([200])
  })

  it('shares no users with another mock', async () => {
    const [one, other] = await Promise.all([
      createMock({ seed: { users: [{ name: 'Alex' }] } }),
      createMock({ seed: { users: [{ name: 'Steve' }] } }),
    ])
    const status = async (mock: typeof one) =>
      (await mock.fetch(new Request(`${ORIGIN}/get/fish?name=Alex&gamemode=earth`))).status
    expect([await status(one), await status(other)]).toEqual([200, 404])
    expect(() => other.user('Alex')).toThrow('The seed has no user "Alex"')
  })
})

it('close() closes the servers of a mock, and can be called again', async () => {
  const mock = await createMock()
  const { url } = await mock.serve()
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  await mock.close()
  await expect(fetch(`${url}/livez`)).rejects.toThrow()
  await mock.close()
})
