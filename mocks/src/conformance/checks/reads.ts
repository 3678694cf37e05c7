import { type ErrorCode, KINDS, LIMITS, RARITIES } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { collection, entriesOf, fillNames, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { expectBadRequest, expectDateTime, expectError, expectJson, expectSame, expectThat } from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const ERRORS: readonly (readonly [string, string, ErrorCode, string])[] = [
  ['without-name', 'without a name', 'missing_name', 'gamemode=earth'],
  ['empty-name', 'with an empty name', 'missing_name', 'name=&gamemode=earth'],
  ['without-gamemode', 'without a gamemode', 'missing_gamemode', 'name=USER'],
  ['empty-gamemode', 'with an empty gamemode', 'missing_gamemode', 'name=USER&gamemode='],
  ['invalid-gamemode', 'of another gamemode', 'invalid_gamemode', 'name=USER&gamemode=moon'],
  ['two-names', 'whose query names two users', 'user_mismatch', 'name=USER&name=OTHER&gamemode=earth'],
  ['two-gamemodes', 'whose query has two gamemodes', 'gamemode_mismatch', 'name=USER&gamemode=earth&gamemode=survival'],
  ['unknown-user', 'of an unknown user', 'user_not_found', 'name=OTHER&gamemode=earth'],
]

const numberedFish = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Fish ${from + index}`, rarity: 1 }))
const namesOf = (entries: readonly Readonly<Record<string, unknown>>[]) => entries.map(({ name }) => name)

/** Creates a user with records of these numbers of fish. */
async function createUserWithFish(t: TestContext, ...sizes: readonly number[]): Promise<OwnUser> {
  const user = await t.newUser()
  let from = 0
  for (const size of sizes) {
    await writeAndExpectId(t, 'fish', { fish: numberedFish(from, size) }, { user })
    from += size
  }
  return user
}

async function readAllPages(t: TestContext, user: OwnUser, limit: number, most: number): Promise<unknown[][]> {
  const pages: unknown[][] = []
  let cursor: string | undefined
  do {
    const query = `&limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const { response, body, entries } = await collection(t, 'fish', user, query)
    pages.push(namesOf(entries))
    expectThat(pages.length <= most, `at most ${most} pages`, 'more', response)
    const { nextCursor } = body
    const isText = nextCursor === undefined || (typeof nextCursor === 'string' && nextCursor !== '')
    expectThat(isText, '"nextCursor" to be a string', nextCursor, response)
    cursor = nextCursor as string | undefined
  } while (cursor !== undefined)
  return pages
}

