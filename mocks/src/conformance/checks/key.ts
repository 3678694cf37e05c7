import type { World } from '../context/context.ts'
import { expectError, expectJson } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

/** `Authorization: Basic`, in UTF-8 (RFC 7617). */
export function basic(name: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)))}`
}

function getKey(world: World, authorization: string, query = '', method = 'GET') {
  return world.request(`/get/user/key${query}`, { method, headers: { authorization } })
}

async function expectOwnKey(world: World, query: (name: string) => string, login = (name: string) => name) {
  const { name, password, fernetKey } = await world.user()
  const answer = await getKey(world, basic(login(name), password), query(name))
  const body = expectJson(answer)
  expectSame(Object.keys(body), ['fernetKey'], 'the fields', answer)
  expectThat(body.fernetKey === fernetKey, "the user's Fernet key", 'another', answer)
}

const asRoot = async (world: World) => {
  const { username, password } = await world.superadmin()
  return basic(username, password)
}

const rows: readonly CheckRow[] = [
  [
    'key-own',
    'A player gets the own key with name and password, and no query.',
    (world) => expectOwnKey(world, () => ''),
  ],
  [
    'key-own-by-name',
    'A player may name itself, in any letter case.',
    (world) => expectOwnKey(world, (name) => `?name=${name.toUpperCase()}`),
  ],
  [
    'key-own-login-in-any-case',
    'A player logs in under its name in any letter case.',
    (world) =>
      expectOwnKey(
        world,
        () => '',
        (name) => name.toUpperCase(),
      ),
  ],
  [
    'key-by-administrator',
    "An administrator gets a user's key by name.",
    async (world) => {
      const { name, fernetKey } = await world.user()
      const answer = await getKey(world, await asRoot(world), `?name=${name}`)
      expectThat(expectJson(answer).fernetKey === fernetKey, "the user's Fernet key", 'another', answer)
    },
  ],
  [
    'key-by-administrator-without-name',
    'An administrator who names nobody is told 400 missing_name.',
    async (world) => void expectError(await getKey(world, await asRoot(world)), 'missing_name'),
  ],
  [
    'key-by-administrator-of-nobody',
    'An administrator who names nobody there is, is told 404 user_not_found.',
    async (world) => {
      const query = `?name=${world.accounts.newName()}`
      expectError(await getKey(world, await asRoot(world), query), 'user_not_found')
    },
  ],
  [
    'key-of-another',
    "A player who asks for another's key is told 403 forbidden.",
    async (world) => {
      const { name, password } = await world.user()
      const other = await world.newUser()
      expectError(await getKey(world, basic(name, password), `?name=${other.name}`), 'forbidden')
    },
  ],
  [
    'key-of-another-tells-nothing',
    'A player who asks for the key of nobody there is learns no more than for that of another.',
    async (world) => {
      const { name, password } = await world.user()
      const other = await world.newUser()
      const texts = new Set<unknown>()
      for (const asked of [other.name, world.accounts.newName()]) {
        texts.add(expectError(await getKey(world, basic(name, password), `?name=${asked}`), 'forbidden').error)
      }
      expectSame(texts.size, 1, 'the number of different answers')
    },
  ],
]

/** The key endpoint, with the right credentials. */
export const keyChecks = checksOf('key', rows)
