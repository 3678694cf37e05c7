import { createMock, type Seed } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { describe, expect, it } from 'vitest'

const START = Date.UTC(2026, 5, 1)
const SEED: Seed = {
  users: [
    {
      name: 'Alex',
      fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] },
      crab: { survival: [{}, { name: 'Hermit' }] },
    },
    { name: 'Steve', password: 'steve-password', apiKey: 'fck_steve' },
  ],
  admins: [{ username: 'root', password: 'root-password' }],
}
const READ = '/get/fish?name=Alex&gamemode=earth&detail=full'

/** Returns the status, headers and body of a response. */
async function whole(pending: Promise<Response>) {
  const response = await pending
  return { status: response.status, headers: [...response.headers], body: await response.text() }
}

describe('a mock', () => {
  it('has other entity tags after a reset for other catches, so that no cache shows earlier catches', async () => {
    const mock = await createMock({ seed: SEED, startAt: START })
    const tagAfter = async (name: string) => {
      await mock.reset()
      await createClient({ ...mock.client('Alex'), gamemode: 'earth' }).fish.add({ name, rarity: 'gold' })
      return (await whole(mock.fetch(mock.origin + READ))).headers.find(([field]) => field === 'etag')?.[1]
    }
    const tags = [await tagAfter('Cod'), await tagAfter('Eel'), await tagAfter('Cod')]
    expect(tags).toEqual([expect.any(String), expect.any(String), tags[0]])
    expect(tags[1]).not.toBe(tags[0])
  })

  it('returns byte-identical responses, including ids and keys, to those of a mock with an equal seed and start time', async () => {
    const play = async () => {
      const mock = await createMock({ seed: SEED, startAt: START })
      const responses = [
        await whole(mock.fetch(READ)),
        await whole(mock.fetch('/get/crab?name=Alex&gamemode=survival')),
      ]
      return { responses, users: [mock.user('Alex'), mock.user('Steve')] }
    }
    const [one, other] = [await play(), await play()]
    expect(one).toEqual(other)
    expect(one.responses[0]?.body).toContain('"Salmon"')
    expect(JSON.parse(one.responses[1]?.body ?? '')).toEqual({
      user: 'Alex',
      crab: [{ name: 'crab' }, { name: 'Hermit' }],
    })
  })

  it('derives the keys and ids of a user independently of the rest of the seed', async () => {
    const alone = await createMock({ seed: { users: SEED.users?.slice(0, 1) ?? [] }, startAt: START })
    const among = await createMock({ seed: { users: [...(SEED.users ?? [])].reverse() }, startAt: START })
    expect(among.user('alex')).toEqual(alone.user('Alex'))
    const ids = async (mock: typeof alone) => ((await (await mock.fetch(READ)).json()) as { fish: unknown }).fish
    expect(await ids(among)).toEqual(await ids(alone))
    expect(alone.user('Alex').fernetKey).not.toBe(among.user('Steve').fernetKey)
  })

  it('restores its seed on reset, and discards the history, the counts, the clock changes and the faults', async () => {
    const mock = await createMock({ seed: SEED, startAt: START })
    const before = await whole(mock.fetch(READ))
    await mock.clock.advance(1000)
    const fault = mock.fail({ status: 500 })
    await mock.reset()
    expect([mock.requests, mock.sent.fish(), mock.faults, fault.remaining, mock.clock.now()]).toEqual([
      [],
      [],
      [],
      0,
      START,
    ])
    expect(await whole(mock.fetch(READ))).toEqual(before)
  })

  it('lets clients that are created after a reset send immediately, even if the rate limit was exhausted before the reset', async () => {
    const mock = await createMock({ seed: { users: [{ name: 'Alex' }] }, startAt: Date.UTC(2026, 0, 1) })
    const newClient = () => createClient({ ...mock.client('Alex'), maxWaitMs: 0 })
    const before = newClient()
    for (let count = 0; count < 25; count += 1) await before.status()
    await expect(newClient().status()).rejects.toThrow(/rate limit/i)
    await mock.reset()
    expect((await newClient().status()).status).toBe('ok')
  })

  it('completes a request that is in flight during a reset with the data from before the reset', async () => {
    const mock = await createMock({ seed: SEED })
    const before = mock.fetch(READ)
    await mock.reset()
    expect((await before).status).toBe(200)
    expect(mock.requests).toEqual([])
  })

  it('rejects an invalid seed, and reports the path and the value', async () => {
    const fish = { earth: [{ name: 'Salmon', rarity: 9 as 1 }] }
    await expect(createMock({ seed: { users: [{ name: 'Alex', fish }] } })).rejects.toThrow(
      /^seed\.users\[0\]\.fish\.earth\[0\]\.rarity: Must be 1 to 7 .*\(given: 9\)\.$/,
    )
    await expect(createMock({ seed: { users: [{ name: 'not a name' }] } })).rejects.toThrow(
      /^seed\.users\[0\]\.name: Must be 1 to 32 characters.*\(given: "not a name"\)\.$/,
    )
    const twice = { username: 'root', password: 'root-password' }
    await expect(createMock({ seed: { admins: [twice, twice] } })).rejects.toThrow('two administrators')
  })

  it('shares no state with a thousand concurrent mocks', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `User${index}`)
    const mocks = await Promise.all(
      names.map((name) => createMock({ seed: { users: [{ name }] }, limits: { requests: 2 } })),
    )
    expect(new Set(mocks.map(({ origin }) => origin)).size).toBe(1000)
    const statuses = await Promise.all(
      mocks.flatMap((mock, index) =>
        [index, (index + 1) % 1000, index].map(
          async (of) => (await mock.fetch(`/get/fish?name=User${of}&gamemode=earth`)).status,
        ),
      ),
    )
    expect(new Set(statuses.filter((_, index) => index % 3 === 0))).toEqual(new Set([200]))
    expect(new Set(statuses.filter((_, index) => index % 3 === 1))).toEqual(new Set([404]))
    expect(new Set(statuses.filter((_, index) => index % 3 === 2))).toEqual(new Set([429]))
    expect(mocks.every(({ requests }) => requests.length === 3)).toBe(true)
  })

  it('counts the requests of clients separately for each client address', async () => {
    const mock = await createMock({ limits: { requests: 1 }, trustProxy: 1 })
    const status = async (response: Promise<Response>) => (await response).status
    expect(await status(mock.fetch('/status'))).toBe(200)
    expect(await status(mock.fetch('/status'))).toBe(429)
    expect(await status(mock.from('203.0.113.9').fetch('/status'))).toBe(200)
    expect(await status(mock.fetch('/status', { headers: { 'x-forwarded-for': '198.51.100.1' } }))).toBe(200)
    expect(mock.requests.map(({ client }) => client)).toEqual(['127.0.0.1', '127.0.0.1', '203.0.113.9', '198.51.100.1'])
  })
})
