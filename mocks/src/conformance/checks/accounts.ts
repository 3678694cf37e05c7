import { HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { basic, type OwnUser } from '../context/accounts.ts'
import { encrypt, post, SHORT_PAYLOADS, write, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const read = (t: TestContext, { name }: Pick<OwnUser, 'name'>) => t.request(`/get/fish?name=${name}&gamemode=earth`)

/** Sends a request of a player with the player's password. */
function asPlayer(
  t: TestContext,
  user: Pick<OwnUser, 'name' | 'password'>,
  method: string,
  path: string,
  body: object,
) {
  const headers = { authorization: basic(user.name, user.password), 'content-type': MEDIA_TYPES.json }
  return t.request(path, { method, headers, body: JSON.stringify(body) })
}

const redeem = (t: TestContext, body: object) =>
  t.send('/user/login-link', {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.json },
    body: JSON.stringify({ nonce: 'a nonce of this program', ...body }),
  })

/** Returns the token of a new link. Skips the check if the service does not know its public address. */
function tokenOf(t: TestContext, response: expect.ReceivedResponse, status: number): string {
  if (response.status === 409) throw new expect.CheckSkipped('the service has no public address (FISH_PUBLIC_URL)')
  const url = expect.text(expect.json(response, status).url, '"url"', response)
  const token = url.slice(url.indexOf('#') + 1)
  t.redact(token)
  expect.that(/\/login#[\w.-]{43,}$/.test(url), 'a link to /login with 256 bits in its fragment', 'another', response)
  return token
}

/** Reads a login file, and hides its secrets in reports. */
function fileOf(t: TestContext, response: expect.ReceivedResponse) {
  const file = expect.json(response)
  for (const field of ['password', 'fernetKey', 'apiKey']) t.redact(String(file[field]))
  const fields = ['apiKey', 'fernetKey', 'name', 'password', 'service', 'version']
  expect.same(Object.keys(file).sort(), fields, 'the fields', response)
  return { name: String(file.name), password: String(file.password), fernetKey: String(file.fernetKey) }
}

/** Fails the check unless the audit log has these actions about a user, the newest first. */
async function expectAudited(t: TestContext, name: string, ...actions: readonly string[]): Promise<void> {
  const response = await t.asSuperadmin('audit', { query: `?user=${name}` })
  const entries = expect.list(response, 'entries').map(({ action }) => action)
  expect.same(entries.slice(0, actions.length), actions, 'the newest actions in the audit log', response)
}

export const accountsChecks = checksOf('admin', [
  check(
    'suspended-player',
    'A suspended player cannot post or log in and can still be read; a stored token is a replay. After the suspension, the player can post again.',
    async (t) => {
      const user = await t.newUser()
      const token = await encrypt(t, SHORT_PAYLOADS.fish, user)
      expect.status(await post(t, 'fish', token, { user }), 201)
      const params = { name: user.name }
      const suspended = await t.asSuperadmin('suspendUser', { params, body: {} })
      expect.same(expect.json(suspended), { name: user.name, suspended: true, hidden: false }, 'the body', suspended)
      expect.error(await write(t, 'fish', SHORT_PAYLOADS.fish, { user }), 'user_suspended')
      expect.error(await t.readKey(user.name, user.password), 'user_suspended')
      expect.error(await post(t, 'fish', 'not a token', { user }), 'invalid_token')
      expect.header(await post(t, 'fish', token, { user }), HEADERS.replayed, 'true')
      expect.same(expect.list(await read(t, user), 'fish').length, 1, 'the number of fish')
      expect.status(await t.asSuperadmin('unsuspendUser', { params }), 200)
      await expectAudited(t, user.name, 'user.unsuspend', 'user.suspend', 'user.create')
      await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { user })
    },
  ),
  check('hidden-player', 'A hidden player is unknown to reads, and a post of the player is still 403.', async (t) => {
    const user = await t.newUser()
    const params = { name: user.name }
    await t.asSuperadmin('suspendUser', { params, body: { hide: true } })
    expect.error(await read(t, user), 'user_not_found')
    expect.error(await t.request(`/get/profile?name=${user.name}`), 'user_not_found')
    expect.error(await write(t, 'fish', SHORT_PAYLOADS.fish, { user }), 'user_suspended')
    const shown = await t.asSuperadmin('showUser', { params })
    expect.same(expect.json(shown).hidden, true, '"hidden" for administrators', shown)
    await t.asSuperadmin('unsuspendUser', { params })
    expect.status(await read(t, user), 200)
  }),
  check(
    'private-player',
    'A player who is not public is unknown to others, readable with their own API key, and can add catches.',
    async (t) => {
      const user = await t.newUser()
      expect.status(await asPlayer(t, user, 'PATCH', '/user', { public: false }), 200)
      expect.error(await read(t, user), 'user_not_found')
      await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { user })
      const path = `/get/fish?name=${user.name}&gamemode=earth`
      const own = await t.send(path, { headers: { [HEADERS.apiKey]: user.apiKey } })
      expect.same(expect.list(own, 'fish').length, 1, 'the number of fish', own)
      expect.status(await asPlayer(t, user, 'PATCH', '/user', { public: true }), 200)
      expect.status(await read(t, user), 200)
      await expectAudited(t, user.name, 'user.public', 'user.private')
    },
  ),
  check(
    'renamed-player',
    'A renamed player keeps keys and catches under both names, and nobody else can take the old name.',
    async (t) => {
      const user = await t.newUser()
      await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { user })
      const name = t.newName()
      t.removeLater('createUser', name)
      const renamed = await asPlayer(t, user, 'POST', '/user/rename', { name })
      expect.same(expect.json(renamed), { name }, 'the body', renamed)
      await expectAudited(t, user.name, 'user.rename')
      for (const one of [user.name, name]) {
        const { user: shown, fish } = expect.json(await read(t, { name: one }))
        expect.same([shown, (fish as unknown[]).length], [name, 1], `the user and the number of fish under ${one}`)
        expect.status(await t.readKey(one, user.password), 200)
      }
      await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { user })
      expect.error(await t.createUser({ name: user.name }), 'user_exists')
      const other = await t.newUser()
      const taken = await t.asSuperadmin('renameUser', { params: { name: other.name }, body: { name: user.name } })
      expect.error(taken, 'user_exists')
    },
  ),
  check('own-account-deleted', 'A player deletes their own account with the password in the body.', async (t) => {
    const user = await t.newUser()
    expect.error(await asPlayer(t, user, 'DELETE', '/user', { password: 'a-wrong-password' }), 'invalid_credentials')
    expect.status(await asPlayer(t, user, 'DELETE', '/user', { password: user.password }), 204)
    expect.error(await read(t, user), 'user_not_found')
    await expectAudited(t, user.name, 'user.delete')
  }),
  check(
    'many-users',
    'One request creates several users: one JSON line for each, in order, with secrets or the reason why not.',
    async (t) => {
      // Without an administrator, the run must not try to remove users at its end.
      await t.superadmin()
      const { name: taken } = await t.user()
      const names = [t.newName(), taken, 'two words', t.newName()]
      for (const name of names.filter((one) => one.startsWith(t.prefix) && one !== taken))
        t.removeLater('createUser', name)
      const response = await t.asSuperadmin('createUsers', { body: { users: names.map((name) => ({ name })) } })
      expect.type(response, MEDIA_TYPES.ndjson)
      expect.header(response, 'cache-control', 'no-store')
      const lines = response.text.trim().split('\n')
      const users = lines.map((line) => JSON.parse(line) as Record<string, string>)
      for (const { password, fernetKey, apiKey } of users) {
        for (const secret of [password, fernetKey, apiKey]) if (secret) t.redact(secret)
      }
      const outcomes = users.map(({ name, status, code }) => [name, code ?? status])
      const codes = ['created', 'user_exists', 'invalid_payload', 'created']
      expect.same(
        outcomes,
        names.map((name, index) => [name, codes[index]]),
        'the names and outcomes',
      )
      const [first] = users
      expect.status(await t.readKey(String(first?.name), String(first?.password)), 200)
    },
  ),
  check(
    'login-link',
    'A login link works once, replaces the password and keeps the Fernet key; its response can be repeated.',
    async (t) => {
      const { name, password, fernetKey } = await t.newUser()
      const link = async () => t.asSuperadmin('createLoginLink', { params: { name }, body: {} })
      const old = tokenOf(t, await link(), 200)
      const token = tokenOf(t, await link(), 200)
      expect.error(await redeem(t, { token: old }), 'link_not_found')
      const first = await redeem(t, { token })
      const file = fileOf(t, first)
      await expectAudited(t, name, 'user.login-link.redeem', 'user.login-link')
      expect.that(file.name === name && file.fernetKey === fernetKey, 'the name and the Fernet key', 'others', first)
      expect.that((await redeem(t, { token })).text === first.text, 'the same response to the same nonce', 'another')
      expect.error(await redeem(t, { token, nonce: 'another nonce of this program' }), 'link_not_found')
      expect.status(await t.readKey(name, file.password), 200)
      expect.error(await t.readKey(name, password), 'invalid_credentials')
    },
  ),
  check('invitation', 'An invitation creates as many players as it has uses, and ends on demand.', async (t) => {
    const created = await t.asSuperadmin('createInvitation', { body: { uses: 1 } })
    const token = tokenOf(t, created, 201)
    const id = expect.text(expect.json(created, 201).id, '"id"', created)
    const names = [t.newName(), t.newName()]
    for (const name of names) t.removeLater('createUser', name)
    const join = (name: string) => redeem(t, { token, name, nonce: `a nonce for ${name}` })
    const file = fileOf(t, await join(names[0] ?? ''))
    await expectAudited(t, file.name, 'invitation.redeem')
    expect.status(await t.readKey(file.name, file.password), 200)
    expect.error(await join(names[1] ?? ''), 'link_not_found')
    const listed = expect.list(await t.asSuperadmin('listInvitations'), 'invitations').find((one) => one.id === id)
    expect.same(listed?.remaining, 0, '"remaining"')
    expect.status(await t.asSuperadmin('deleteInvitation', { params: { id } }), 204)
    expect.error(await t.asSuperadmin('deleteInvitation', { params: { id } }), 'invitation_not_found')
  }),
  check('export', 'An export has the catches of all players, and guards formulas in CSV.', async (t) => {
    const user = await t.newUser()
    const body = { crab: [{ name: '=1+1', caughtAt: '2025-01-01T00:00:00.000Z' }] }
    const params = { name: user.name }
    expect.status(await t.asSuperadmin('addUserCrab', { params, query: '?gamemode=earth', body }), 201)
    const query = (format: string) => ({ query: `?kind=crab&gamemode=earth&format=${format}` })
    const csv = await t.asSuperadmin('exportCatches', query('csv'))
    expect.type(csv, MEDIA_TYPES.csv)
    const [head = '', ...rows] = csv.text.split('\r\n')
    expect.same(head, 'player,kind,gamemode,name,rarity,caughtAt,id,entry', 'the first line', csv)
    const row = rows.find((one) => one.startsWith(`${user.name},`))
    expect.same(
      row?.split(',').slice(0, 6).join(),
      `${user.name},crab,earth,'=1+1,,2025-01-01T00:00:00.000Z`,
      'the row',
    )
    const lines = (await t.asSuperadmin('exportCatches', query('jsonl'))).text.trim().split('\n')
    const line = lines.map((one) => JSON.parse(one)).find(({ player }) => player === user.name)
    expect.same([line?.name, line?.entry], ['=1+1', 0], 'the name and the index of the catch in JSON lines')
  }),
])
