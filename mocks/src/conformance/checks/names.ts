import { GAMEMODES } from '@fish-crab/sdk/contract'
import { expectCreatedUser } from '../context/accounts.ts'
import { collection, gamemodesOf } from '../context/catches.ts'
import { expectDetails, expectError, expectJson, expectSame, expectStatus } from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const EXISTING: readonly (readonly [string, string, (name: string) => string])[] = [
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

export const namesChecks = checksOf('names', [
  ...EXISTING.map(([id, what, form]) =>
    check(id, `A user name that ${what} can be created, is returned as created, and is found.`, async (t) => {
      const name = form(t.newName())
      const user = expectCreatedUser(await t.createUser({ name }))
      expectSame(user.name, name, '"name"')
      const response = await t.request(`/get/fish?name=${encodeURIComponent(name)}&gamemode=earth`)
      expectSame(expectJson(response).user, name, '"user"', response)
    }),
  ),
  ...REFUSED.map(([id, what, form]) =>
    check(id, `A user name that ${what} cannot be created and is not found.`, async (t) => {
      const name = form(t.newName())
      expectDetails(await t.createUser({ name }), 'invalid_payload')
      if (name === '') return
      const response = await t.request(`/get/fish?name=${encodeURIComponent(name)}&gamemode=earth`)
      expectError(response, 'user_not_found')
    }),
  ),
  check('name-found-in-any-letter-case', 'A user is found in any letter case and returned as created.', async (t) => {
    const { name } = await t.user()
    const response = await t.request(`/get/crab?name=${name.toUpperCase()}&gamemode=earth`)
    expectSame(expectJson(response).user, name, '"user"', response)
  }),
  check('name-unique-without-regard-to-case', 'A name in another letter case is 409 user_exists.', async (t) => {
    const { name } = await t.user()
    expectError(await t.createUser({ name: name.toUpperCase() }), 'user_exists')
  }),
  ...GAMEMODES.map((gamemode) =>
    check(`gamemode-${gamemode}`, `The gamemode ${gamemode} has its own collection.`, async (t) => {
      const user = await t.user()
      const name = `Fish of ${gamemode}`
      const request = { params: { name: user.name }, query: `?gamemode=${gamemode}` }
      expectStatus(await t.asSuperadmin('addUserFish', { ...request, body: { fish: [{ name, rarity: 1 }] } }), 201)
      for (const other of GAMEMODES) {
        const { entries } = await collection(t, 'fish', user, '', other)
        const found = entries.some((entry) => entry.name === name)
        expectSame(found, other === gamemode, `whether ${other} holds the fish of ${gamemode}`)
      }
    }),
  ),
  check('gamemodes-listed', 'Each gamemode that /status lists has its own collection.', async (t) => {
    const user = await t.newUser()
    const gamemodes = await gamemodesOf(t)
    expectSame(new Set(gamemodes).size, gamemodes.length, 'the number of different gamemodes')
    for (const gamemode of gamemodes) {
      const body = { fish: [{ name: `Fish of ${gamemode}`, rarity: 1 }] }
      const request = { params: { name: user.name }, query: `?gamemode=${gamemode}`, body }
      expectStatus(await t.asSuperadmin('addUserFish', request), 201)
    }
    for (const gamemode of gamemodes) {
      const { entries } = await collection(t, 'fish', user, '', gamemode)
      expectSame(
        entries.map(({ name }) => name),
        [`Fish of ${gamemode}`],
        `the fish of ${gamemode}`,
      )
    }
  }),
])
