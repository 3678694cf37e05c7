import { createAdminClient } from '@fish-crab/sdk/admin'
import { type CreatedUser, ERROR_CODES, type ErrorBody, type FishSummary, RARITIES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { type Arbitrary, constantFrom, jsonValue, oneof, record, sample, string, uint8Array } from 'fast-check'
import { HOSTILE_TEXTS } from '../../test-support/hostile-texts.ts'
import { ROOT } from '../../test-support/server-process.ts'
import type { Experiment, Finding, Scale } from '../experiment.ts'
import { readCollections, Service, temporaryFolder } from '../service.ts'

const COUNT: Readonly<Record<Scale, number>> = { short: 300, long: 10_000 }

/** Names that are code, markup, formulas or commands elsewhere, or that Unicode does something to. */
const NOTORIOUS = [
  ...HOSTILE_TEXTS,
  '-',
  '*',
  '-0',
  '1e999',
  '0x10',
  'true',
  '../../etc/passwd',
  'a\\b',
  '%2e%2e',
  'a?b=c&d#e',
  "'; DROP TABLE records; --",
  '"',
  '`id`',
  '$(id)',
  '$' + '{jndi:ldap://127.0.0.1/a}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '=cmd|"/c calc"!A1',
  '+1',
  '@SUM(1)',
  '\u0000',
  'a\nb',
  '\r\nSet-Cookie: a=b',
  'event: catch\ndata: {}',
  '\u001b[31mred',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\u202eflipped',
  'Z\u0335\u0321a\u0354l\u0348go',
  '\u00e9',
  '\u212aevin',
  'ß',
  '👩‍👩‍👧‍👦',
  '🐟'.repeat(100),
  '🐟'.repeat(101),
  'x'.repeat(100),
  'x'.repeat(101),
  '\udc1f',
  'a\ud83d',
  '{earth}',
  'a:b:c',
  'a\tb',
]

const hostile: Arbitrary<string> = oneof(
  constantFrom(...NOTORIOUS),
  string({ unit: 'binary', maxLength: 120 }),
  string({ unit: 'grapheme', maxLength: 110 }),
  string({ unit: 'binary-ascii', maxLength: 40 }),
)

// What is allowed, written a second time, not derived from the contract.
const isCatchName = (name: string) => {
  const points = [...name]
  const isShown = (point: string) => {
    const code = point.codePointAt(0) ?? 0
    return code >= 32 && !(code >= 127 && code < 160) && !(code >= 0xd800 && code < 0xe000)
  }
  return points.length > 0 && points.length <= 100 && points.every(isShown)
}
const isPlayerName = (name: string) =>
  name.length > 0 &&
  name.length <= 32 &&
  [...name].every(
    (letter) => 'abcdefghijklmnopqrstuvwxyz0123456789_.*-'.includes(letter.toLowerCase()) && letter < '\u007f',
  ) &&
  !['.', '..'].includes(name) &&
  !name.startsWith('-')

interface Response {
  readonly status: number
  readonly body: string
}

/** Sends a token of this content, as often as others do at the same time. */
async function post(
  url: string,
  { name, fernetKey, apiKey }: CreatedUser,
  content: string | Uint8Array,
): Promise<Response> {
  const response = await fetch(`${url}/post/fish?name=${name}`, {
    method: 'POST',
    body: await createFernet(fernetKey).encrypt(content),
    headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', 'x-api-key': apiKey },
    signal: AbortSignal.timeout(10_000),
  })
  return { status: response.status, body: await response.text() }
}

/** A refusal that a program can understand. */
function isRefusal({ status, body }: Response): boolean {
  return status === 400 && Object.hasOwn(ERROR_CODES, (JSON.parse(body) as ErrorBody).code)
}

const finding = (tried: string, wrong: readonly string[]): Finding => ({
  figure:
    wrong.length === 0
      ? tried
      : `${wrong.length} wrong, such as ${wrong
          .slice(0, 3)
          .map((one) => one.slice(0, 300))
          .join('; ')}`,
  limit: '0 wrong',
  isMet: wrong.length === 0,
})

export const CONTENT_EXPERIMENTS: readonly Experiment[] = [
  {
    name: 'hostile names',
    how: 'Names that are code, markup, paths, numbers or odd Unicode, of catches and of players: each is stored and returned as it was sent, or refused with a code, as a second implementation of the rules says.',
    async run(scale) {
      using folder = temporaryFolder()
      await using service = await Service.start({
        FISH_STORAGE: `file:${folder.path}/data`,
        FISH_ADMIN_RATE_LIMIT: '100000',
      })
      const players = await service.createPlayers(1)
      const [player] = players
      if (!player) throw new Error('No player.')
      const wrong: string[] = []
      const stored: string[] = []
      const names = sample(hostile, COUNT[scale])
      for (const name of names) {
        const response = await post(service.url, player, JSON.stringify({ fish: name, rarity: 1 }))
        if (response.status === 201) stored.push(name)
        if (isCatchName(name) ? response.status !== 201 : !isRefusal(response))
          wrong.push(`a fish ${JSON.stringify(name)}: ${response.status}`)
      }
      const collection = (await readCollections(service.url, players)).get(player.name) ?? []
      if (JSON.stringify(collection.map(({ name }) => name)) !== JSON.stringify(stored)) wrong.push('the collection')
      const { species, total } = await readSummary(service.url, player)
      const counts = new Map(species.map(({ name, count }) => [name, count]))
      for (const name of stored) counts.set(name, (counts.get(name) ?? 0) - 1)
      if (total !== stored.length || [...counts.values()].some((count) => count !== 0)) wrong.push('the summary')

      const taken = new Set(players.map(({ name }) => name.toLowerCase()))
      const { token } = await createAdminClient({ baseUrl: service.url, ...ROOT }).login()
      for (const name of names) {
        const { status } = await fetch(`${service.url}/admin/users`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name }),
        })
        const expected = !isPlayerName(name) ? 400 : taken.has(name.toLowerCase()) ? 409 : 201
        if (status === 201) taken.add(name.toLowerCase())
        if (status !== expected) wrong.push(`a player ${JSON.stringify(name)}: ${status} instead of ${expected}`)
      }
      return finding(
        `${names.length.toLocaleString('en')} of catches, as many of players; ${stored.length} and ${taken.size} stored`,
        wrong,
      )
    },
  },
  {
    name: 'hostile payloads',
    how: 'Encrypted payloads that are no text, no JSON, or JSON of other shapes: an acknowledged one is stored as it was sent, any other is refused with a code and stores nothing.',
    async run(scale) {
      using folder = temporaryFolder()
      await using service = await Service.start({ FISH_STORAGE: `file:${folder.path}/data` })
      const players = await service.createPlayers(1)
      const [player] = players
      if (!player) throw new Error('No player.')
      const wrong: string[] = []
      const stored: { readonly name: unknown; readonly rarity: unknown }[] = []
      const contents = sample(payload, COUNT[scale])
      for (const content of contents) {
        const response = await post(service.url, player, content)
        if (response.status === 201) stored.push(...entriesOf(content))
        else if (!isRefusal(response)) wrong.push(`${Buffer.from(content).toString('base64')}: ${response.status}`)
      }
      const collection = (await readCollections(service.url, players)).get(player.name) ?? []
      const shown = collection.map(({ name, rarity }) => ({ name, rarity }))
      if (JSON.stringify(shown) !== JSON.stringify(stored)) wrong.push('the collection')
      return finding(`${contents.length.toLocaleString('en')} payloads, ${stored.length} entries stored`, wrong)
    },
  },
]

