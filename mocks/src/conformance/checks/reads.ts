import { KINDS, LIMITS, RARITIES } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { collection, detailedCollection, entriesOf, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { CheckSkipped } from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
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
    expect.that(pages.length <= most, `at most ${most} pages`, 'more', response)
    const { nextCursor } = body
    const isText = nextCursor === undefined || (typeof nextCursor === 'string' && nextCursor !== '')
    expect.that(isText, '"nextCursor" to be a string', nextCursor, response)
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
    expect.same(entries.filter((entry) => entry.id === id).length, 2, 'the number of entries with the id', response)
    for (const entry of entries) {
      expect.same(Object.keys(entry).sort(), ['caughtAt', 'id', 'name'], 'the fields', response)
      expect.dateTime(entry.caughtAt, '"caughtAt"', response)
    }
    const plain = await collection(t, 'crab', user)
    for (const entry of plain.entries) expect.same(Object.keys(entry), ['name'], 'the fields', plain.response)
  }),
  ...KINDS.flatMap((kind) => [
    check(`read-${kind}-oldest-first`, `A read of ${kind} returns every entry once, oldest first.`, async (t) => {
      const user = await t.newUser()
      const empty = await collection(t, kind, user)
      expect.same(empty.body, { user: user.name, [kind]: [] }, 'the body without entries', empty.response)
      const names = ['Cod', 'Eel', 'Ant', 'Cod']
      const entry = (name: string) => (kind === 'fish' ? { name, rarity: 1 } : { name })
      await writeAndExpectId(t, kind, { [kind]: names.slice(0, 2).map(entry) }, { user })
      for (const name of names.slice(2)) await writeAndExpectId(t, kind, { [kind]: [entry(name)] }, { user })
      const { response, body } = await collection(t, kind, user)
      const listed = names.map((name) => (kind === 'fish' ? { name, rarity: 'Bronze' } : { name }))
      expect.same(body, { user: user.name, [kind]: listed }, 'the body', response)
    }),
  ]),
  check('read-rarity-labels', 'Each of the seven rarities is returned as its label.', async (t) => {
    const fish = RARITIES.map(({ value }) => ({ name: `Fish ${value}`, rarity: value }))
    const entries = await entriesOf(t, 'fish', await writeAndExpectId(t, 'fish', { fish }))
    expect.same(
      entries.map(({ rarity }) => rarity),
      RARITIES.map(({ label }) => label),
      'the labels of 1 to 7',
    )
  }),
  check('read-caught-at', "An entry's time is the payload's own, or else that of the token.", async (t) => {
    const own = '2024-02-29T12:34:56.789+02:00'
    const ofToken = Math.floor((await t.now()) / 1000) * 1000
    for (const [entry, time] of [[{ caughtAt: own }, Date.parse(own)] as const, [{}, ofToken] as const]) {
      const [{ caughtAt } = {}] = await entriesOf(t, 'crab', await writeAndExpectId(t, 'crab', { crab: [entry] }))
      expect.same(expect.dateTime(caughtAt, '"caughtAt"'), time, '"caughtAt" in milliseconds')
    }
  }),
  check('paging-follows-cursor', 'limit and nextCursor page through every entry once, in order.', async (t) => {
    const user = await createUserWithFish(t, 1, 3, 1)
    const pages = await readAllPages(t, user, 2, 4)
    expect.same(pages.flat(), namesOf(numberedFish(0, 5)), 'the entries of all pages')
    expect.that(
      pages.slice(0, 2).every(({ length }) => length === 2),
      'pages of 2 entries',
      pages.map(({ length }) => length),
    )
  }),
  check(
    'paging-goes-on-after-new-catches',
    'A cursor also leads to later entries, with detail=full, and the last page has none.',
    async (t) => {
      const user = await createUserWithFish(t, 3)
      const first = await collection(t, 'fish', user, '&limit=2')
      await writeAndExpectId(t, 'fish', { fish: numberedFish(3, 1) }, { user })
      const cursor = encodeURIComponent(String(first.body.nextCursor))
      const { response, entries } = await detailedCollection(t, 'fish', user, `&limit=10&cursor=${cursor}`)
      expect.same(namesOf(entries), ['Fish 2', 'Fish 3'], 'the entries after the cursor', response)
      expect.that(!('nextCursor' in expect.json(response)), 'no "nextCursor" on the last page', 'one', response)
    },
  ),
  check('read-without-limit-is-whole', 'Without limit, all entries are returned, however many.', async (t) => {
    const { entriesPerWrite, pageSize } = LIMITS
    const sizes = Array.from({ length: Math.floor(pageSize / entriesPerWrite) }, () => entriesPerWrite)
    const user = await createUserWithFish(t, ...sizes, 1)
    const { response, body, entries } = await collection(t, 'fish', user)
    expect.same(entries.length, pageSize + 1, 'the number of entries', response)
    expect.that(!('nextCursor' in body), 'no "nextCursor"', 'one', response)
    const page = await collection(t, 'fish', user, `&limit=${pageSize}`)
    expect.same(page.entries.length, pageSize, 'the number of entries on the largest page', page.response)
  }),
  check('read-of-another-user', 'Entries of one user are not in the collections of another.', async (t) => {
    const user = await createUserWithFish(t, 1)
    const other = await t.newUser()
    const response = await t.request(`/get/fish?name=${other.name}&gamemode=earth`)
    expect.same(expect.json(response).fish, [], `the fish of a user other than ${user.name}`, response)
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
  expect.that(tag !== null && /^(W\/)?"[^"]*"$/.test(tag), 'an ETag (RFC 9110, section 8.8.3)', tag ?? 'none', response)
  return tag
}

const addFish = (t: TestContext) => writeAndExpectId(t, 'fish', { fish: 'Cod', rarity: 1 }, { gamemode: 'survival' })

const FORMATS = { gzip: 'gzip', br: 'brotli' } as const

/** Some clients decode the body, others do not. `undefined` when the platform does not support the coding. */
async function decodedText({ bytes, text }: ReceivedResponse, coding: keyof typeof FORMATS) {
  if (text.startsWith('{')) return text
  try {
    const decoder = new DecompressionStream(FORMATS[coding] as CompressionFormat)
    return await new Response(new Blob([bytes]).stream().pipeThrough(decoder)).text()
  } catch {
    return undefined
  }
}

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
      expect.status(response, 200)
      const used = response.headers.get('content-encoding')
      expect.that(used === coding, `Content-Encoding: ${coding}`, used ?? 'none', response)
      const varies = (response.headers.get('vary') ?? '').toLowerCase().includes('accept-encoding')
      expect.that(varies, 'Vary: Accept-Encoding', response.headers.get('vary') ?? 'no Vary', response)
      const text = await decodedText(response, coding)
      if (text === undefined) throw new CheckSkipped(`neither the client nor this platform can decode ${coding}`)
      expect.that(text === plain.text, 'the same text as without coding', 'another', response)
    },
  )
}

