import { KINDS, type Kind } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { entriesOf, storedEntries } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import {
  expectDateTime,
  expectDetails,
  expectError,
  expectJson,
  expectList,
  expectSame,
  expectStatus,
  expectText,
  expectThat,
} from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const ROUTES_OF = {
  fish: { list: 'listUserFish', add: 'addUserFish', remove: 'deleteUserFish' },
  crab: { list: 'listUserCrab', add: 'addUserCrab', remove: 'deleteUserCrab' },
} as const
const TWO_ENTRIES = {
  fish: [
    { name: 'Cod', rarity: 1 },
    { name: 'Koi', rarity: 6 },
  ],
  crab: [{}, { name: 'Hermit' }],
} as const
const STORED_ENTRIES = {
  fish: [
    { name: 'Cod', rarity: 'Bronze' },
    { name: 'Koi', rarity: 'Platinum' },
  ],
  crab: [{ name: 'crab' }, { name: 'Hermit' }],
} as const
const EARTH = '?gamemode=earth'

async function add(t: TestContext, kind: Kind, { name }: OwnUser): Promise<string> {
  const request = { params: { name }, query: EARTH, body: { [kind]: TWO_ENTRIES[kind] } }
  const response = await t.asSuperadmin(ROUTES_OF[kind].add, request)
  const { id, message } = expectJson(response, 201)
  const noun = kind === 'fish' ? 'fish' : 'crabs'
  expectSame(message, `2 ${noun} saved for user ${name}`, '"message"', response)
  return expectText(id, '"id"', response)
}

export const adminCatchesChecks = checksOf(
  'admin',
  KINDS.flatMap((kind) => [
    check(
      `admin-adds-${kind}`,
      `An administrator adds ${kind} as plain JSON, which reads return like all others.`,
      async (t) => {
        const id = await add(t, kind, await t.user())
        expectSame(await storedEntries(t, kind, id), STORED_ENTRIES[kind], 'what is stored')
      },
    ),
    check(`admin-lists-${kind}`, `An administrator lists the ${kind} of a user with ids and times.`, async (t) => {
      const user = await t.user()
      const id = await add(t, kind, user)
      const response = await t.asSuperadmin(ROUTES_OF[kind].list, { params: { name: user.name }, query: EARTH })
      expectSame(expectJson(response).user, user.name, '"user"', response)
      const listed = expectList(response, kind).filter((entry) => entry.id === id)
      expectSame(listed.length, 2, 'the number of entries with the id', response)
      for (const { caughtAt } of listed) expectDateTime(caughtAt, '"caughtAt"', response)
    }),
    check(
      `admin-removes-${kind}`,
      `An administrator removes one whole record of ${kind} by its id; a second time is 404.`,
      async (t) => {
        const user = await t.user()
        const [kept, removed] = [await add(t, kind, user), await add(t, kind, user)]
        const request = { params: { name: user.name, id: removed }, query: EARTH }
        const elsewhere = { ...request, query: '?gamemode=oneblock' }
        expectError(await t.asSuperadmin(ROUTES_OF[kind].remove, elsewhere), 'record_not_found')
        expectStatus(await t.asSuperadmin(ROUTES_OF[kind].remove, request), 204)
        expectSame((await entriesOf(t, kind, removed)).length, 0, 'the entries of the removed record')
        expectSame((await entriesOf(t, kind, kept)).length, 2, 'the entries of the other record')
        expectError(await t.asSuperadmin(ROUTES_OF[kind].remove, request), 'record_not_found')
      },
    ),
    check(
      `admin-${kind}-refused`,
      `${kind === 'fish' ? 'Fish' : 'Crabs'} that an administrator adds are validated like a payload and require a gamemode and a user.`,
      async (t) => {
        const { name } = await t.user()
        const { add: route } = ROUTES_OF[kind]
        const body = { [kind]: TWO_ENTRIES[kind] }
        const params = { name }
        expectError(await t.asSuperadmin(route, { params, body }), 'missing_gamemode')
        expectError(await t.asSuperadmin(route, { params, query: '?gamemode=moon', body }), 'invalid_gamemode')
        const nobody = { name: t.newName() }
        expectError(await t.asSuperadmin(route, { params: nobody, query: EARTH, body }), 'user_not_found')
        const otherKind = kind === 'fish' ? [{ name: 'Hermit' }] : [{ name: 'Cod', rarity: 1 }]
        for (const wrong of [
          {},
          { [kind]: [] },
          { [kind]: [{ ...TWO_ENTRIES[kind][0], name: '' }] },
          { [kind]: otherKind },
        ]) {
          expectDetails(await t.asSuperadmin(route, { params, query: EARTH, body: wrong }), 'invalid_payload')
        }
        const { status } = await t.asSuperadmin(ROUTES_OF[kind].list, { params })
        expectThat(status === 400, 'status 400 to a list without a gamemode', status)
      },
    ),
  ]),
)
