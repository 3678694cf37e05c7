import { describe, expect, it } from 'vitest'
import { expectError, readError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'

it('no response lets a browser guess its type', async () => {
  const service = await createMemoryService()
  for (const path of ['/status', '/get/fish', '/nowhere', '/events?name=Alex&gamemode=earth', '/openapi.json']) {
    const response = await service.request(path)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    await response.body?.cancel()
  }
})

describe('a method that nobody ever heard of', () => {
  it('is not allowed on a known path, and not found on an unknown one', async () => {
    const service = await createMemoryService()
    await expectError(await service.request('/status', { method: 'X-ODD' }), 'method_not_allowed')
    await expectError(await service.request('/nowhere', { method: 'X-ODD' }), 'not_found')
  })
})

describe('errors that nobody foresaw', () => {
  it('become internal_error, without their content', async () => {
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

  it('get a response even when the client address is unknown', async () => {
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
