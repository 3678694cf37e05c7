import { collection, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { CheckSkipped, expectSame, expectStatus, expectThat } from '../context/expect.ts'
import { decodedText, type ReceivedResponse } from '../context/response.ts'
import { type CheckRow, checksOf } from './check.ts'

const PATH = 'gamemode=survival'

async function read(
  context: TestContext,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<ReceivedResponse> {
  const { name } = await context.user()
  return context.request(`/get/fish?name=${name}&${PATH}`, { method, headers })
}

async function tagOf(context: TestContext): Promise<string> {
  const response = await read(context, {})
  const tag = response.headers.get('etag')
  expectThat(tag !== null && /^(W\/)?"[^"]*"$/.test(tag), 'an ETag (RFC 9110, section 8.8.3)', tag ?? 'none', response)
  return tag
}

const addFish = (context: TestContext) =>
  writeAndExpectId(context, 'fish', { fish: 'Cod', rarity: 1 }, { gamemode: 'survival' })

function encodedCheck(coding: 'gzip' | 'br'): CheckRow {
  return [
    `read-in-${coding}`,
    `Accept-Encoding: ${coding} is honoured on a large response, whose decoded content is the same.`,
    async (context) => {
      context.needHeader('accept-encoding')
      const user = await context.user()
      const fish = Array.from({ length: 200 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
      await writeAndExpectId(context, 'fish', { fish }, { gamemode: 'factions' })
      const path = `/get/fish?name=${user.name}&gamemode=factions`
      const plain = await context.request(path, { headers: { 'accept-encoding': 'identity' } })
      const response = await context.request(path, { headers: { 'accept-encoding': coding } })
      expectStatus(response, 200)
      const used = response.headers.get('content-encoding')
      expectThat(used === coding, `Content-Encoding: ${coding}`, used ?? 'none', response)
      const varies = (response.headers.get('vary') ?? '').toLowerCase().includes('accept-encoding')
      expectThat(varies, 'Vary: Accept-Encoding', response.headers.get('vary') ?? 'no Vary', response)
      const text = await decodedText(response)
      if (text === undefined) throw new CheckSkipped(`neither the client nor this platform can decode ${coding}`)
      expectThat(text === plain.text, 'the same text as without coding', 'another', response)
    },
  ]
}

/** Conditional requests and compression. */
export const cachingChecks = checksOf('reads', [
  [
    'etag-304',
    'If-None-Match with the ETag of the last response is 304 without a body.',
    async (context) => {
      await addFish(context)
      const response = await read(context, { 'if-none-match': await tagOf(context) })
      expectStatus(response, 304)
      expectThat(response.bytes.length === 0, 'no body', `${response.bytes.length} bytes`, response)
    },
  ],
  [
    'etag-in-a-list',
    'If-None-Match can list several ETags, strong or weak.',
    async (context) => {
      const tag = await tagOf(context)
      const other = tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`
      expectStatus(await read(context, { 'if-none-match': `"x", ${other}` }), 304)
    },
  ],
  [
    'etag-other',
    'If-None-Match with another ETag gets the full response.',
    async (context) => expectStatus(await read(context, { 'if-none-match': '"of-nothing-there-is"' }), 200),
  ],
  [
    'etag-changes',
    'A new entry changes the ETag, and If-None-Match with the old one gets the full response.',
    async (context) => {
      const before = await tagOf(context)
      await addFish(context)
      expectStatus(await read(context, { 'if-none-match': before }), 200)
      expectThat((await tagOf(context)) !== before, 'another ETag after a write', 'the same')
    },
  ],
  [
    'etag-on-head',
    'HEAD has the same ETag as GET.',
    async (context) => {
      const head = await read(context, {}, 'HEAD')
      expectSame(head.headers.get('etag'), await tagOf(context), 'the ETag', head)
    },
  ],
  encodedCheck('gzip'),
  encodedCheck('br'),
  [
    'read-without-coding',
    'Accept-Encoding: identity gets a response without a coding.',
    async (context) => {
      context.needHeader('accept-encoding')
      const response = await read(context, { 'accept-encoding': 'identity' })
      const coding = response.headers.get('content-encoding')
      expectThat(coding === null || coding === 'identity', 'no Content-Encoding', coding, response)
    },
  ],
  [
    'read-sees-own-writes',
    'An acknowledged write is in the next read.',
    async (context) => {
      const user = await context.user()
      for (let count = 0; count < 3; count += 1) {
        const { entries: before } = await collection(context, 'fish', user, '', 'survival')
        await addFish(context)
        const { response, entries } = await collection(context, 'fish', user, '', 'survival')
        expectSame(entries.length, before.length + 1, 'the number of entries', response)
      }
    },
  ],
])
