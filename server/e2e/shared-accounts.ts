import {
  HEADERS,
  type LoginFile,
  type LoginLink,
  MEDIA_TYPES,
  type PublicLeaderboard,
  routePath,
} from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { CHIEF } from './fleet.ts'
import { ask, logIn, newClient, postToken, readFish, type Target, tokenOf } from './requests.ts'
import type { Shared } from './shared.ts'

/** Maximum time until the change of an account has its effect in another process, in milliseconds. */
const EFFECT_MS = 1000

const statusOf = async (server: Target, path: string, headers = {}) =>
  (await fetch(`${server.url}${path}`, { redirect: 'manual', headers: { ...newClient(), ...headers } })).status

/** Opens an event stream in a process. `end` settles with the text of the stream when the stream ends. */
async function openStream({ url }: Target, name: string) {
  const response = await fetch(`${url}/events?name=${name}&gamemode=earth`, { headers: newClient() })
  expect(response.status).toBe(200)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  async function readAll(): Promise<string> {
    let text = ''
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
    return text
  }
  return { end: readAll() }
}

/** Tests that the change of an account in one process has its effect in every process. */
export function describeSharedAccounts({ fleet, chief, everywhere, newUser, size }: Shared): void {
  const admin = <Body>(method: string, path: string, body?: unknown) =>
    chief().ask<Body>(fleet().at(0), method, path, body)

  test.each(['a suspension that hides', 'a choice of the player', 'a deletion'])(
    'a player is hidden in every process within a second after %s, and open streams end',
    async (change) => {
      const user = await newUser()
      const own = { authorization: `Basic ${btoa(`${user.name}:${user.password}`)}`, 'content-type': MEDIA_TYPES.json }
      await postToken(fleet().at(0), user, await tokenOf(user, 'Salmon'))
      const paths = [
        `/get/fish?gamemode=earth&name=${user.name}`,
        `/get/profile?name=${user.name}`,
        `/@${user.name}`,
        `/@${user.name}/badge.svg`,
        `/@${user.name}/card.png`,
      ]
      const isListed = async (server: Target) => {
        const { body } = await ask<PublicLeaderboard>(server, '/get/leaderboard?kind=fish&limit=100', {
          headers: newClient(),
        })
        return body.leaderboard.some(({ name }) => name === user.name)
      }
      const statuses = () => everywhere((server) => Promise.all(paths.map((path) => statusOf(server, path))))
      expect(await statuses()).toEqual(Array(size).fill([200, 200, 200, 200, 200]))
      expect(await everywhere(isListed)).toEqual(Array(size).fill(true))
      const streams = await everywhere((server) => openStream(server, user.name))

      if (change === 'a deletion') {
        const body = JSON.stringify({ password: user.password })
        expect((await ask(fleet().at(0), '/user', { method: 'DELETE', headers: own, body })).status).toBe(204)
      } else if (change === 'a choice of the player') {
        const body = JSON.stringify({ public: false })
        expect((await ask(fleet().at(0), '/user', { method: 'PATCH', headers: own, body })).status).toBe(200)
      } else await admin('POST', routePath('suspendUser', { name: user.name }), { hide: true })
      const changed = performance.now()
      for (const text of await Promise.all(streams.map(({ end }) => end))) expect(text).toContain('event: deleted')
      expect(await statuses()).toEqual(Array(size).fill([404, 404, 404, 404, 404]))
      expect(await everywhere(isListed)).toEqual(Array(size).fill(false))
      expect(performance.now() - changed).toBeLessThan(EFFECT_MS)
    },
  )

  test('every process knows the new name of a player, also in responses that it had cached', async () => {
    const user = await newUser()
    const name = `Renamed${user.name}`
    await postToken(fleet().at(0), user, await tokenOf(user, 'Salmon'))
    await everywhere((server) => readFish(server, user))
    await everywhere((server) => statusOf(server, `/@${user.name}/badge.svg`))
    expect((await admin('POST', routePath('renameUser', { name: user.name }), { name })).status).toBe(200)
    for (const one of [user, { ...user, name }]) {
      for (const { body } of await everywhere((server) => readFish(server, one))) expect(body.user).toBe(name)
      const posted = await everywhere(async (server) => postToken(server, one, await tokenOf(user, 'Koi')))
      expect(posted.map(({ status }) => status)).toEqual(Array(size).fill(201))
    }
    const pictures = await everywhere(async (server) => [
      await statusOf(server, `/@${user.name}/badge.svg`),
      await statusOf(server, `/@${name}/badge.svg`),
    ])
    expect(pictures).toEqual(Array(size).fill([301, 200]))
  })

  test('every process refuses an old password, its link and its sessions after the password was replaced', async () => {
    const user = await newUser()
    const basic = (password: string) => ({ authorization: `Basic ${btoa(`${user.name}:${password}`)}` })
    const logsIn = (password: string) => everywhere((server) => statusOf(server, '/get/user/key', basic(password)))
    const link = async () => {
      const path = routePath('createLoginLink', { name: user.name })
      const { url } = (await admin<LoginLink>('POST', path, {})).body
      return url.slice(url.indexOf('#') + 1)
    }
    const redeem = (server: Target, token: string, nonce: string) =>
      ask<LoginFile>(server, '/user/login-link', {
        method: 'POST',
        headers: { ...newClient(), 'content-type': MEDIA_TYPES.json },
        body: JSON.stringify({ token, nonce: `the nonce of ${nonce}` }),
      })
    expect(await logsIn(user.password)).toEqual(Array(size).fill(200))
    const token = await link()
    const changed = await ask(fleet().at(0), '/user/password', {
      method: 'POST',
      headers: { ...newClient(), ...basic(user.password), 'content-type': MEDIA_TYPES.json },
      body: JSON.stringify({ password: 'another password' }),
    })
    expect(changed.status).toBe(204)
    expect(await logsIn(user.password)).toEqual(Array(size).fill(401))
    expect(await logsIn('another password')).toEqual(Array(size).fill(200))
    const late = await everywhere((server) => redeem(server, token, 'a late client'))
    expect(late.map(({ body }) => body.code)).toEqual(Array(size).fill('link_not_found'))

    const contested = await link()
    let clients = 0
    const redeemed = await everywhere((server) => redeem(server, contested, `client ${clients++}`))
    expect(redeemed.map(({ status }) => status).sort()).toEqual([200, ...Array(size - 1).fill(404)])
    const winner = redeemed.find(({ status }) => status === 200)?.body
    expect(await logsIn('another password')).toEqual(Array(size).fill(401))
    expect(await logsIn(winner?.password ?? '')).toEqual(Array(size).fill(200))
    const isCounted = async (server: Target, apiKey: string) =>
      (await ask(server, '/demo/fish', { headers: { ...newClient(), [HEADERS.apiKey]: apiKey } })).headers.has(
        HEADERS.rateLimit,
      )
    expect(await everywhere((server) => isCounted(server, winner?.apiKey ?? ''))).toEqual(Array(size).fill(false))
    expect(await everywhere((server) => isCounted(server, user.apiKey))).toEqual(Array(size).fill(true))

    const second = { username: `admin-${user.name}`, password: 'a long password' }
    await admin('POST', '/admin/admins', { ...second, role: 'superadmin' })
    const session = (await logIn(fleet().at(1), second)).body.token
    const me = (server: Target) => statusOf(server, '/admin/me', { authorization: `Bearer ${session}` })
    expect(await everywhere(me)).toEqual(Array(size).fill(200))
    expect((await admin('POST', routePath('resetAdmin', { username: second.username }))).status).toBe(200)
    expect(await everywhere(me)).toEqual(Array(size).fill(401))
    const old = await everywhere((server) => logIn(server, second))
    expect(old.map(({ status }) => status)).toEqual(Array(size).fill(401))
    expect((await logIn(fleet().at(1), CHIEF)).status).toBe(200)
  })
}