export const cachingChecks = checksOf('reads', [
  check('etag-304', 'If-None-Match with the last ETag, or a list with it, is 304 without a body.', async (t) => {
    await addFish(t)
    const tag = await tagOf(t)
    const other = tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`
    for (const match of [tag, `"x", ${other}`]) {
      const response = await read(t, { 'if-none-match': match })
      expect.status(response, 304)
      expect.that(response.bytes.length === 0, 'no body', `${response.bytes.length} bytes`, response)
    }
    expect.status(await read(t, { 'if-none-match': '"unknown"' }), 200)
    const head = await read(t, {}, 'HEAD')
    expect.same(head.headers.get('etag'), tag, 'the ETag of HEAD', head)
  }),
  check('etag-changes', 'A new entry changes the ETag; the old one gets the full response.', async (t) => {
    const before = await tagOf(t)
    await addFish(t)
    expect.status(await read(t, { 'if-none-match': before }), 200)
    expect.that((await tagOf(t)) !== before, 'another ETag after a write', 'the same')
  }),
  encodedCheck('gzip'),
  encodedCheck('br'),
  check('read-without-coding', 'Accept-Encoding: identity gets a response without a coding.', async (t) => {
    t.needHeader('accept-encoding')
    const response = await read(t, { 'accept-encoding': 'identity' })
    const coding = response.headers.get('content-encoding')
    expect.that(coding === null || coding === 'identity', 'no Content-Encoding', coding, response)
  }),
  check('read-sees-own-writes', 'An acknowledged write is in the next read.', async (t) => {
    const user = await t.user()
    for (let count = 0; count < 3; count += 1) {
      const { entries: before } = await collection(t, 'fish', user, '', 'survival')
      await addFish(t)
      const { response, entries } = await collection(t, 'fish', user, '', 'survival')
      expect.same(entries.length, before.length + 1, 'the number of entries', response)
    }
  }),
])
