import { KINDS, type Kind } from '@fish-crab/sdk/contract'
import { entriesOf } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import {
  expectDetails,
  expectError,
  expectJson,
  expectMoment,
  expectStatus,
  expectText,
} from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import type { OwnUser } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const ROUTES_OF = {
  fish: { list: 'listUserFish', add: 'addUserFish', remove: 'deleteUserFish' },
  crab: { list: 'listUserCrab', add: 'addUserCrab', remove: 'deleteUserCrab' },
} as const
const TWO = {
  fish: [
    { name: 'Cod', rarity: 1 },
    { name: 'Koi', rarity: 6 },
  ],
  crab: [{}, { name: 'Hermit' }],
} as const
const SHOWN = {
  fish: [
    { name: 'Cod', rarity: 'Bronze' },
    { name: 'Koi', rarity: 'Platinum' },
  ],
  crab: [{ name: 'crab' }, { name: 'Hermit' }],
} as const
const EARTH = '?gamemode=earth'

async function add(world: World, kind: Kind, { name }: OwnUser): Promise<string> {
  const request = { params: { name }, query: EARTH, body: { [kind]: TWO[kind] } }
  const answer = await world.asSuperadmin(ROUTES_OF[kind].add, request)
  const { id, message } = expectJson(answer, 201)
  const noun = kind === 'fish' ? 'fish' : 'crabs'
  expectSame(message, `2 ${noun} saved for user ${name}`, '"message"', answer)
  return expectText(id, '"id"', answer)
}

const rows: readonly CheckRow[] = KINDS.flatMap((kind): CheckRow[] => [
  [
    `admin-adds-${kind}`,
    `An administrator adds ${kind} in plain JSON, and they are read like all others.`,
    async (world) => {
      const id = await add(world, kind, await world.user())
      const entries = await entriesOf(world, kind, id)
      expectSame(
        entries.map(({ caughtAt: _, ...entry }) => entry),
        SHOWN[kind],
        'what is stored',
      )
    },
  ],
  [
    `admin-lists-${kind}`,
    `An administrator sees the ${kind} of a user with ids and times.`,
    async (world) => {
      const user = await world.user()
      const id = await add(world, kind, user)
      const answer = await world.asSuperadmin(ROUTES_OF[kind].list, { params: { name: user.name }, query: EARTH })
      const body = expectJson(answer)
      expectSame(body.user, user.name, '"user"', answer)
      const listed = (body[kind] as Record<string, unknown>[]).filter((entry) => entry.id === id)
      expectSame(listed.length, 2, 'the number of entries with the id', answer)
      for (const { caughtAt } of listed) expectMoment(caughtAt, '"caughtAt"', answer)
    },
  ],
  [
    `admin-removes-${kind}`,
    `An administrator removes a record of ${kind} by its id, whole and alone; a second time it is 404.`,
    async (world) => {
      const user = await world.user()
      const [kept, removed] = [await add(world, kind, user), await add(world, kind, user)]
      const request = { params: { name: user.name, id: removed }, query: EARTH }
      const elsewhere = await world.asSuperadmin(ROUTES_OF[kind].remove, { ...request, query: '?gamemode=oneblock' })
      expectError(elsewhere, 'record_not_found')
      expectStatus(await world.asSuperadmin(ROUTES_OF[kind].remove, request), 204)
      expectSame((await entriesOf(world, kind, removed)).length, 0, 'the entries of the removed record')
      expectSame((await entriesOf(world, kind, kept)).length, 2, 'the entries of the other record')
      expectError(await world.asSuperadmin(ROUTES_OF[kind].remove, request), 'record_not_found')
    },
  ],
  [
    `admin-${kind}-refused`,
    `What an administrator adds as ${kind} is judged like a payload, and needs a gamemode and a user.`,
    async (world) => {
      const { name } = await world.user()
      const { add: route } = ROUTES_OF[kind]
      const body = { [kind]: TWO[kind] }
      const params = { name }
      expectError(await world.asSuperadmin(route, { params, body }), 'missing_gamemode')
      expectError(await world.asSuperadmin(route, { params, query: '?gamemode=moon', body }), 'invalid_gamemode')
      const nobody = { name: world.accounts.newName() }
      expectError(await world.asSuperadmin(route, { params: nobody, query: EARTH, body }), 'user_not_found')
      const otherKind = kind === 'fish' ? [{ name: 'Hermit' }] : [{ name: 'Cod', rarity: 1 }]
      for (const wrong of [{}, { [kind]: [] }, { [kind]: [{ ...TWO[kind][0], name: '' }] }, { [kind]: otherKind }]) {
        expectDetails(await world.asSuperadmin(route, { params, query: EARTH, body: wrong }), 'invalid_payload')
      }
      const { status } = await world.asSuperadmin(ROUTES_OF[kind].list, { params })
      expectThat(status === 400, 'status 400 to a list without a gamemode', status)
    },
  ],
])

/** The catches of a user, as administrators see and change them. */
export const adminCatchesChecks = checksOf('admin', rows)
