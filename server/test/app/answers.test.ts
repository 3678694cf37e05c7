import { describe, expect, it } from 'vitest'
import { answersBehaviour } from './behaviour/answers.ts'
import { readError } from './errors.ts'
import { createWorld } from './world.ts'

answersBehaviour(createWorld)

describe('errors that nobody foresaw', () => {
  it('are answered as internal_error without anything of theirs', async () => {
    const passwords = {
      hash: async (password: string) => password,
      verify: async () =>
        Promise.reject(Object.assign(new TypeError('the pepper is kept in /etc/pepper'), { data: 1 })),
    }
    const world = await createWorld({ passwords })
    const response = await world.request('/get/user/key', { headers: { authorization: `Basic ${btoa('Alex:x')}` } })
    expect(response.status).toBe(500)
    expect(JSON.stringify(await readError(response))).not.toMatch(/pepper|TypeError/)
  })

  it('are answered even when the client address cannot be told', async () => {
    const world = await createWorld({
      clientAddress: () => {
        throw new Error('the socket at 10.9.8.7 is gone')
      },
    })
    const response = await world.request('/status')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('10.9.8.7')
  })
})
