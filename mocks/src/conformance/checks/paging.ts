import { LIMITS } from '@fish-crab/sdk/contract'
import { collection, written } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectErrorForm, expectJson, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import type { OwnUser } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Fish ${from + index}`, rarity: 1 }))
const namesOf = (entries: readonly Readonly<Record<string, unknown>>[]) => entries.map(({ name }) => name)

/** A user with fish in records of these sizes. */
async function userWith(world: World, ...sizes: readonly number[]): Promise<OwnUser> {
  const user = await world.newUser()
  let from = 0
  for (const size of sizes) {
    await written(world, 'fish', { fish: numbered(from, size) }, { user })
    from += size
  }
  return user
}

/** Every page of a read, by following the cursor. */
async function walk(world: World, user: OwnUser, limit: number, most: number): Promise<unknown[][]> {
  const pages: unknown[][] = []
  let cursor: string | undefined
  do {
    const query = `&limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const { answer, body, entries } = await collection(world, 'fish', user, query)
    pages.push(namesOf(entries))
    expectThat(pages.length <= most, `at most ${most} pages`, 'more', answer)
    const { nextCursor } = body
    const isText = nextCursor === undefined || (typeof nextCursor === 'string' && nextCursor !== '')
    expectThat(isText, '"nextCursor" to be a text where there is one', nextCursor, answer)
    cursor = nextCursor as string | undefined
  } while (cursor !== undefined)
  return pages
}

const rows: readonly CheckRow[] = [
  [
    'paging-follows-cursor',
    'limit and nextCursor page through every entry once, in order, also within a record.',
    async (world) => {
      const user = await userWith(world, 1, 3, 1)
      const pages = await walk(world, user, 2, 4)
      expectSame(pages.flat(), namesOf(numbered(0, 5)), 'the entries of all pages')
      expectThat(
        pages.slice(0, 2).every(({ length }) => length === 2),
        'pages of 2 entries',
        pages.map(({ length }) => length),
      )
    },
  ],
  [
    'paging-ends',
    'A page that holds the last entry has no nextCursor.',
    async (world) => {
      const user = await userWith(world, 2)
      const { answer, body } = await collection(world, 'fish', user, '&limit=1000')
      expectSame(Object.keys(body).sort(), ['fish', 'user'], 'the fields of the body', answer)
    },
  ],
  [
    'paging-goes-on-after-new-catches',
    'A cursor is good for entries that were added after it was given.',
    async (world) => {
      const user = await userWith(world, 3)
      const first = await collection(world, 'fish', user, '&limit=2')
      await written(world, 'fish', { fish: numbered(3, 1) }, { user })
      const cursor = encodeURIComponent(String(first.body.nextCursor))
      const { answer, entries } = await collection(world, 'fish', user, `&limit=10&cursor=${cursor}`)
      expectSame(namesOf(entries), ['Fish 2', 'Fish 3'], 'the entries behind the cursor', answer)
    },
  ],
  [
    'paging-with-detail',
    'limit and detail=full go together.',
    async (world) => {
      const user = await userWith(world, 2)
      const { answer, entries } = await collection(world, 'fish', user, '&limit=1&detail=full')
      expectSame(entries.length, 1, 'the number of entries', answer)
      expectSame(Object.keys(entries[0] ?? {}).sort(), ['caughtAt', 'id', 'name', 'rarity'], 'the fields', answer)
    },
  ],
  [
    'read-without-limit-is-whole',
    'Without limit all entries come, more than the largest page holds.',
    async (world) => {
      const { entriesPerWrite, pageSize } = LIMITS
      const sizes = Array.from({ length: Math.floor(pageSize / entriesPerWrite) }, () => entriesPerWrite)
      const user = await userWith(world, ...sizes, 1)
      const { answer, body, entries } = await collection(world, 'fish', user)
      expectSame(entries.length, pageSize + 1, 'the number of entries', answer)
      expectThat(!('nextCursor' in body), 'no "nextCursor"', 'one', answer)
      const page = await collection(world, 'fish', user, `&limit=${pageSize}`)
      expectSame(page.entries.length, pageSize, 'the number of entries on the largest page', page.answer)
    },
  ],
  ...['0', '-1', '1001', '1.5', 'x', '1e2', '0x10'].map(
    (limit): CheckRow => [
      `paging-limit-${limit.replace('-', 'minus-').replace('.', '-point-')}`,
      `limit=${limit} is refused with 400.`,
      async (world) => {
        const { name } = await world.user()
        const answer = await world.request(`/get/fish?name=${name}&gamemode=earth&limit=${limit}`)
        expectStatus(answer, 400)
        expectErrorForm(answer)
      },
    ],
  ),
  [
    'paging-foreign-cursor',
    'A cursor that the service never gave is refused with 400.',
    async (world) => {
      const { name } = await world.user()
      const answer = await world.request(`/get/fish?name=${name}&gamemode=earth&limit=1&cursor=%00nonsense`)
      expectStatus(answer, 400)
      expectErrorForm(answer)
    },
  ],
  [
    'read-of-another-user',
    'Entries of one user are in no collection of another.',
    async (world) => {
      const user = await userWith(world, 1)
      const other = await world.newUser()
      const answer = await world.request(`/get/fish?name=${other.name}&gamemode=earth`)
      expectSame(expectJson(answer).fish, [], `the fish of a user other than ${user.name}`, answer)
    },
  ],
]

/** Reads by pages. */
export const pagingChecks = checksOf('reads', rows)
