import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { createClient } from '@fish-crab/sdk'
import { type AdminClient, createAdminClient } from '@fish-crab/sdk/admin'
import { type CreatedUser, ROUTES, type RouteName, routePath } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { ROOT } from '../../test-support/server-process.ts'
import type { Experiment } from '../experiment.ts'
import { readCollections, Service, temporaryFolder } from '../service.ts'

/** What somebody shows. Requests are about Alex; Kevin is another player. */
type Credential =
  | 'none'
  | 'unknown API key'
  | "Alex's API key"
  | "Kevin's API key"
  | "Alex's password"
  | 'a wrong password of Alex'
  | "Kevin's password"
  | "the administrator's password"
  | "the superadmin's password"
  | "the administrator's session"
  | "the superadmin's session"
  | 'a session that was ended'
  | 'a session signed by somebody else'

const SUPERADMIN_ROUTES: readonly RouteName[] = ['deleteUser', 'listAdmins', 'createAdmin', 'deleteAdmin']

const isOwn = (route: RouteName) => ROUTES[route].path.startsWith('/user/')

/** Who may do what with Alex's data, written a second time, not derived from the contract. */
function isAllowed(route: RouteName, credential: Credential): boolean {
  if (SUPERADMIN_ROUTES.includes(route)) return credential === "the superadmin's session"
  if (route !== 'adminLogin' && ROUTES[route].path.startsWith('/admin/')) {
    return credential === "the administrator's session" || credential === "the superadmin's session"
  }
  if (isOwn(route)) return credential === "Alex's password"
  if (route === 'getUserKey') {
    return ["Alex's password", "the administrator's password", "the superadmin's password"].includes(credential)
  }
  return true
}

const ADMIN = { username: 'second', password: 'second-password' }
const NOBODY = '00000000-0000-7000-8000-000000000000'

const basic = (name: string, password: string) => ({ authorization: `Basic ${btoa(`${name}:${password}`)}` })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The same claims, signed by another secret. */
function resigned(token: string): string {
  const claims = token.split('.').slice(0, 2).join('.')
  return `${claims}.${createHmac('sha256', 'a secret of somebody else').update(claims).digest('base64url')}`
}

async function headersOf(admin: AdminClient, url: string, [alex, kevin]: readonly [CreatedUser, CreatedUser]) {
  await admin.admins.create({ ...ADMIN, role: 'admin' })
  const session = async (who: typeof ADMIN) => (await createAdminClient({ baseUrl: url, ...who }).login()).token
  const [ended, ofAdmin, ofRoot] = [await session(ADMIN), await session(ADMIN), await session(ROOT)]
  await fetch(`${url}/admin/logout`, { method: 'POST', headers: bearer(ended) })
  return {
    none: {},
    'unknown API key': { 'x-api-key': 'fck_unknown' },
    "Alex's API key": { 'x-api-key': alex.apiKey },
    "Kevin's API key": { 'x-api-key': kevin.apiKey },
    "Alex's password": basic(alex.name, alex.password),
    'a wrong password of Alex': basic(alex.name, 'wrong'),
    "Kevin's password": basic(kevin.name, kevin.password),
    "the administrator's password": basic(ADMIN.username, ADMIN.password),
    "the superadmin's password": basic(ROOT.username, ROOT.password),
    "the administrator's session": bearer(ofAdmin),
    "the superadmin's session": bearer(ofRoot),
    'a session that was ended': bearer(ended),
    'a session signed by somebody else': bearer(resigned(ofRoot)),
  } satisfies Readonly<Record<Credential, Readonly<Record<string, string>>>>
}

/** Bodies that would be accepted. */
const BODIES: Partial<Record<RouteName, unknown>> = {
  adminLogin: ROOT,
  createUser: { name: 'Somebody' },
  createAdmin: { username: 'third', password: 'third-password', role: 'superadmin' },
  resetUser: { type: 'password' },
  addUserFish: { fish: [{ name: 'Added', rarity: 1 }] },
  addUserCrab: { crab: [{ name: 'Added' }] },
}

export const ACCESS_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'who may do what',
    how: 'Every endpoint, with every credential, about the same player: who is refused gets 401, 403 or 404, and changes nothing.',
    async run() {
      using folder = temporaryFolder()
      const settings = { FISH_TRUST_PROXY: '1', FISH_RATE_LIMIT: '100000', FISH_PUBLIC_LEADERBOARD: '1' }
      await using service = await Service.start({ FISH_STORAGE: `file:${join(folder.path, 'data')}`, ...settings })
      const { url } = service
      const players = (await service.createPlayers(2)) as [CreatedUser, CreatedUser]
      const [alex, kevin] = players
      const admin = createAdminClient({ baseUrl: url, ...ROOT })
      const headers = await headersOf(admin, url, players)
      const { id } = await createClient({
        baseUrl: url,
        user: alex.name,
        gamemode: 'earth',
        fernetKey: alex.fernetKey,
      }).fish.add({ name: 'Mine', rarity: 1 })
      const stateOf = async () =>
        JSON.stringify([
          await readCollections(url, players).then((collections) => [...collections]),
          (await admin.admins.list()).admins,
          (await admin.users.list()).users.map(({ name }) => name),
          (await createAdminClient({ baseUrl: url, ...ROOT }).stats()).users,
        ])

      const token = await createFernet(kevin.fernetKey).encrypt(JSON.stringify({ fish: 'Forged', rarity: 1 }))
      const wrong: string[] = []
      let [cells, clients] = [0, 0]
      const routes = (Object.keys(ROUTES) as RouteName[]).filter((route) => route !== 'adminLogout')
      // Last, since it ends the sessions.
      for (const route of [...routes, 'adminLogout'] as const) {
        for (const [credential, shown] of Object.entries(headers) as [Credential, Record<string, string>][]) {
          const { method } = ROUTES[route]
          const allowed = isAllowed(route, credential)
          const isPost = route === 'postFish' || route === 'postCrab'
          // Who is allowed gets nothing to destroy.
          const params = allowed
            ? { name: 'Nobody', username: 'nobody', id: NOBODY }
            : { name: alex.name, username: ADMIN.username, id }
          const body = isPost ? token : JSON.stringify(BODIES[route] ?? { gamemode: 'survival' })
          const isChecked = !allowed && method !== 'GET'
          const before = isChecked ? await stateOf() : ''
          clients += 1
          const response = await fetch(`${url}${routePath(route, params)}?name=${alex.name}&gamemode=earth&kind=fish`, {
            method,
            headers: {
              ...shown,
              'x-forwarded-for': `10.0.${clients >> 8}.${clients & 255}`,
              'x-gamemode': 'earth',
              ...(method === 'GET' ? {} : { 'content-type': isPost ? 'application/octet-stream' : 'application/json' }),
            },
            signal: AbortSignal.timeout(5000),
            ...(method === 'GET' ? {} : { body }),
          })
          await response.body?.cancel()
          const isRefused = [401, 403].includes(response.status) || (isOwn(route) && response.status === 404)
          // A token of another player's key is refused with every credential.
          const isRight = isPost
            ? response.status === 400
            : allowed
              ? response.status < 500 && ![401, 403].includes(response.status)
              : isRefused
          if (!isRight) wrong.push(`${route} with ${credential}: ${response.status}`)
          if (isChecked && (await stateOf()) !== before) wrong.push(`${route} with ${credential} changed something`)
          cells += 1
        }
      }
      return {
        figure: wrong.length === 0 ? `${cells} cells` : wrong.join('; '),
        limit: '0 wrong',
        isMet: wrong.length === 0,
      }
    },
  },
]
