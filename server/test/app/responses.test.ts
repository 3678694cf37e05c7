import { describe, expect, it } from 'vitest'
import { expectError, readError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'

it('every response forbids browsers to guess the content type', async () => {
  const service = await createMemoryService()
  for (const path of ['/status', '/get/fish', '/nowhere', '/events?name=Alex&gamemode=earth', '/openapi.json']) {
    const response = await service.request(path)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    await response.body?.cancel()
  }
})

describe('an unknown method', () => {
  it('gets 405 on a known path, and 404 on an unknown path', async () => {
    const service = await createMemoryService()
    await expectError(await service.request('/status', { method: 'X-ODD' }), 'method_not_allowed')
    await expectError(await service.request('/nowhere', { method: 'X-ODD' }), 'not_found')
  })
})

describe('unexpected errors', () => {
  it('cause internal_error, and the response omits the message of the error', async () => {
    const passwords = {
      hash: async (password: string) => password,
      verify: async () =>
        Promise.reject(Object.assign(new TypeError('the pepper is kept in /etc/pepper'), { data: 1 })),
    }
    const service = await createMemoryService({ passwords })
    const response = await service.request('/get/user/key', { headers: { authorization: `Basic ${btoa('Alex:x')}` } })
    expect(response.status).toBe(500)
    expect(JSON.stringify(await readError(response))).not.toMatch(/pepper|TypeError/)
  })

  it('cause status 500 if the client address is unavailable', async () => {
    const service = await createMemoryService({
      clientAddress: () => {
        throw new Error('the socket at 10.9.8.7 is gone')
      },
    })
    const response = await service.request('/status')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('10.9.8.7')
  })
})
