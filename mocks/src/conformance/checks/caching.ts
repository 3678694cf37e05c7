import { collection, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { CheckSkipped, expectSame, expectStatus, expectThat } from '../context/expect.ts'
import { decodedText } from '../context/response.ts'
import { check, checksOf } from './check.ts'

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
  check(
    'etag-changes',
    'A new entry changes the ETag, and If-None-Match with the old one gets the full response.',
    async (t) => {
      const before = await tagOf(t)
      await addFish(t)
      expectStatus(await read(t, { 'if-none-match': before }), 200)
      expectThat((await tagOf(t)) !== before, 'another ETag after a write', 'the same')
    },
  ),
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
