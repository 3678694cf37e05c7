import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { expect, it } from 'vitest'

const seed = { users: [{ name: 'Alex' }] }
const SALMON = { name: 'Salmon', rarity: 'gold' } as const

it.each(['before', 'after'])(
  'a mock responds both at its origin and at the address of serve() if serve() is called %s listen()',
  async (when) => {
    await using mock = await createMock({ seed })
    if (when === 'after') await mock.listen()
    const { url } = await mock.serve()
    if (when === 'before') await mock.listen()
    const options = mock.client('Alex', { transport: 'network' })
    await createClient({ ...options, baseUrl: url, gamemode: 'earth' }).fish.add(SALMON)
    await createClient({ ...options, gamemode: 'earth' }).fish.add(SALMON)
    expect(mock.requests.map(({ transport }) => transport)).toEqual(['http', 'intercept'])
    expect(mock.sent.fish()).toHaveLength(2)
  },
)

it('after a mock server closes, requests to its address are blocked like requests to any origin that is not mocked', async () => {
  await using mock = await createMock({ seed })
  await mock.listen()
  const server = await mock.serve()
  await server.close()
  await expect(fetch(`${server.url}/status`)).rejects.toMatchObject({ cause: { code: 'ERR_UNHANDLED_REQUEST' } })
})
