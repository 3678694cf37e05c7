import { collection, SHORT, written } from '../context/catches.ts'
import { expectError, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { createdUser } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const rows: readonly CheckRow[] = [
  [
    'user-deleted',
    'A deleted user is gone at once: not found, and its API key is ignored.',
    async (world) => {
      const user = await world.newUser()
      expectStatus(await world.asSuperadmin('deleteUser', { params: { name: user.name } }), 204)
      const read = `/get/fish?name=${user.name}&gamemode=earth`
      expectError(await world.request(read), 'user_not_found')
      expectError(await world.asSuperadmin('showUser', { params: { name: user.name } }), 'user_not_found')
      const headers = { 'x-api-key': user.apiKey }
      await world.anonymous.ensure(1)
      const answer = await world.anonymous.send('/status', { headers })
      expectThat(answer.headers.has('x-ratelimit-remaining'), 'the request to be counted', 'it was not', answer)
    },
  ],
  [
    'user-deleted-with-all-data',
    'A user that is created again under the name of a deleted one has other secrets and nothing of the old data.',
    async (world) => {
      const { token } = await world.superadmin()
      const user = await world.newUser()
      await written(world, 'fish', SHORT.fish, { user })
      expectStatus(await world.asSuperadmin('deleteUser', { params: { name: user.name } }), 204)
      const again = createdUser(await world.accounts.createUser(token, { name: user.name }))
      expectThat(again.fernetKey !== user.fernetKey && again.apiKey !== user.apiKey, 'other keys', 'the same')
      expectThat(again.id !== user.id, 'another id', 'the same')
      expectSame((await collection(world, 'fish', again)).entries, [], 'the fish of the new user')
    },
  ],
]

/** What is left of users whom administrators delete. */
export const adminUsersDeletedChecks = checksOf('admin', rows)
