import { HEADERS } from '@fish-crab/sdk/contract'
import { post, SHORT, seal, write } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectDetails, expectError, expectJson, expectStatus, expectText } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

async function reset(world: World, name: string, type: string, field: string): Promise<string> {
  const answer = await world.asSuperadmin('resetUser', { params: { name }, body: { type } })
  const body = expectJson(answer)
  expectSame(Object.keys(body), [field], 'the fields', answer)
  const secret = expectText(body[field], `"${field}"`, answer)
  world.keep(secret)
  return secret
}

const rows: readonly CheckRow[] = [
  [
    'reset-fernet',
    'A new Fernet key is good at once, and tokens of the old one are invalid at once.',
    async (world) => {
      const user = await world.newUser()
      expectStatus(await write(world, 'fish', SHORT.fish, { user }), 201)
      const fernetKey = await reset(world, user.name, 'fernet', 'fernetKey')
      expectThat(fernetKey !== user.fernetKey, 'another key', 'the same')
      expectError(await post(world, 'fish', await seal(world, SHORT.fish, user), { user }), 'invalid_token')
      expectStatus(await write(world, 'fish', SHORT.fish, { user: { ...user, fernetKey } }), 201)
    },
  ],
  [
    'reset-fernet-keeps-data',
    'A new Fernet key changes nothing of what is stored, and a token of before is still known.',
    async (world) => {
      const user = await world.newUser()
      const token = await seal(world, SHORT.crab, user)
      const { id } = expectJson(await post(world, 'crab', token, { user }), 201)
      await reset(world, user.name, 'fernet', 'fernetKey')
      const answer = await post(world, 'crab', token, { user })
      expectSame(expectJson(answer, 200).id, id, '"id"', answer)
      const read = await world.request(`/get/crab?name=${user.name}&gamemode=earth`)
      expectSame(expectJson(read).crab, [{ name: 'crab' }], 'the crabs', read)
    },
  ],
  [
    'reset-api-key',
    'A new API key lifts the limit at once, and the old one is ignored at once, also when it was used before.',
    async (world) => {
      const user = await world.newUser()
      const isCounted = async (key: string) => {
        await world.anonymous.ensure(1)
        const answer = await world.anonymous.send('/status', { headers: { [HEADERS.apiKey]: key } })
        return answer.headers.has(HEADERS.rateRemaining)
      }
      expectSame(await isCounted(user.apiKey), false, 'whether a request with the key is counted')
      const apiKey = await reset(world, user.name, 'api-key', 'apiKey')
      expectSame(await isCounted(apiKey), false, 'whether a request with the new key is counted')
      expectSame(await isCounted(user.apiKey), true, 'whether a request with the old key is counted')
    },
  ],
  [
    'reset-password',
    'A new password is good at once.',
    async (world) => {
      const user = await world.newUser()
      const password = await reset(world, user.name, 'password', 'password')
      expectThat(password !== user.password, 'another password', 'the same')
      const authorization = `Basic ${btoa(`${user.name}:${password}`)}`
      const answer = await world.request('/get/user/key', { headers: { authorization } })
      expectThat(expectJson(answer).fernetKey === user.fernetKey, 'the same Fernet key as before', 'another', answer)
    },
  ],
  [
    'reset-unknown-type',
    'A reset of something else is 400 invalid_payload with details.',
    async (world) => {
      const { name } = await world.user()
      for (const body of [{ type: 'name' }, {}]) {
        expectDetails(await world.asSuperadmin('resetUser', { params: { name }, body }), 'invalid_payload')
      }
    },
  ],
  [
    'reset-unknown-user',
    'A reset for a user whom nobody created is 404 user_not_found.',
    async (world) => {
      const params = { name: world.accounts.newName() }
      expectError(await world.asSuperadmin('resetUser', { params, body: { type: 'fernet' } }), 'user_not_found')
    },
  ],
]

/** Replacing the secrets of a user. */
export const adminResetsChecks = checksOf('admin', rows)
