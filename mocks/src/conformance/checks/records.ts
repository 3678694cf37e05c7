import { KINDS, type Kind, MEDIA_TYPES, ROUTES, routePath } from '@fish-crab/sdk/contract'
import { basic, type OwnUser } from '../context/accounts.ts'
import {
  ENTRY,
  encrypt,
  entriesOf,
  expectEntries,
  GAMEMODE,
  KIND_NAMES,
  post,
  SHORT_PAYLOADS,
  storedEntries,
} from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'
import { expectReplayed } from './tokens.ts'

const OTHER_GAMEMODE = 'oneblock'

const ACTORS = { own: 'A player', admin: 'An administrator' } as const
/** The owner of a record in the names of the routes of each actor. */
const OWNERS = { own: 'Own', admin: 'User' } as const
type Actor = keyof typeof ACTORS

interface Change {
  readonly id: string
  /** @default the main user */
  readonly user?: OwnUser
  readonly from?: string
  readonly to?: string
  readonly entry?: number
}

async function send(t: TestContext, kind: Kind, actor: Actor, act: 'delete' | 'move', change: Change) {
  const { id, user = await t.user(), from = GAMEMODE, to = OTHER_GAMEMODE, entry } = change
  const { name, password } = user
  const authorization = actor === 'own' ? basic(name, password) : `Bearer ${(await t.superadmin()).token}`
  const route = `${act}${OWNERS[actor]}${KIND_NAMES[kind]}` as const
  return t.request(
    `${routePath(route, { name, id })}?gamemode=${from}${entry === undefined ? '' : `&entry=${entry}`}`,
    {
      method: ROUTES[route].method,
      headers: { authorization, 'content-type': MEDIA_TYPES.json },
      ...(act === 'move' ? { body: JSON.stringify({ gamemode: to }) } : {}),
    },
  )
}

/** Adds a record for the main user. Returns the record's id and the token of the write. */
async function add(t: TestContext, kind: Kind, payload: object = SHORT_PAYLOADS[kind]) {
  const token = await encrypt(t, payload)
  const response = await post(t, kind, token)
  return { token, id: expect.text(expect.json(response, 201).id, '"id"', response) }
}

const changeChecks = (kind: Kind, actor: Actor) => [
  check(
    `${actor}-removes-${kind}`,
    `${ACTORS[actor]} removes ${kind} by id; the used token cannot store them again.`,
    async (t) => {
      const [kept, removed] = [await add(t, kind), await add(t, kind)]
      const remove = (change: Omit<Change, 'id'> = {}) => send(t, kind, actor, 'delete', { id: removed.id, ...change })
      expect.error(await remove({ from: OTHER_GAMEMODE }), 'record_not_found')
      expect.error(await remove({ user: await t.newUser() }), 'record_not_found')
      await expectEntries(t, kind, removed.id, 1)
      expect.status(await remove(), 204)
      expect.error(await remove(), 'record_not_found')
      expectReplayed(await post(t, kind, removed.token), removed.id)
      await expectEntries(t, kind, removed.id, 0)
      await expectEntries(t, kind, kept.id, 1)
    },
  ),
  check(
    `${actor}-removes-one-${kind}`,
    `${ACTORS[actor]} removes one entry of ${kind}; the others keep their indexes, and the used token cannot store it again.`,
    async (t) => {
      const { id, token } = await add(t, kind, { [kind]: ['a', 'b', 'c'].map((name) => ({ ...ENTRY[kind], name })) })
      const remove = (entry: number) => send(t, kind, actor, 'delete', { id, entry })
      const expectIndexes = async (...indexes: readonly number[]) => {
        const stored = (await entriesOf(t, kind, id)).map(({ entry }) => entry)
        expect.same(stored, indexes, 'the indexes of the entries')
      }
      expect.status(await remove(1), 204)
      for (const entry of [1, 3]) expect.error(await remove(entry), 'entry_not_found')
      await expectIndexes(0, 2)
      expectReplayed(await post(t, kind, token), id)
      expect.status(await remove(0), 204)
      await expectIndexes(2)
      expect.status(await remove(2), 204)
      await expectIndexes()
      expect.error(await remove(2), 'record_not_found')
      expectReplayed(await post(t, kind, token), id)
    },
  ),
  check(
    `${actor}-moves-${kind}`,
    `${ACTORS[actor]} moves ${kind}; id and time stay the same, and the used token cannot store them again.`,
    async (t) => {
      const record = await add(t, kind)
      const before = await entriesOf(t, kind, record.id)
      const move = (change: Omit<Change, 'id'> = {}) => send(t, kind, actor, 'move', { id: record.id, ...change })
      expect.error(await move({ user: await t.newUser() }), 'record_not_found')
      expect.details(await move({ to: GAMEMODE }), 'invalid_payload')
      expect.status(await move({ to: 'moon' }), 400)
      for (let count = 0; count < 2; count += 1) expect.status(await move(), 204)
      expect.error(await move({ from: 'survival', to: GAMEMODE }), 'record_not_found')
      expect.same(await entriesOf(t, kind, record.id, OTHER_GAMEMODE), before, 'the entries in the new gamemode')
      expectReplayed(await post(t, kind, record.token), record.id)
      await expectEntries(t, kind, record.id, 0)
    },
  ),
]

export const ownRecordsChecks = checksOf(
  'writes',
  KINDS.flatMap((kind) => changeChecks(kind, 'own')),
)

const ADDED = {
  fish: {
    message: '2 fish saved',
    entries: [
      { name: 'Cod', rarity: 1 },
      { name: 'Koi', rarity: 6 },
    ],
    stored: [
      { name: 'Cod', rarity: 'Bronze' },
      { name: 'Koi', rarity: 'Platinum' },
    ],
  },
  crab: {
    message: '2 crabs saved',
    entries: [{}, { name: 'Hermit' }],
    stored: [{ name: 'crab' }, { name: 'Hermit' }],
  },
} as const

export const adminRecordsChecks = checksOf(
  'admin',
  KINDS.flatMap((kind) => [
    check(
      `admin-adds-${kind}`,
      `An administrator adds ${kind} as JSON, and lists them with id and time.`,
      async (t) => {
        const { name } = await t.user()
        const { entries, stored, message } = ADDED[kind]
        const add = `addUser${KIND_NAMES[kind]}` as const
        const request = { params: { name }, query: `?gamemode=${GAMEMODE}` }
        const added = await t.asSuperadmin(add, { ...request, body: { [kind]: entries } })
        const { id, message: actual } = expect.success(added, add)
        expect.same(actual, `${message} for user ${name}`, '"message"', added)
        expect.same(await storedEntries(t, kind, String(id)), stored, 'the stored entries')
        const response = await t.asSuperadmin(`listUser${KIND_NAMES[kind]}`, request)
        expect.same(expect.json(response).user, name, '"user"', response)
        const listed = expect.list(response, kind).filter((entry) => entry.id === id)
        expect.same(listed.length, 2, 'the number of entries with the id', response)
        for (const { caughtAt } of listed) expect.dateTime(caughtAt, '"caughtAt"', response)
      },
    ),
    ...changeChecks(kind, 'admin'),
  ]),
)
