import { type Answer, decodedText } from '../context/answer.ts'
import { collection, written } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectStatus } from '../context/expect-answer.ts'
import { CheckSkipped, expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const PATH = 'gamemode=survival'

async function read(world: World, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Answer> {
  const { name } = await world.user()
  return world.request(`/get/fish?name=${name}&${PATH}`, { method, headers })
}

async function tagOf(world: World): Promise<string> {
  const answer = await read(world, {})
  const tag = answer.headers.get('etag')
  expectThat(tag !== null && /^(W\/)?"[^"]*"$/.test(tag), 'an ETag (RFC 9110, section 8.8.3)', tag ?? 'none', answer)
  return tag
}

const addFish = (world: World) => written(world, 'fish', { fish: 'Cod', rarity: 1 }, { gamemode: 'survival' })

function encodedCheck(coding: 'gzip' | 'br'): CheckRow {
  return [
    `read-in-${coding}`,
    `Accept-Encoding: ${coding} is honoured on a large answer, which is the same when decoded.`,
    async (world) => {
      world.needHeader('accept-encoding')
      const user = await world.user()
      const fish = Array.from({ length: 200 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
      await written(world, 'fish', { fish }, { gamemode: 'factions' })
      const path = `/get/fish?name=${user.name}&gamemode=factions`
      const plain = await world.request(path, { headers: { 'accept-encoding': 'identity' } })
      const answer = await world.request(path, { headers: { 'accept-encoding': coding } })
      expectStatus(answer, 200)
      const used = answer.headers.get('content-encoding')
      expectThat(used === coding, `Content-Encoding: ${coding}`, used ?? 'none', answer)
      const varies = (answer.headers.get('vary') ?? '').toLowerCase().includes('accept-encoding')
      expectThat(varies, 'Vary: Accept-Encoding', answer.headers.get('vary') ?? 'no Vary', answer)
      const text = await decodedText(answer)
      if (text === undefined) throw new CheckSkipped(`neither the client nor this platform decodes ${coding}`)
      expectThat(text === plain.text, 'the same text as without coding', 'another', answer)
    },
  ]
}

const rows: readonly CheckRow[] = [
  [
    'etag-304',
    'If-None-Match with the ETag of the last answer is 304 without a body.',
    async (world) => {
      await addFish(world)
      const answer = await read(world, { 'if-none-match': await tagOf(world) })
      expectStatus(answer, 304)
      expectThat(answer.bytes.length === 0, 'no body', `${answer.bytes.length} bytes`, answer)
    },
  ],
  [
    'etag-in-a-list',
    'If-None-Match may list several ETags, strong or weak.',
    async (world) => {
      const tag = await tagOf(world)
      const other = tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`
      expectStatus(await read(world, { 'if-none-match': `"x", ${other}` }), 304)
    },
  ],
  [
    'etag-other',
    'If-None-Match with another ETag is answered in full.',
    async (world) => expectStatus(await read(world, { 'if-none-match': '"of-nothing-there-is"' }), 200),
  ],
  [
    'etag-changes',
    'A new entry changes the ETag, and the old one is answered in full.',
    async (world) => {
      const before = await tagOf(world)
      await addFish(world)
      expectStatus(await read(world, { 'if-none-match': before }), 200)
      expectThat((await tagOf(world)) !== before, 'another ETag after a write', 'the same')
    },
  ],
  [
    'etag-on-head',
    'HEAD has the ETag of GET.',
    async (world) => {
      const head = await read(world, {}, 'HEAD')
      expectSame(head.headers.get('etag'), await tagOf(world), 'the ETag', head)
    },
  ],
  encodedCheck('gzip'),
  encodedCheck('br'),
  [
    'read-without-coding',
    'Accept-Encoding: identity is answered without a coding.',
    async (world) => {
      world.needHeader('accept-encoding')
      const answer = await read(world, { 'accept-encoding': 'identity' })
      const coding = answer.headers.get('content-encoding')
      expectThat(coding === null || coding === 'identity', 'no Content-Encoding', coding, answer)
    },
  ],
  [
    'read-sees-own-writes',
    'What was acknowledged is in the next read.',
    async (world) => {
      const user = await world.user()
      for (let count = 0; count < 3; count += 1) {
        const { entries: before } = await collection(world, 'fish', user, '', 'survival')
        await addFish(world)
        const { answer, entries } = await collection(world, 'fish', user, '', 'survival')
        expectSame(entries.length, before.length + 1, 'the number of entries', answer)
      }
    },
  ],
]

/** Reads that are conditional or compressed. */
export const transferChecks = checksOf('reads', rows)
