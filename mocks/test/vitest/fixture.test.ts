import { expect, test } from '@fish-crab/mocks/vitest'
import { createClient } from '@fish-crab/sdk'
import { describe } from 'vitest'

test.override({ mockOptions: { seed: { users: [{ name: 'Alex' }] }, limits: { requests: 2 } } })

describe.concurrent('the fixture', () => {
  for (const fish of ['Salmon', 'Koi', 'Cod']) {
    test(`gives a test a mock of its own, such as one with a ${fish}`, async ({ mock }) => {
      const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
      await client.fish.add({ name: fish, rarity: 'gold' })
      expect(mock).toHaveSentFish()
      expect(mock).toHaveSentFish({ name: fish, rarity: 'Gold', user: 'Alex', gamemode: 'earth' }, 1)
      expect(mock).not.toHaveSentFish('Herring')
      expect(mock).not.toHaveSentCrabs()
      expect(mock).toHaveReceived('postFish', 1)
      expect(mock).not.toHaveBeenRateLimited()
      expect(mock.requests).toHaveLength(1)
    })
  }

  test('matches crabs and refused requests', async ({ mock }) => {
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
    await client.crabs.add([{}, { name: 'Hermit' }])
    expect(mock).toHaveSentCrabs('crab', 1)
    expect(mock).toHaveSentCrabs({ name: /^Her/ })
    for (let count = 0; count < 3; count += 1) await mock.fetch('/status')
    expect(mock).toHaveBeenRateLimited(2)
  })

  test('fails with the actual catches and no secrets', async ({ mock }) => {
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
    await client.fish.add({ name: 'Salmon', rarity: 'gold' })
    const failing = () => expect(mock).toHaveSentFish('Koi')
    expect(failing).toThrow(
      'The mock should store fish from clients like "Koi"; it did 0 times. It stored:\n  Salmon (Gold) of Alex in earth',
    )
    expect(() => expect(mock).toHaveReceived('getFish', 1)).toThrow('POST /post/fish of Alex: 201')
    expect(failing).not.toThrow(mock.user('Alex').fernetKey)
  })

  test.fails('fails a test with a fault that never fired', ({ mock }) => {
    mock.fail('reset', { on: 'postFish' })
  })

  test('passes if each fault fired or was cancelled', async ({ mock }) => {
    mock.fail({ status: 503 }, { on: 'status' })
    mock.fail('reset', { on: 'postFish' }).cancel()
    expect((await mock.fetch('/status')).status).toBe(503)
  })

  describe('with its own options', () => {
    test.override({ mockOptions: { seed: { users: [{ name: 'Steve' }] } } })
    test('has other users', ({ mock }) => {
      expect(mock.user('Steve').name).toBe('Steve')
      expect(() => mock.user('Alex')).toThrow('The seed has no user "Alex"')
    })
  })
})
