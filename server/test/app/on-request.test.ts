import type { RoutedRequest } from '@fish-crab/server/app'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { encryptToken, post, SALMON } from './catches.ts'
import { createMemoryService } from './memory-service.ts'

async function open(responseOf: (routed: RoutedRequest) => Response | undefined = () => undefined) {
  const reported: RoutedRequest[] = []
  const service = await createMemoryService({
    storage: createMemoryStorage(),
    rateLimit: { requests: 1, windowMs: 60_000 },
    onRequest(routed) {
      reported.push(routed)
      return responseOf(routed)
    },
  })
  const last = () => reported.at(-1)
  const payload = async () => new TextDecoder().decode(await last()?.payload())
  return { service, last, payload }
}

describe('onRequest', () => {
  it.each([
    ['GET', '/v1//get/%66ish/?name=Alex', { route: 'getFish', path: '/get/fish', params: {} }],
    ['HEAD', '/get/fish', { route: 'getFish', path: '/get/fish', params: {} }],
    ['DELETE', '/admin/users/A%20b', { route: 'deleteUser', path: '/admin/users/A%20b', params: { name: 'A b' } }],
    ['POST', '/get/fish', { route: 'unmatched', path: '/get/fish' }],
    ['GET', '/nowhere', { route: 'unmatched', path: '/nowhere' }],
  ])('receives the route of %s %s', async (method, path, expected) => {
    const { service, last } = await open()
    await service.request(path, { method })
    expect(last()).toMatchObject(expected)
  })

  it('receives the payload that the app decrypted', async () => {
    const { service, payload } = await open()
    expect((await post(service, 'fish', await encryptToken(service, SALMON))).status).toBe(201)
    expect(JSON.parse(await payload())).toEqual(SALMON)
  })

  it.each([
    ['the name', {}],
    ['the API key', { query: '' }],
  ])('decrypts a write that the app refused, with the user of %s', async (_, options) => {
    const { service, payload } = await open(() => new Response(null, { status: 503 }))
    const token = await encryptToken(service, SALMON)
    const headers = { 'x-api-key': service.alex.apiKey }
    expect((await post(service, 'fish', token, { ...options, headers })).status).toBe(503)
    expect(JSON.parse(await payload())).toEqual(SALMON)
  })

  it('replaces the response of the app, and the app neither counts nor stores the request', async () => {
    let isReplaced = true
    const { service } = await open(() => (isReplaced ? new Response('replaced', { status: 418 }) : undefined))
    const response = await post(service, 'fish', await encryptToken(service, SALMON))
    expect([response.status, await response.text(), response.headers.get('x-ratelimit-limit')]).toEqual([
      418,
      'replaced',
      null,
    ])
    isReplaced = false
    expect(await (await service.request('/get/fish?name=Alex&gamemode=earth')).json()).toMatchObject({ fish: [] })
  })

  it('rejects the payload of a user who does not exist', async () => {
    const { service, last } = await open()
    await post(service, 'fish', 'no token', { query: '?name=Nobody' })
    await expect(last()?.payload()).rejects.toMatchObject({ code: 'user_not_found' })
  })
})
