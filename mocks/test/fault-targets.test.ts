import { createMock, type FaultOptions } from '@fish-crab/mocks'
import { startStandaloneMock } from '@fish-crab/mocks/standalone'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { describe, expect, it } from 'vitest'

const seed = { users: [{ name: 'Alex' }], admins: [{ username: 'root', password: 'root-password' }] }

/** Fault options that no request can match, each with the expected error. */
const WITHOUT_A_MATCH: readonly (readonly [string, FaultOptions, string])[] = [
  ['a user', { user: 'Alx' }, 'The mock has no user "Alx". Did you mean "Alex"? Seed the user first'],
  ['a path', { on: 'POST /post/fsh' }, 'No route matches "POST /post/fsh". Did you mean "POST /post/fish"?'],
  ['a method', { on: 'PUT /status' }, 'No route matches "PUT /status". Did you mean "GET /status"?'],
  // biome-ignore lint/suspicious/noExplicitAny: the compiler rejects the name, but JSON is not compiled
  ['a route name', { on: 'postFsh' as any }, 'Unknown route "postFsh". Did you mean "postFish"?'],
]

describe('a fault of a mock', () => {
  it.each(WITHOUT_A_MATCH)(
    'is rejected if %s does not exist, and the error suggests the closest match',
    async (_, options, message) => {
      await using mock = await createMock({ seed })
      expect(() => mock.fail('reset', options)).toThrow(TypeError)
      expect(() => mock.fail('reset', options)).toThrow(message)
      expect(mock.faults).toEqual([])
    },
  )

  it.each(WITHOUT_A_MATCH)(
    'is rejected by the control API if the target is %s that does not exist',
    async (_, options, message) => {
      await using mock = await startStandaloneMock({ seed })
      const body = JSON.stringify({ fault: 'reset', ...options })
      const response = await fetch(`${mock.url}/__mock/faults`, { method: 'POST', body })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        code: 'invalid_payload',
        details: [{ message: expect.stringContaining(message) }],
      })
    },
  )

  it('can target a user that a request created, until that user is deleted', async () => {
    await using mock = await createMock({ seed })
    const { origin: baseUrl, fetch } = mock
    const admin = createAdminClient({ baseUrl, fetch, username: 'root', password: 'root-password' })
    expect(() => mock.fail('reset', { user: 'Steve' })).toThrow('no user "Steve"')
    await admin.users.create({ name: 'Steve' })
    mock.fail('reset', { user: 'steve' }).cancel()
    await admin.users.delete('Steve')
    expect(() => mock.fail('reset', { user: 'Steve' })).toThrow('no user "Steve"')
  })

  it.each(['OPTIONS /post/fish', 'HEAD /status', 'GET /v1/admin/users/Alex', 'GET /@Alex/card.png'] as const)(
    'can target %s, which the service supports',
    async (on) => {
      await using mock = await createMock({ seed })
      mock.fail('reset', { on }).cancel()
    },
  )
})
