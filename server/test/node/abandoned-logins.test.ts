import { createScryptHasher } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { head, openRaw } from './raw-socket.ts'
import { startTestServer } from './running.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'root', FISH_ADMIN_PASSWORD: 'root-password' }

describe('logins whose client disconnects from the socket', () => {
  it('are logged as 499 and not checked, and do not delay the next login', async () => {
    const scrypt = createScryptHasher({ N: 16, r: 1, p: 1 })
    const checked: string[] = []
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const passwords = {
      ...scrypt,
      async verify(password: string, hash: string) {
        checked.push(password)
        await released
        return scrypt.verify(password, hash)
      },
    }
    const statuses: unknown[] = []
    const logger = {
      info: ({ status }: Readonly<Record<string, unknown>>, message: string) =>
        void (message === 'request' && statuses.push(status)),
      warn() {},
      error() {},
    }
    const { url } = await startTestServer(ADMIN, { passwords, logger })
    const login = async (password: string) => {
      const body = JSON.stringify({ username: 'root', password })
      const raw = await openRaw(url)
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
      raw.send(`${head('POST /admin/login HTTP/1.1', headers)}${body}`)
      return raw
    }

    for (const password of ['busy 1', 'busy 2']) await login(password)
    await expect.poll(() => checked, { interval: 5 }).toHaveLength(2)
    const leaving = await Promise.all(Array.from({ length: 20 }, (_, index) => login(`left ${index}`)))
    // The response on another connection shows that the server has read the earlier requests.
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    for (const { socket } of leaving) socket.destroy()
    await expect.poll(() => statuses.filter((status) => status === 499), { interval: 5 }).toHaveLength(20)

    const staying = await login('root-password')
    release()
    expect(await staying.until(/"token"/)).toMatch(/^HTTP\/1\.1 200/)
    expect(new Set(checked)).toEqual(new Set(['busy 1', 'busy 2', 'root-password']))
  })

  it('are logged as 499 if they are pipelined behind another request and their body is incomplete', async () => {
    const scrypt = createScryptHasher({ N: 16, r: 1, p: 1 })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const passwords = {
      ...scrypt,
      async verify(password: string, hash: string) {
        await released
        return scrypt.verify(password, hash)
      },
    }
    const statuses: unknown[] = []
    const logger = {
      info: ({ status }: Readonly<Record<string, unknown>>, message: string) =>
        void (message === 'request' && statuses.push(status)),
      warn() {},
      error() {},
    }
    const { url } = await startTestServer(ADMIN, { passwords, logger })
    const body = JSON.stringify({ username: 'root', password: 'root-password' })
    const post = head('POST /admin/login HTTP/1.1', {
      'content-type': 'application/json',
      'content-length': String(body.length),
    })
    const { send, socket } = await openRaw(url)
    send(`${post}${body}${post}{`)
    // The response on another connection shows that the server has read the earlier requests.
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    socket.resetAndDestroy()
    await expect.poll(() => statuses, { interval: 5 }).toEqual([200, 499])
    release()
    await expect.poll(() => statuses, { interval: 5 }).toEqual([200, 499, 499])
  })
})
