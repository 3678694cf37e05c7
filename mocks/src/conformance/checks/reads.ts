import { KINDS, LIMITS, RARITIES, RARITY_LABELS } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import {
  type Collection,
  collection,
  detailedCollection,
  ENTRY,
  entriesOf,
  writeAndExpectId,
} from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const numberedFish = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Fish ${from + index}`, rarity: 1 }))
const expectNoCursor = ({ response, body }: Collection) =>
  expect.that(!('nextCursor' in body), 'no "nextCursor"', 'one', response)

async function createUserWithFish(t: TestContext, ...sizes: readonly number[]): Promise<OwnUser> {
  const user = await t.newUser()
  let from = 0
  for (const size of sizes) {
    await writeAndExpectId(t, 'fish', { fish: numberedFish(from, size) }, { user })
    from += size
  }
  return user
}

export const readsChecks = checksOf('reads', [
  // This check comes first, because other checks need the ids.
  check(
    'read-detail-full',
    'Entries have the id of their record, their index in it and a time only with detail=full.',
    async (t) => {
      const user = await t.user()
      const id = await writeAndExpectId(t, 'crab', { crab: [{}, {}] })
      const { entries, response } = await detailedCollection(t, 'crab', user)
      const indexes = entries.filter((entry) => entry.id === id).map(({ entry }) => entry)
      expect.same(indexes, [0, 1], 'the indexes of the entries with the id', response)
      for (const entry of entries) {
        expect.same(Object.keys(entry).sort(), ['caughtAt', 'entry', 'id', 'name'], 'the fields', response)
        expect.dateTime(entry.caughtAt, '"caughtAt"', response)
      }
      const plain = await collection(t, 'crab', user)
      for (const entry of plain.entries) expect.same(Object.keys(entry), ['name'], 'the fields', plain.response)
    },
  ),
  ...KINDS.flatMap((kind) => [
    check(`read-${kind}-oldest-first`, `A read of ${kind} returns every entry once, oldest first.`, async (t) => {
      const user = await t.newUser()
      const empty = await collection(t, kind, user)
      expect.same(empty.body, { user: user.name, [kind]: [] }, 'the body without entries', empty.response)
      const names = ['Cod', 'Eel', 'Ant', 'Cod']
      const entry = (name: string) => ({ ...ENTRY[kind], name })
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
    const labels = entries.map(({ rarity }) => rarity)
    expect.same(labels, RARITY_LABELS, 'the labels of 1 to 7')
  }),
  check('read-caught-at', "An entry has the time from the payload, or else the token's time.", async (t) => {
    const own = '2024-02-29T12:34:56.789+02:00'
    const ofToken = Math.floor((await t.now()) / 1000) * 1000
    for (const [entry, time] of [[{ caughtAt: own }, Date.parse(own)] as const, [{}, ofToken] as const]) {
      const [{ caughtAt } = {}] = await entriesOf(t, 'crab', await writeAndExpectId(t, 'crab', { crab: [entry] }))
      expect.same(expect.dateTime(caughtAt, '"caughtAt"'), time, '"caughtAt" in milliseconds')
    }
  }),
  check(
    'read-time-ahead',
    'A time more than 24 hours ahead of the service is stored as the time of receipt.',
    async (t) => {
      const now = await t.now()
      const caughtAt = new Date(now + 48 * 60 * 60 * 1000).toISOString()
      const [entry = {}] = await entriesOf(t, 'crab', await writeAndExpectId(t, 'crab', { crab: [{ caughtAt }] }))
      const stored = expect.dateTime(entry.caughtAt, '"caughtAt"')
      expect.that(stored < now + 24 * 60 * 60 * 1000, 'the time of receipt', entry.caughtAt)
    },
  ),
  check(
    'paging-follows-cursor',
    'limit and nextCursor page through every entry once, including entries that are added meanwhile.',
    async (t) => {
      const user = await createUserWithFish(t, 1, 3)
      const after = ({ response, body }: Collection) =>
        `&cursor=${encodeURIComponent(expect.text(body.nextCursor, '"nextCursor"', response))}`
      const first = await collection(t, 'fish', user, '&limit=1')
      const second = await collection(t, 'fish', user, `&limit=2${after(first)}`)
      await writeAndExpectId(t, 'fish', { fish: numberedFish(4, 1) }, { user })
      const last = await detailedCollection(t, 'fish', user, `&limit=10${after(second)}`)
      const pages = [first, second, last].map(({ entries }) => entries.map(({ name }) => name))
      expect.same(pages, [['Fish 0'], ['Fish 1', 'Fish 2'], ['Fish 3', 'Fish 4']], 'the entries of the pages')
      expectNoCursor(last)
    },
  ),
  check(
    'read-without-limit-is-whole',
    'Without limit, all entries are returned, however many there are.',
    async (t) => {
      const { entriesPerWrite, pageSize } = LIMITS
      const sizes = Array.from({ length: Math.floor(pageSize / entriesPerWrite) }, () => entriesPerWrite)
      const user = await createUserWithFish(t, ...sizes, 1)
      const whole = await collection(t, 'fish', user)
      expect.same(whole.entries.length, pageSize + 1, 'the number of entries', whole.response)
      expectNoCursor(whole)
      const page = await collection(t, 'fish', user, `&limit=${pageSize}`)
      expect.same(page.entries.length, pageSize, 'the number of entries on the largest page', page.response)
    },
  ),
])

const FORMATS = { gzip: 'gzip', br: 'brotli' } as const

/**
 * Decodes a body unless the client has already decoded the body. Returns `undefined` if the platform does not support
 * the coding.
 */
async function decodedText({ bytes, text }: expect.ReceivedResponse, coding: keyof typeof FORMATS) {
  if (text.startsWith('{')) return text
  try {
    const decoder = new DecompressionStream(FORMATS[coding] as CompressionFormat)
    return await new Response(new Blob([bytes]).stream().pipeThrough(decoder)).text()
  } catch {
    return undefined
  }
}

const codingCheck = (coding: keyof typeof FORMATS) =>
  check(
    `read-in-${coding}`,
    `A large response with Accept-Encoding: ${coding} is encoded, and its decoded content is the same.`,
    async (t) => {
      t.needHeader('accept-encoding')
      const user = await t.user()
      const fish = Array.from({ length: 200 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
      await writeAndExpectId(t, 'fish', { fish }, { gamemode: 'factions' })
      const path = `/get/fish?name=${user.name}&gamemode=factions`
      const plain = await t.request(path, { headers: { 'accept-encoding': 'identity' } })
      const uncoded = plain.headers.get('content-encoding') ?? 'identity'
      expect.that(uncoded === 'identity', 'no Content-Encoding', uncoded, plain)
      const response = await t.request(path, { headers: { 'accept-encoding': coding } })
      expect.status(response, 200)
      expect.header(response, 'content-encoding', coding)
      expect.listed(response, 'vary', 'accept-encoding')
      const text = await decodedText(response, coding)
      if (text === undefined) throw new expect.CheckSkipped(`neither the client nor this platform can decode ${coding}`)
      expect.that(text === plain.text, 'the same text as without coding', 'another', response)
    },
  )

export const codingChecks = checksOf('reads', [codingCheck('gzip'), codingCheck('br')])