export const readsChecks = checksOf('reads', [
  ...KINDS.flatMap((kind) =>
    ERRORS.map(([id, what, code, query]) =>
      check(`read-${kind}-${id}`, `A read of ${kind} ${what} is ${code}.`, async (t) => {
        expectError(await t.request(`/get/${kind}?${await fillNames(t, query)}`), code)
      }),
    ),
  ),
  ...KINDS.flatMap((kind) => [
    check(`read-${kind}-empty`, `A collection of ${kind} without entries is an empty array.`, async (t) => {
      const user = await t.newUser()
      const { body, response } = await collection(t, kind, user)
      expectSame(body, { user: user.name, [kind]: [] }, 'the body', response)
    }),
    check(
      `read-${kind}-oldest-first`,
      `A read of ${kind} returns every entry once, oldest first, in the documented shape.`,
      async (t) => {
        const user = await t.newUser()
        const names = ['Cod', 'Eel', 'Ant', 'Cod']
        const entry = (name: string) => (kind === 'fish' ? { name, rarity: 1 } : { name })
        await writeAndExpectId(t, kind, { [kind]: names.slice(0, 2).map(entry) }, { user })
        for (const name of names.slice(2)) await writeAndExpectId(t, kind, { [kind]: [entry(name)] }, { user })
        const { response, body } = await collection(t, kind, user)
        const listed = names.map((name) => (kind === 'fish' ? { name, rarity: 'Bronze' } : { name }))
        expectSame(body, { user: user.name, [kind]: listed }, 'the body', response)
      },
    ),
  ]),
  check('read-rarity-labels', 'Each of the seven rarities is returned as its label.', async (t) => {
    const fish = RARITIES.map(({ value }) => ({ name: `Fish ${value}`, rarity: value }))
    const entries = await entriesOf(t, 'fish', await writeAndExpectId(t, 'fish', { fish }))
    expectSame(
      entries.map(({ rarity }) => rarity),
      RARITIES.map(({ label }) => label),
      'the labels of 1 to 7',
    )
  }),
  check(
    'read-detail-full',
    'Only with detail=full, every entry has the id of its record and the time of the catch.',
    async (t) => {
      const user = await t.user()
      const id = await writeAndExpectId(t, 'crab', { crab: [{}, {}] })
      const { entries, response } = await collection(t, 'crab', user, '&detail=full')
      expectSame(entries.filter((entry) => entry.id === id).length, 2, 'the number of entries with the id', response)
      for (const entry of entries) {
        expectSame(Object.keys(entry).sort(), ['caughtAt', 'id', 'name'], 'the fields', response)
        expectDateTime(entry.caughtAt, '"caughtAt"', response)
      }
      const plain = await collection(t, 'crab', user)
      for (const entry of plain.entries) expectSame(Object.keys(entry), ['name'], 'the fields', plain.response)
    },
  ),
  check('read-caught-at-of-token', "An entry's time is that of the token, where the payload says none.", async (t) => {
    const [entry] = await entriesOf(t, 'fish', await writeAndExpectId(t, 'fish', { fish: 'Cod', rarity: 1 }))
    const expected = Math.floor((await t.now()) / 1000) * 1000
    expectThat(
      expectDateTime(entry?.caughtAt, '"caughtAt"') === expected,
      `"caughtAt" ${new Date(expected).toISOString()}, the time of the token`,
      entry?.caughtAt,
    )
  }),
  check('read-caught-at-of-payload', "An entry's time is the payload's own, where it says one.", async (t) => {
    const caughtAt = '2024-02-29T12:34:56.789+02:00'
    const [entry] = await entriesOf(t, 'crab', await writeAndExpectId(t, 'crab', { crab: [{ caughtAt }] }))
    const actual = expectDateTime(entry?.caughtAt, '"caughtAt"')
    expectThat(actual === Date.parse(caughtAt), `"caughtAt" to be the time ${caughtAt}`, entry?.caughtAt)
  }),
  check(
    'paging-follows-cursor',
    'limit and nextCursor page through every entry once, in order, even within a record.',
    async (t) => {
      const user = await createUserWithFish(t, 1, 3, 1)
      const pages = await readAllPages(t, user, 2, 4)
      expectSame(pages.flat(), namesOf(numberedFish(0, 5)), 'the entries of all pages')
      expectThat(
        pages.slice(0, 2).every(({ length }) => length === 2),
        'pages of 2 entries',
        pages.map(({ length }) => length),
      )
    },
  ),
  check('paging-ends', 'A page that holds the last entry has no nextCursor.', async (t) => {
    const user = await createUserWithFish(t, 2)
    const { response, body } = await collection(t, 'fish', user, '&limit=1000')
    expectSame(Object.keys(body).sort(), ['fish', 'user'], 'the fields of the body', response)
  }),
  check(
    'paging-goes-on-after-new-catches',
    'A cursor also leads to entries that were added after it was issued.',
    async (t) => {
      const user = await createUserWithFish(t, 3)
      const first = await collection(t, 'fish', user, '&limit=2')
      await writeAndExpectId(t, 'fish', { fish: numberedFish(3, 1) }, { user })
      const cursor = encodeURIComponent(String(first.body.nextCursor))
      const { response, entries } = await collection(t, 'fish', user, `&limit=10&cursor=${cursor}`)
      expectSame(namesOf(entries), ['Fish 2', 'Fish 3'], 'the entries after the cursor', response)
    },
  ),
  check('paging-with-detail', 'limit and detail=full can be combined.', async (t) => {
    const user = await createUserWithFish(t, 2)
    const { response, entries } = await collection(t, 'fish', user, '&limit=1&detail=full')
    expectSame(entries.length, 1, 'the number of entries', response)
    expectSame(Object.keys(entries[0] ?? {}).sort(), ['caughtAt', 'id', 'name', 'rarity'], 'the fields', response)
  }),
  check(
    'read-without-limit-is-whole',
    'Without limit, all entries are returned, more than on the largest page.',
    async (t) => {
      const { entriesPerWrite, pageSize } = LIMITS
      const sizes = Array.from({ length: Math.floor(pageSize / entriesPerWrite) }, () => entriesPerWrite)
      const user = await createUserWithFish(t, ...sizes, 1)
      const { response, body, entries } = await collection(t, 'fish', user)
      expectSame(entries.length, pageSize + 1, 'the number of entries', response)
      expectThat(!('nextCursor' in body), 'no "nextCursor"', 'one', response)
      const page = await collection(t, 'fish', user, `&limit=${pageSize}`)
      expectSame(page.entries.length, pageSize, 'the number of entries on the largest page', page.response)
    },
  ),
  ...['0', '-1', '1001', '1.5', 'x', '1e2', '0x10'].map((limit) =>
    check(
      `paging-limit-${limit.replace('-', 'minus-').replace('.', '-point-')}`,
      `limit=${limit} is refused with 400.`,
      async (t) => {
        const { name } = await t.user()
        expectBadRequest(await t.request(`/get/fish?name=${name}&gamemode=earth&limit=${limit}`))
      },
    ),
  ),
  check('paging-foreign-cursor', 'A cursor that the service did not issue is refused with 400.', async (t) => {
    const { name } = await t.user()
    expectBadRequest(await t.request(`/get/fish?name=${name}&gamemode=earth&limit=1&cursor=%00nonsense`))
  }),
  check('read-of-another-user', 'Entries of one user are not in the collections of another.', async (t) => {
    const user = await createUserWithFish(t, 1)
    const other = await t.newUser()
    const response = await t.request(`/get/fish?name=${other.name}&gamemode=earth`)
    expectSame(expectJson(response).fish, [], `the fish of a user other than ${user.name}`, response)
  }),
])
