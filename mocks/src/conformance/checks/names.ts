import { expectCreatedUser } from '../context/accounts.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const VALID: readonly ((name: string) => string)[] = [
  ...['_', '*', '.', '7'].map((first) => (name: string) => `${first}${name}`),
  (name) => `${name}_.*-`,
  (name) => name.padEnd(32, 'x'),
]

const INVALID: readonly ((name: string) => string)[] = [
  (name) => name.padEnd(33, 'x'),
  (name) => `-${name}`,
  ...[' x', '/x', 'ü'].map((last) => (name: string) => `${name}${last}`),
]

export const namesChecks = checksOf('names', [
  check(
    'name-valid',
    'A name of up to 32 characters, with any of the allowed marks, can be created and found.',
    async (t) => {
      for (const form of VALID) {
        const name = form(t.newName())
        expect.same(expectCreatedUser(await t.createUser({ name })).name, name, '"name"')
        const response = await t.request(`/get/fish?name=${encodeURIComponent(name)}&gamemode=earth`)
        expect.same(expect.json(response).user, name, '"user"', response)
      }
    },
  ),
  check('name-invalid', 'An invalid name cannot be created and is not found.', async (t) => {
    expect.details(await t.createUser({ name: '' }), 'invalid_payload')
    for (const form of INVALID) {
      const name = form(t.newName())
      expect.details(await t.createUser({ name }), 'invalid_payload')
      const response = await t.request(`/get/fish?name=${encodeURIComponent(name)}&gamemode=earth`)
      expect.error(response, 'user_not_found')
    }
  }),
  check(
    'name-found-in-any-letter-case',
    'A name is found in any letter case, and is unique in any letter case.',
    async (t) => {
      const { name } = await t.user()
      const response = await t.request(`/get/crab?name=${name.toUpperCase()}&gamemode=earth`)
      expect.same(expect.json(response).user, name, '"user"', response)
      for (const taken of [name, name.toUpperCase()]) expect.error(await t.createUser({ name: taken }), 'user_exists')
    },
  ),
])
