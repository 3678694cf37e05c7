import { createScryptHasher } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { head, openRaw } from './raw-socket.ts'
import { startTestServer } from './running.ts'

const ADMIN = { FISH_ADMIN_USERNAME: 'root', FISH_ADMIN_PASSWORD: 'root-password' }

/** A server whose checks of passwords wait until `release`, and the statuses in its log. */
async function openBusyServer() {
  const scrypt = createScryptHasher({ N: 16, r: 1, p: 1 })
  const checked: string[] = []
  const statuses: unknown[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const passwords = {
    ...scrypt,
    async verify(password: string, hash: string) {
      checked.push(password)
      await released
      return scrypt.verify(password, hash)
    },
  }
  const logger = {
    info: ({ status }: Readonly<Record<string, unknown>>, message: string) =>
      void (message === 'request' && statuses.push(status)),
    warn() {},
    error() {},
  }
  const { url } = await startTestServer(ADMIN, { passwords, logger })
  return { url, checked, statuses, release }
}

/** The text of a login. */
function loginText(password: string): { readonly start: string; readonly body: string } {
  const body = JSON.stringify({ username: 'root', password })
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  return { start: head('POST /admin/login HTTP/1.1', headers), body }
}

describe('logins whose client disconnects from the socket', () => {
  it('are logged as 499 and not checked, and do not delay the next login', async () => {
    const { url, checked, statuses, release } = await openBusyServer()
    const login = async (password: string) => {
      const raw = await openRaw(url)
      const { start, body } = loginText(password)
      raw.send(start + body)
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
    const { url, statuses, release } = await openBusyServer()
    const { start, body } = loginText('root-password')
    const { send, socket } = await openRaw(url)
    send(`${start}${body}${start}{`)
    // The response on another connection shows that the server has read the earlier requests.
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    socket.resetAndDestroy()
    await expect.poll(() => statuses, { interval: 5 }).toEqual([200, 499])
    release()
    await expect.poll(() => statuses, { interval: 5 }).toEqual([200, 499, 499])
  })
})
