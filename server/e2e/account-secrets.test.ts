import { once } from 'node:events'
import { request } from 'node:http'
import { type LoginFile, type LoginLink, MEDIA_TYPES, type UserList } from '@fish-crab/sdk/contract'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT, SERVER_SCRIPT, startServerProcess } from '../../scripts/test-support/server-process.ts'
import { administrator, ask, logIn } from './requests.ts'

const PLAYERS = 300

async function start() {
  const env = {
    FISH_STORAGE: 'memory:',
    FISH_LOG: 'json',
    FISH_PUBLIC_URL: 'https://fish.example',
    FISH_ADMIN_RATE_LIMIT: '100000',
    FISH_TRUST_PROXY: '1',
  }
  // With real hashes, the creation of all players takes seconds.
  const server = await startServerProcess(env, [], [SERVER_SCRIPT[0]])
  onTestFinished(() => server.end('SIGKILL').then(() => {}))
  const session = (await logIn(server, ROOT)).body.token
  return { server, session, admin: administrator(session) }
}

/** Sends a request that creates players over a new connection, and returns the response without reading the body. */
async function createPlayers(url: string, session: string) {
  const users = Array.from({ length: PLAYERS }, (_, index) => ({ name: `Player${index}` }))
  const headers = {
    authorization: `Bearer ${session}`,
    'content-type': MEDIA_TYPES.json,
    'accept-encoding': 'gzip, br',
  }
  const sent = request(`${url}/admin/users/bulk`, { method: 'POST', agent: false, headers })
  sent.on('error', () => {})
  sent.end(JSON.stringify({ users }))
  const [response] = await once(sent, 'response')
  response.on('error', () => {})
  return { sent, response }
}

test('passwords, API keys, and the tokens and nonces of links are in no log, audit entry, error or metric', async () => {
  const { server, admin } = await start()
  const alex = await admin.createUser(server, 'Alex')
  const { url } = (await admin.ask<LoginLink>(server, 'POST', '/admin/users/Alex/login-link', {})).body
  const token = url.slice(url.indexOf('#') + 1)
  const nonce = 'a nonce that nobody may see'
  const redeem = (body: object, path = '/user/login-link') =>
    ask<LoginFile>(server, path, {
      method: 'POST',
      headers: { 'content-type': MEDIA_TYPES.json },
      body: JSON.stringify(body),
    })
  const password = 'a password that nobody may see'
  const wrong = `${token.slice(0, -4)}AAAA`
  const failures = [
    await redeem({ token: wrong, nonce, password }),
    await redeem({ token, nonce, password: password.repeat(20) }),
    await redeem({ token, nonce: 'short', password }),
    await redeem({ token, nonce, password }, `/user/login-link/${token}?token=${token}&nonce=${nonce}`),
  ]
  expect(failures.map(({ status }) => status)).toEqual([404, 400, 400, 404])
  const file = (await redeem({ token, nonce, password })).body
  expect((await redeem({ token, nonce: 'another nonce of a client' })).status).toBe(404)
  const audit = await admin.ask(server, 'GET', '/admin/audit')
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const texts = [server.log(), JSON.stringify(audit.body), JSON.stringify(failures.map(({ body }) => body)), metrics]
  expect(server.log()).toContain('redeemLoginLink')
  const secret = token.slice(token.indexOf('.') + 1)
  for (const text of texts) {
    for (const one of [secret, wrong, nonce, password, file.apiKey, alex.apiKey, alex.password]) {
      expect(text).not.toContain(one)
    }
  }
})

test('a connection that is cut while players are created leaves whole players, and the service stops', async () => {
  const { server, session, admin } = await start()
  const { sent, response } = await createPlayers(server.url, session)
  expect(response.headers['content-encoding']).toBeUndefined()
  await once(response, 'data')
  sent.destroy()
  const list = async () => (await admin.ask<UserList>(server, 'GET', '/admin/users?limit=1000')).body.users
  let count = -1
  await expect
    .poll(
      async () => {
        const before = count
        count = (await list()).length
        return count === before
      },
      { interval: 100 },
    )
    .toBe(true)
  expect(count).toBeLessThan(PLAYERS)
  for (const { name } of await list()) {
    const key = await admin.ask(server, 'GET', `/get/user/key?name=${name}`)
    expect([401, 403]).toContain(key.status)
    const reset = await admin.ask(server, 'POST', `/admin/users/${name}/reset`, { type: 'api-key' })
    expect([name, reset.status]).toEqual([name, 200])
  }
})

test('a client that does not read its new players does not delay the logins of others', async () => {
  const { server, session } = await start()
  const { sent } = await createPlayers(server.url, session)
  onTestFinished(() => void sent.destroy())
  const logins = await Promise.all(Array.from({ length: 20 }, () => logIn(server, ROOT)))
  expect(logins.map(({ status }) => status)).toEqual(Array(20).fill(200))
})
