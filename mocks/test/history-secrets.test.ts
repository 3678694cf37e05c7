import { inspect } from 'node:util'
import { createMock } from '@fish-crab/mocks'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'

const PASSWORD = 'a "quoted" password'
const open = () =>
  createMock({
    seed: {
      users: [{ name: 'Alex', password: PASSWORD }],
      admins: [{ username: 'root', password: 'root-password' }],
    },
  })
type OpenMock = Awaited<ReturnType<typeof open>>

const post = (mock: OpenMock, token: string) =>
  mock.fetch('/post/fish?name=Alex', {
    method: 'POST',
    body: token,
    headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' },
  })

function printed({ requests }: OpenMock): string {
  return inspect(requests, { depth: 9 }) + JSON.stringify(requests)
}

describe('secrets in the history', () => {
  it('are redacted in the parameter names of a query', async () => {
    const mock = await open()
    await mock.fetch(`/status?${encodeURIComponent(PASSWORD)}=1&${mock.user('Alex').apiKey}`)
    expect(mock.requests[0]?.query).toEqual({ '[redacted]': '' })
  })

  it('are redacted in request ids that clients send', async () => {
    const mock = await open()
    await mock.fetch('/status', { headers: { 'x-request-id': mock.user('Alex').apiKey } })
    expect(mock.requests[0]?.requestId).toBe('[redacted]')
  })

  it('are redacted in valid and invalid payloads', async () => {
    const mock = await open()
    const { fernetKey, apiKey } = mock.user('Alex')
    const fernet = createFernet(fernetKey)
    await post(mock, await fernet.encrypt(JSON.stringify({ fish: apiKey, rarity: 3 })))
    await post(mock, await fernet.encrypt(JSON.stringify({ settings: [{ fernetKey, [PASSWORD]: 1 }] })))
    await post(mock, await fernet.encrypt(`no JSON, but ${PASSWORD}`))
    expect(mock.requests.map(({ payload }) => payload)).toEqual([
      { kind: 'fish', entries: [{ name: '[redacted]', rarity: 3 }] },
      { kind: 'invalid', content: { settings: [{ fernetKey: '[redacted]', '[redacted]': 1 }] } },
      { kind: 'invalid', content: 'no JSON, but [redacted]' },
    ])
    expect(mock.sent.fish()).toMatchObject([{ name: '[redacted]' }])
  })

  it('are recognized by their format in the case of session tokens and Fernet tokens', async () => {
    const mock = await open()
    const login = await mock.fetch('/admin/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: 'root-password' }),
    })
    const { token: session } = (await login.json()) as { token: string }
    const token = await createFernet(mock.user('Alex').fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    const params = [session, token, token.replace(/=+$/, '')].map(encodeURIComponent)
    for (const one of params) await mock.fetch(`/${one}?x=${one}`, { headers: { 'x-note': `it was ${one}` } })
    for (const one of [session, token, ...params]) expect(printed(mock).includes(one)).toBe(false)
    expect(mock.requests[1]).toMatchObject({ path: '/[redacted]', query: { x: '[redacted]' } })
  })

  it('do not cause the redaction of words that are not secret, even if the secrets are short or common', async () => {
    const users = [
      { name: 'Steve', password: 'Steve' },
      { name: 'Zoe', password: 'a' },
      { name: 'Max', password: 'status' },
      { name: 'Kim', password: 'earth' },
    ]
    const mock = await createMock({ seed: { users } })
    await mock.fetch('/status?x=a&y=bar')
    await mock.fetch('/get/fish?name=Steve&gamemode=earth')
    expect(mock.requests).toMatchObject([
      { path: '/status', query: { x: '[redacted]', y: 'bar' } },
      { path: '/get/fish', query: { name: 'Steve', gamemode: 'earth' }, user: 'Steve' },
    ])
  })
})

describe('a stored copy of mock.requests', () => {
  it('does not grow, but gains the responses to requests that were in flight when the copy was made', async () => {
    const mock = await createMock()
    mock.fail({ latencyMs: 20 })
    const response = mock.fetch('/status')
    const stored = mock.requests
    await mock.fetch('/livez')
    expect(mock.requests).toHaveLength(2)
    expect(mock.requests).toBe(mock.requests)
    await response
    expect(stored).toMatchObject([{ path: '/status', status: 200 }])
  })
})
