import { type Kind, LIMITS } from '@fish-crab/sdk/contract'
import { entriesOf, expectNothingStored, ONE, write, written } from '../context/catches.ts'
import { expectDetails } from '../context/expect-answer.ts'
import { expectSame } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const COD = { name: 'Cod', rarity: 1 }
const times = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)

const REFUSED: readonly (readonly [string, string, Kind, unknown])[] = [
  ['no-json', 'that is no JSON', 'fish', '{"fish":'],
  ['no-utf-8', 'that is no UTF-8', 'fish', new Uint8Array([0x7b, 0xff, 0x7d])],
  ['empty', 'that is empty', 'fish', ''],
  ['text', 'that is a mere text', 'crab', '"crab"'],
  ['list', 'that is a mere list', 'fish', [COD]],
  ['no-fields', 'without any field', 'fish', {}],
  ['fish-without-rarity', 'of a fish without a rarity', 'fish', { fish: 'Cod' }],
  ['rarity-0', 'with rarity 0', 'fish', { fish: 'Cod', rarity: 0 }],
  ['rarity-8', 'with rarity 8', 'fish', { fish: 'Cod', rarity: 8 }],
  ['rarity-fraction', 'with rarity 2.5', 'fish', { fish: 'Cod', rarity: 2.5 }],
  ['rarity-text', 'with a rarity in quotes', 'fish', { fish: 'Cod', rarity: '3' }],
  ['rarity-label', 'with a label for a rarity', 'fish', { fish: [{ name: 'Cod', rarity: 'Gold' }] }],
  [
    'one-wrong-among-good',
    'with one wrong entry among good ones',
    'fish',
    { fish: [COD, { name: 'Cod', rarity: 8 }, COD] },
  ],
  ['no-fish', 'with an empty list of fish', 'fish', { fish: [] }],
  ['no-crabs', 'with an empty list of crabs', 'crab', { crab: [] }],
  ['fish-over-500', 'of 501 fish', 'fish', { fish: times(LIMITS.entriesPerWrite + 1, COD) }],
  ['crabs-over-500', 'of 501 crabs', 'crab', { crab: times(LIMITS.entriesPerWrite + 1, {}) }],
  ['fish-name-empty', 'with an empty name', 'fish', { fish: '', rarity: 1 }],
  ['fish-name-of-101', 'with a name of 101 characters', 'fish', { fish: 'x'.repeat(101), rarity: 1 }],
  ['crab-name-of-101', 'with a crab whose name has 101 characters', 'crab', { crab: [{ name: 'x'.repeat(101) }] }],
  ['name-control', 'with a control character in a name', 'fish', { fish: 'Cod\n', rarity: 1 }],
  ['name-nul', 'with a NUL in a name', 'crab', { crab: [{ name: 'a\u0000' }] }],
  ['crabs-for-fish', 'of crabs where fish belong', 'fish', { crab: [{}] }],
  ['fish-for-crabs', 'of fish where crabs belong', 'crab', { fish: [COD] }],
  ['crab-with-rarity', 'of a crab with a rarity, in the short form', 'crab', { fish: 'Cod', rarity: 1 }],
  ['crabs-with-rarity', 'of crabs of which one has a rarity', 'crab', { crab: [{}, COD] }],
  ['caught-at-no-moment', 'with a time that is none', 'fish', { fish: [{ ...COD, caughtAt: 'yesterday' }] }],
]

const TAKEN: readonly (readonly [string, string, Kind, unknown, readonly unknown[]])[] = [
  [
    'fish-short',
    'of the short form, for a fish',
    'fish',
    { fish: 'Salmon', rarity: 3 },
    [{ name: 'Salmon', rarity: 'Gold' }],
  ],
  ['crab-short', 'of the short form, for a crab', 'crab', { fish: 'crab' }, [{ name: 'crab' }]],
  ['crab-default-name', 'of a crab without a name', 'crab', { crab: [{}] }, [{ name: 'crab' }]],
  ['crab-own-name', 'of a crab with a name', 'crab', { crab: [{ name: 'Hermit' }] }, [{ name: 'Hermit' }]],
  [
    'name-of-100',
    'with a name of 100 characters',
    'fish',
    { fish: 'ü'.repeat(100), rarity: 1 },
    [{ name: 'ü'.repeat(100), rarity: 'Bronze' }],
  ],
  [
    'name-of-quotes',
    'with quotes and backslashes in a name',
    'fish',
    { fish: '"\\Cod\\" 🐟', rarity: 7 },
    [{ name: '"\\Cod\\" 🐟', rarity: 'Mythical' }],
  ],
  [
    'unknown-fields',
    'with unknown fields, which are dropped',
    'fish',
    { x: 1, fish: [{ ...COD, length: 31.5, id: 'mine' }] },
    [{ name: 'Cod', rarity: 'Bronze' }],
  ],
]

const rows: readonly CheckRow[] = [
  ...REFUSED.map(
    ([id, what, kind, payload]): CheckRow => [
      `payload-refused-${id}`,
      `A payload ${what} is 400 invalid_payload with details, and nothing of it is stored.`,
      async (world) =>
        expectNothingStored(world, async () => expectDetails(await write(world, kind, payload), 'invalid_payload')),
    ],
  ),
  ...TAKEN.map(
    ([id, what, kind, payload, stored]): CheckRow => [
      `payload-taken-${id}`,
      `A payload ${what} is stored as it should be.`,
      async (world) => {
        const entries = await entriesOf(world, kind, await written(world, kind, payload))
        expectSame(
          entries.map(({ caughtAt: _, ...entry }) => entry),
          stored,
          'what is stored',
        )
      },
    ],
  ),
  ...(['fish', 'crab'] as const).map(
    (kind): CheckRow => [
      `payload-taken-500-${kind}`,
      `500 entries of ${kind} in one write are stored.`,
      async (world) => {
        const user = await world.newUser()
        await written(world, kind, { [kind]: times(LIMITS.entriesPerWrite, ONE[kind][0]) }, { user })
        const answer = await world.request(`/get/${kind}?name=${user.name}&gamemode=earth&detail=full`)
        const ids = [...answer.text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
        expectSame(
          [ids.length, new Set(ids).size],
          [LIMITS.entriesPerWrite, 1],
          'the number of entries and ids',
          answer,
        )
      },
    ],
  ),
]

/** What decrypted payloads may hold, and what is stored of them. */
export const payloadsChecks = checksOf('writes', rows)
