import { KINDS, LIMITS, RARITIES } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { collection, detailedCollection, entriesOf, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import {
  CheckSkipped,
  expectBadRequest,
  expectDateTime,
  expectJson,
  expectSame,
  expectStatus,
  expectThat,
} from '../context/expect.ts'
import { decodedText } from '../context/response.ts'
import { check, checksOf } from './check.ts'

const numberedFish = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Fish ${from + index}`, rarity: 1 }))
const namesOf = (entries: readonly Readonly<Record<string, unknown>>[]) => entries.map(({ name }) => name)

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
  // First, since other checks need the ids.
  check('read-detail-full', 'Only with detail=full, entries have the id of their record and a time.', async (t) => {
    const user = await t.user()
    const id = await writeAndExpectId(t, 'crab', { crab: [{}, {}] })
    const { entries, response } = await detailedCollection(t, 'crab', user)
    expectSame(entries.filter((entry) => entry.id === id).length, 2, 'the number of entries with the id', response)
    for (const entry of entries) {
      expectSame(Object.keys(entry).sort(), ['caughtAt', 'id', 'name'], 'the fields', response)
      expectDateTime(entry.caughtAt, '"caughtAt"', response)
    }
    const plain = await collection(t, 'crab', user)
    for (const entry of plain.entries) expectSame(Object.keys(entry), ['name'], 'the fields', plain.response)
  }),
  ...KINDS.flatMap((kind) => [
    check(`read-${kind}-empty`, `A collection of ${kind} without entries is an empty array.`, async (t) => {
      const user = await t.newUser()
      const { body, response } = await collection(t, kind, user)
      expectSame(body, { user: user.name, [kind]: [] }, 'the body', response)
    }),
    check(`read-${kind}-oldest-first`, `A read of ${kind} returns every entry once, oldest first.`, async (t) => {
      const user = await t.newUser()
      const names = ['Cod', 'Eel', 'Ant', 'Cod']
      const entry = (name: string) => (kind === 'fish' ? { name, rarity: 1 } : { name })
      await writeAndExpectId(t, kind, { [kind]: names.slice(0, 2).map(entry) }, { user })
      for (const name of names.slice(2)) await writeAndExpectId(t, kind, { [kind]: [entry(name)] }, { user })
      const { response, body } = await collection(t, kind, user)
      const listed = names.map((name) => (kind === 'fish' ? { name, rarity: 'Bronze' } : { name }))
      expectSame(body, { user: user.name, [kind]: listed }, 'the body', response)
    }),
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
  check('paging-follows-cursor', 'limit and nextCursor page through every entry once, in order.', async (t) => {
    const user = await createUserWithFish(t, 1, 3, 1)
    const pages = await readAllPages(t, user, 2, 4)
    expectSame(pages.flat(), namesOf(numberedFish(0, 5)), 'the entries of all pages')
    expectThat(
      pages.slice(0, 2).every(({ length }) => length === 2),
      'pages of 2 entries',
      pages.map(({ length }) => length),
    )
  }),
  check('paging-ends', 'A page that holds the last entry has no nextCursor.', async (t) => {
    const user = await createUserWithFish(t, 2)
    const { response, body } = await collection(t, 'fish', user, '&limit=1000')
    expectSame(Object.keys(body).sort(), ['fish', 'user'], 'the fields of the body', response)
  }),
  check('paging-goes-on-after-new-catches', 'A cursor also leads to entries that were added after it.', async (t) => {
    const user = await createUserWithFish(t, 3)
    const first = await collection(t, 'fish', user, '&limit=2')
    await writeAndExpectId(t, 'fish', { fish: numberedFish(3, 1) }, { user })
    const cursor = encodeURIComponent(String(first.body.nextCursor))
    const { response, entries } = await collection(t, 'fish', user, `&limit=10&cursor=${cursor}`)
    expectSame(namesOf(entries), ['Fish 2', 'Fish 3'], 'the entries after the cursor', response)
  }),
  check('paging-with-detail', 'limit and detail=full can be combined.', async (t) => {
    const user = await createUserWithFish(t, 2)
    const { response, entries } = await detailedCollection(t, 'fish', user, '&limit=1')
    expectSame(entries.length, 1, 'the number of entries', response)
    expectSame(Object.keys(entries[0] ?? {}).sort(), ['caughtAt', 'id', 'name', 'rarity'], 'the fields', response)
  }),
  check('read-without-limit-is-whole', 'Without limit, all entries are returned, however many.', async (t) => {
    const { entriesPerWrite, pageSize } = LIMITS
    const sizes = Array.from({ length: Math.floor(pageSize / entriesPerWrite) }, () => entriesPerWrite)
    const user = await createUserWithFish(t, ...sizes, 1)
    const { response, body, entries } = await collection(t, 'fish', user)
    expectSame(entries.length, pageSize + 1, 'the number of entries', response)
    expectThat(!('nextCursor' in body), 'no "nextCursor"', 'one', response)
    const page = await collection(t, 'fish', user, `&limit=${pageSize}`)
    expectSame(page.entries.length, pageSize, 'the number of entries on the largest page', page.response)
  }),
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

const PATH = 'gamemode=survival'

async function read(t: TestContext, headers: Readonly<Record<string, string>>, method = 'GET') {
  const { name } = await t.user()
  return t.request(`/get/fish?name=${name}&${PATH}`, { method, headers })
}

async function tagOf(t: TestContext): Promise<string> {
  const response = await read(t, {})
  const tag = response.headers.get('etag')
  expectThat(tag !== null && /^(W\/)?"[^"]*"$/.test(tag), 'an ETag (RFC 9110, section 8.8.3)', tag ?? 'none', response)
  return tag
}

const addFish = (t: TestContext) => writeAndExpectId(t, 'fish', { fish: 'Cod', rarity: 1 }, { gamemode: 'survival' })

function encodedCheck(coding: 'gzip' | 'br') {
  return check(
    `read-in-${coding}`,
    `Accept-Encoding: ${coding} is honoured on a large response, whose decoded content is the same.`,
    async (t) => {
      t.needHeader('accept-encoding')
      const user = await t.user()
      const fish = Array.from({ length: 200 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
      await writeAndExpectId(t, 'fish', { fish }, { gamemode: 'factions' })
      const path = `/get/fish?name=${user.name}&gamemode=factions`
      const plain = await t.request(path, { headers: { 'accept-encoding': 'identity' } })
      const response = await t.request(path, { headers: { 'accept-encoding': coding } })
      expectStatus(response, 200)
      const used = response.headers.get('content-encoding')
      expectThat(used === coding, `Content-Encoding: ${coding}`, used ?? 'none', response)
      const varies = (response.headers.get('vary') ?? '').toLowerCase().includes('accept-encoding')
      expectThat(varies, 'Vary: Accept-Encoding', response.headers.get('vary') ?? 'no Vary', response)
      const text = await decodedText(response)
      if (text === undefined) throw new CheckSkipped(`neither the client nor this platform can decode ${coding}`)
      expectThat(text === plain.text, 'the same text as without coding', 'another', response)
    },
  )
}

export const cachingChecks = checksOf('reads', [
  check('etag-304', 'If-None-Match with the ETag of the last response is 304 without a body.', async (t) => {
    await addFish(t)
    const response = await read(t, { 'if-none-match': await tagOf(t) })
    expectStatus(response, 304)
    expectThat(response.bytes.length === 0, 'no body', `${response.bytes.length} bytes`, response)
  }),
  check('etag-in-a-list', 'If-None-Match can list several ETags, strong or weak.', async (t) => {
    const tag = await tagOf(t)
    const other = tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`
    expectStatus(await read(t, { 'if-none-match': `"x", ${other}` }), 304)
  }),
  check('etag-other', 'If-None-Match with another ETag gets the full response.', async (t) =>
    expectStatus(await read(t, { 'if-none-match': '"of-nothing-there-is"' }), 200),
  ),
  check('etag-changes', 'A new entry changes the ETag; the old one gets the full response.', async (t) => {
    const before = await tagOf(t)
    await addFish(t)
    expectStatus(await read(t, { 'if-none-match': before }), 200)
    expectThat((await tagOf(t)) !== before, 'another ETag after a write', 'the same')
  }),
  check('etag-on-head', 'HEAD has the same ETag as GET.', async (t) => {
    const head = await read(t, {}, 'HEAD')
    expectSame(head.headers.get('etag'), await tagOf(t), 'the ETag', head)
  }),
  encodedCheck('gzip'),
  encodedCheck('br'),
  check('read-without-coding', 'Accept-Encoding: identity gets a response without a coding.', async (t) => {
    t.needHeader('accept-encoding')
    const response = await read(t, { 'accept-encoding': 'identity' })
    const coding = response.headers.get('content-encoding')
    expectThat(coding === null || coding === 'identity', 'no Content-Encoding', coding, response)
  }),
  check('read-sees-own-writes', 'An acknowledged write is in the next read.', async (t) => {
    const user = await t.user()
    for (let count = 0; count < 3; count += 1) {
      const { entries: before } = await collection(t, 'fish', user, '', 'survival')
      await addFish(t)
      const { response, entries } = await collection(t, 'fish', user, '', 'survival')
      expectSame(entries.length, before.length + 1, 'the number of entries', response)
    }
  }),
])
