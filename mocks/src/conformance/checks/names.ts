import { GAMEMODES } from '@fish-crab/sdk/contract'
import { collection } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectDetails, expectError, expectJson } from '../context/expect-answer.ts'
import { expectSame } from '../context/expectation.ts'
import { createdUser } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

async function createNamed(world: World, name: string) {
  return world.accounts.createUser((await world.superadmin()).token, { name })
}

const TAKEN: readonly (readonly [string, string, (name: string) => string])[] = [
  ['name-begins-with-underscore', 'begins with "_"', (name) => `_${name}`],
  ['name-begins-with-star', 'begins with "*"', (name) => `*${name}`],
  ['name-begins-with-dot', 'begins with "."', (name) => `.${name}`],
  ['name-begins-with-digit', 'begins with a digit', (name) => `7${name}`],
  ['name-with-all-marks', 'holds each of "_", ".", "*" and "-"', (name) => `${name}_.*-`],
  ['name-of-32-characters', 'is 32 characters long', (name) => name.padEnd(32, 'x')],
]

const REFUSED: readonly (readonly [string, string, (name: string) => string])[] = [
  ['name-empty', 'is empty', () => ''],
  ['name-of-33-characters', 'is 33 characters long', (name) => name.padEnd(33, 'x')],
  ['name-begins-with-hyphen', 'begins with "-"', (name) => `-${name}`],
  ['name-with-space', 'holds a space', (name) => `${name} x`],
  ['name-with-slash', 'holds a slash', (name) => `${name}/x`],
  ['name-with-umlaut', 'holds a letter beyond ASCII', (name) => `${name}ü`],
]

const rows: readonly CheckRow[] = [
  ...TAKEN.map(
    ([id, what, form]): CheckRow => [
      id,
      `A user name that ${what} is taken, shown as created, and found.`,
      async (world) => {
        const name = form(world.accounts.newName())
        const user = createdUser(await createNamed(world, name))
        expectSame(user.name, name, '"name"')
        const answer = await world.request(`/get/fish?name=${encodeURIComponent(name)}&gamemode=earth`)
        expectSame(expectJson(answer).user, name, '"user"', answer)
      },
    ],
  ),
  ...REFUSED.map(
    ([id, what, form]): CheckRow => [
      id,
      `A user name that ${what} cannot be created, and is simply not found.`,
      async (world) => {
        const name = form(world.accounts.newName())
        expectDetails(await createNamed(world, name), 'invalid_payload')
        if (name === '') return
        const answer = await world.request(`/get/fish?name=${encodeURIComponent(name)}&gamemode=earth`)
        expectError(answer, 'user_not_found')
      },
    ],
  ),
  [
    'name-found-in-any-letter-case',
    'A user is found in any letter case, and shown as created.',
    async (world) => {
      const { name } = await world.user()
      const answer = await world.request(`/get/crab?name=${name.toUpperCase()}&gamemode=earth`)
      expectSame(expectJson(answer).user, name, '"user"', answer)
    },
  ],
  [
    'name-unique-without-regard-to-case',
    'A name that differs only in letter case from that of a user is 409 user_exists.',
    async (world) => {
      const { name } = await world.user()
      expectError(await createNamed(world, name.toUpperCase()), 'user_exists')
    },
  ],
  ...GAMEMODES.map(
    (gamemode): CheckRow => [
      `gamemode-${gamemode}`,
      `The gamemode ${gamemode} has a collection of its own.`,
      async (world) => {
        const user = await world.user()
        const path = `/admin/users/${user.name}/fish?gamemode=${gamemode}`
        const { token } = await world.superadmin()
        const name = `Fish of ${gamemode}`
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const body = JSON.stringify({ fish: [{ name, rarity: 1 }] })
        expectJson(await world.send(path, { method: 'POST', headers, body }), 201)
        for (const other of GAMEMODES) {
          const { entries } = await collection(world, 'fish', user, '', other)
          const found = entries.some((entry) => entry.name === name)
          expectSame(found, other === gamemode, `whether ${other} holds the fish of ${gamemode}`)
        }
      },
    ],
  ),
  ...(
    [
      ['gamemode-capital', 'Earth'],
      ['gamemode-upper-case', 'EARTH'],
      ['gamemode-with-space', 'earth '],
      ['gamemode-unknown', 'creative'],
    ] as const
  ).map(
    ([id, gamemode]): CheckRow => [
      id,
      `"${gamemode}" is no gamemode: 400 invalid_gamemode.`,
      async (world) => {
        const { name } = await world.user()
        for (const kind of ['fish', 'crab']) {
          const path = `/get/${kind}?name=${name}&gamemode=${encodeURIComponent(gamemode)}`
          expectError(await world.request(path), 'invalid_gamemode')
        }
      },
    ],
  ),
]

/** User names and gamemodes. */
export const namesChecks = checksOf('names', rows)