async function readSummary(url: string, { name, apiKey }: CreatedUser): Promise<FishSummary> {
  const response = await fetch(`${url}/get/fish?name=${name}&gamemode=earth&summary=species`, {
    headers: { 'x-api-key': apiKey },
  })
  return (await response.json()) as FishSummary
}

const rarity = oneof(constantFrom<unknown>(1, 7, 3, 0, 8, 1.5, '3', null, -0, 1e21), jsonValue())
const entry = oneof(
  record({ name: hostile, rarity: constantFrom(1, 7) }),
  record(
    {
      name: oneof(hostile, jsonValue()),
      rarity,
      caughtAt: oneof(constantFrom('2026-01-01T00:00:00Z', '0', '9999-12-31T23:59:59-23:59'), jsonValue()),
    },
    { requiredKeys: [] },
  ),
)
const claims = {
  user: oneof(constantFrom('Player0', 'player0', 'Kevin'), jsonValue()),
  gamemode: constantFrom('earth', 'survival', 'EARTH'),
}
const shaped = oneof(
  record({ fish: hostile, rarity: constantFrom(1, 2, 3, 4, 5, 6, 7) }),
  record({ fish: oneof(hostile, jsonValue()), rarity, ...claims }, { requiredKeys: [] }),
  record(
    {
      fish: oneof(
        constantFrom<unknown>([]),
        entry.map((one) => [one, one]),
      ),
      ...claims,
    },
    { requiredKeys: ['fish'] },
  ),
  jsonValue(),
)
/** JSON that parsers read differently, or not at all. */
const NOTORIOUS_JSON = [
  '',
  ' ',
  '{',
  '[]',
  '[[[[[[[[',
  `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  '{"fish":"a","rarity":1,"rarity":9}',
  '{"fish":"a","rarity":1}{"fish":"b","rarity":1}',
  '{"fish":"a","rarity":1,}',
  '{"fish":"a","rarity":01}',
  '{"fish":"a","rarity":1e0}',
  '{"fish":"a","rarity":1.0000000000000000001}',
  '{"__proto__":{"fish":"a","rarity":1}}',
  '{"constructor":{"prototype":{"fish":"a"}},"rarity":1}',
  "{'fish':'a','rarity':1}",
  '\ufeff{"fish":"a","rarity":1}',
  '{"fish":"\\ud83d","rarity":1}',
  '{"fish":"\\u0000","rarity":1}',
  'NaN',
  'null',
  `"${'a'.repeat(100_000)}"`,
]
const payload: Arbitrary<string | Uint8Array> = oneof(
  shaped.map((value) => JSON.stringify(value)),
  constantFrom(...NOTORIOUS_JSON),
  hostile,
  uint8Array({ maxLength: 200 }),
)

/** What an accepted payload stores. */
function entriesOf(content: string | Uint8Array): readonly { readonly name: unknown; readonly rarity: unknown }[] {
  const { fish, rarity } = JSON.parse(
    Buffer.from(content)
      .toString()
      .replace(/^\ufeff/, ''),
  ) as { fish: unknown; rarity: unknown }
  const labelOf = (value: unknown) => RARITIES.find((one) => one.value === value)?.label
  if (!Array.isArray(fish)) return [{ name: fish, rarity: labelOf(rarity) }]
  return fish.map((one: { name: unknown; rarity: unknown }) => ({ name: one.name, rarity: labelOf(one.rarity) }))
}
