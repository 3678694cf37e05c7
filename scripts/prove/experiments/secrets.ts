import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CreatedUser, ROUTES, type RouteName, routePath } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { startRedis } from '../../test-support/redis-server.ts'
import { createUser, ROOT, startServerProcess } from '../../test-support/server-process.ts'
import { writtenForms } from '../../test-support/written-forms.ts'
import type { Experiment } from '../experiment.ts'
import { temporaryFolder } from '../service.ts'
import { noRedis } from '../system.ts'

/** The program of operators, which hashes passwords. */
const PROGRAM = [fileURLToPath(new URL('../../../cli/bin/run.js', import.meta.url)), 'serve']

/** Each secret by what it is. */
type Secrets = Map<string, string>

/** Each text in which no secret may be, by where it is. */
type Places = Map<string, string>

const canary = () => randomBytes(30).toString('base64')

const GIVES_SECRETS: readonly RouteName[] = ['adminLogin', 'createUser', 'resetUser', 'getUserKey']
const SECRET_FIELDS = ['token', 'password', 'fernetKey', 'apiKey']

/** Notes the secrets of a response that has to give some. */
function collect(secrets: Secrets, source: string, body: string): void {
  for (const [name, value] of Object.entries(JSON.parse(body) as Readonly<Record<string, unknown>>)) {
    if (SECRET_FIELDS.includes(name)) secrets.set(`${name} (${source})`, String(value))
  }
}

