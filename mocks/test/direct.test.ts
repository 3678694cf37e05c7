import { createMock } from '@fish-crab/mocks'
import { describe, expect, it } from 'vitest'

const SEED = { users: [{ name: 'Alex', fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] } }] } as const
const READ = '/get/fish?name=Alex&gamemode=earth'

describe('the direct transport', () => {
  it('accepts paths, URLs and requests, as fetch does', async () => {
    const mock = await createMock({ seed: SEED })
    const inputs = [READ, mock.origin + READ, new URL(READ, mock.origin), new Request(mock.origin + READ)]
    const bodies = await Promise.all(inputs.map(async (input) => (await mock.fetch(input)).text()))
    expect(new Set(bodies)).toEqual(new Set(['{"user":"Alex","fish":[{"name":"Salmon","rarity":"Gold"}]}']))
    expect((await mock.fetch(READ)).url).toBe(mock.origin + READ)
  })

  it('decodes compressed responses', async () => {
    const mock = await createMock({
      seed: {
        users: [
          {
            name: 'Alex',
            fish: { earth: Array.from({ length: 400 }, () => ({ name: 'Salmon', rarity: 3 as const })) },
          },
        ],
      },
    })
    const plain = await (await mock.fetch(READ)).text()
    const coded = await mock.fetch(READ, { headers: { 'accept-encoding': 'gzip' } })
    expect(coded.headers.get('content-encoding')).toBe('gzip')
    expect(await coded.text()).toBe(plain)
  })

  it('rejects with the abort reason if the signal aborts before or during the request', async () => {
    const mock = await createMock({ seed: SEED })
    const reason = new Error('changed my mind')
    await expect(mock.fetch(READ, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(mock.requests).toEqual([])
    const aborting = new AbortController()
    const response = mock.fetch(READ, { signal: aborting.signal })
    aborting.abort(reason)
    await expect(response).rejects.toBe(reason)
  })
})