/** Sends every request with every secret, where it belongs and where it does not. */
async function useEverywhere(url: string, alex: CreatedUser, secrets: Secrets, places: Places): Promise<void> {
  const basic = (name: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  })
  const token = await createFernet(alex.fernetKey).encrypt(JSON.stringify({ fish: 'Salmon', rarity: 3 }))
  let requests = 0
  const send = async (route: RouteName, headers: Readonly<Record<string, string>>, content: unknown, query = '') => {
    const { method, path } = ROUTES[route]
    const isPost = path.startsWith('/post/')
    const params = { name: 'Kevin', username: 'nobody', id: 'nothing', file: 'nothing' }
    requests += 1
    const response = await fetch(
      `${url}${routePath(route, params)}?name=Alex&gamemode=earth&kind=fish&follow=false${query}`,
      {
        method,
        headers: {
          'x-gamemode': 'earth',
          'x-forwarded-for': `10.0.${requests >> 8}.${requests & 255}`,
          'content-type': isPost ? 'application/octet-stream' : 'application/json',
          ...headers,
        },
        signal: AbortSignal.timeout(10_000),
        ...(method === 'GET' ? {} : { body: isPost ? token : JSON.stringify(content) }),
      },
    )
    const body = await response.text()
    const source = `response ${requests} of ${route}, ${response.status}`
    if (response.ok && GIVES_SECRETS.includes(route)) collect(secrets, source, body)
    else places.set(source, `${[...response.headers].join('\n')}\n${body}`)
    return body
  }

  const rootPassword = secrets.get('password of the first administrator') ?? ''
  const login = { username: ROOT.username, password: rootPassword }
  const contents: Partial<Record<RouteName, unknown>> = {
    adminLogin: login,
    createUser: { name: 'Somebody' },
    resetUser: { type: 'api-key' },
    createAdmin: { username: 'second', password: rootPassword, role: 'admin' },
    addUserFish: { fish: [{ name: 'Added', rarity: 1 }] },
  }
  const session = JSON.parse(await send('adminLogin', {}, login)) as { readonly token: string }
  const routes = (Object.keys(ROUTES) as RouteName[]).filter((route) => route !== 'adminLogout')
  // Last, since it ends the session.
  for (const route of [...routes, 'adminLogout'] as const) {
    const content = contents[route] ?? { gamemode: 'survival' }
    for (const secret of [...secrets.values()]) {
      const misplaced = { username: secret, password: secret, name: secret, [secret]: secret }
      await send(route, { 'x-api-key': secret }, misplaced, `&key=${encodeURIComponent(secret)}`)
      await send(route, basic(secret, secret), misplaced)
      await send(route, { authorization: `Bearer ${secret}` }, misplaced)
    }
    await send(route, { 'x-api-key': alex.apiKey }, content)
    await send(route, basic(alex.name, alex.password), content)
    await send(route, basic(ROOT.username, rootPassword), content)
    await send(route, { authorization: `Bearer ${session.token}` }, content)
  }
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** Runs a service on a storage, uses each secret, and says which ones stand where. @param data its folder on the disk */
async function search(storage: string, data: string, secrets: Secrets, home: string) {
  const set = (what: string) => {
    const secret = canary()
    secrets.set(what, secret)
    return secret
  }
  const rootPassword = set('password of the first administrator')
  const server = await startServerProcess(
    {
      HOME: home,
      FISH_STORAGE: storage,
      FISH_ADMIN_PASSWORD: rootPassword,
      FISH_SECRET: set('FISH_SECRET'),
      FISH_SECRET_PREVIOUS: set('FISH_SECRET_PREVIOUS'),
      FISH_JWT_SECRET: set('FISH_JWT_SECRET'),
      FISH_MASTER_API_KEY: set('FISH_MASTER_API_KEY'),
      FISH_RATE_LIMIT: '100000',
      FISH_ADMIN_RATE_LIMIT: '100000',
      FISH_TRUST_PROXY: '1',
      FISH_LOG: 'json',
    },
    [],
    PROGRAM,
  )
  const places: Places = new Map([['arguments', readFileSync(`/proc/${server.child.pid}/cmdline`, 'latin1')]])
  try {
    const [alex] = await Promise.all(
      ['Alex', 'Kevin'].map(async (name) => {
        const player = await createUser(server.url, name, rootPassword)
        collect(secrets, name, JSON.stringify(player))
        return player
      }),
    )
    if (!alex) throw new Error('No player.')
    await useEverywhere(server.url, alex, secrets, places)
  } finally {
    await server.end('SIGTERM')
  }
  places.set('log', server.log())
  for (const file of filesIn(data)) places.set(file.slice(data.length + 1), readFileSync(file, 'latin1'))
  const forms = [...secrets].flatMap(([what, secret]) => writtenForms(secret).map((form) => ({ what, form })))
  const found = [...places].flatMap(([where, text]) =>
    forms.filter(({ form }) => text.includes(form)).map(({ what }) => `${what} in ${where}`),
  )
  return { places: places.size, found: [...new Set(found)] }
}

export const SECRET_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'canaries of secrets',
    how: 'Every endpoint gets every secret, in its place and in wrong ones: as name, password, key, session, field and query. Responses, pages, events, metrics, the log, the disk (a file, a Redis with a password) and the arguments of the process are searched for each, as text, JSON, URL, base64 and hexadecimal.',
    isLong: true,
    missing: noRedis,
    async run() {
      using folder = temporaryFolder()
      const secrets: Secrets = new Map()
      const data = join(folder.path, 'data')
      const inFile = await search(`file:${data}`, data, secrets, folder.path)
      const password = randomBytes(30).toString('hex')
      secrets.set('password of Redis', password)
      await using redis = await startRedis({ requirepass: password })
      const url = `redis://:${password}@127.0.0.1:${redis.port}`
      const [, dir = ''] = (await redis.admin.config('GET', 'dir')) as [string, string]
      const inRedis = await search(url, join(dir, 'appendonlydir'), secrets, folder.path)
      const found = [...inFile.found, ...inRedis.found]
      const places = inFile.places + inRedis.places
      return {
        figure: found.length === 0 ? `${secrets.size} secrets, ${places.toLocaleString('en')} texts` : found.join('; '),
        limit: '0 found',
        isMet: found.length === 0,
      }
    },
  },
]
