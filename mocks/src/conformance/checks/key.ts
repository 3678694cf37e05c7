import { ACCOUNT_LIMITS, HEADERS, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import { basic, login } from '../context/accounts.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import type { Send } from '../context/send.ts'
import { check, checksOf } from './check.ts'
import { expectChallenge } from './routes.ts'

const WRONG = 'a-wrong-password'
const NEW = 'another-password'

/** Does not repeat the key, since it is a secret. */
function expectKey(response: expect.ReceivedResponse, key: string): void {
  expect.that(expect.json(response).fernetKey === key, "the user's Fernet key", 'another', response)
}

/** Fails the check if the errors reveal which names exist. */
function expectEqual(...errors: readonly unknown[]): void {
  expect.same(new Set(errors).size, 1, 'the number of different responses')
}

/**
 * Returns a client for failed logins. If possible, the client has a separate address. The service allows only a few
 * failed logins from each address, and the operator may need attempts from the address of this program.
 */
const spareClient = (t: TestContext) => (t.hasOtherClient ? t.otherClient() : t.send)

async function ask(t: TestContext, send: Send, authorization: string): Promise<expect.ReceivedResponse> {
  const { apiKey } = await t.user()
  return send('/get/user/key', { headers: { [HEADERS.apiKey]: apiKey, authorization } })
}

async function sendCredentials(t: TestContext, authorization: string, send = spareClient(t)) {
  return notLimited(await ask(t, send, authorization))
}

async function failTenTimes(t: TestContext, send: Send, name: string): Promise<void> {
  for (let count = 0; count < ACCOUNT_LIMITS.failedLogins; count += 1) {
    expect.error(await ask(t, send, basic(name, WRONG)), 'invalid_credentials')
  }
}

function notLimited(response: expect.ReceivedResponse): expect.ReceivedResponse {
  if (response.status !== 429) return response
  throw new expect.CheckSkipped(
    'this client address has reached its limit of failed logins; try again when the window ends',
  )
}

export const keyChecks = checksOf('key', [
  check('key-own', 'A player gets its own key with its name, in any letter case, and its password.', async (t) => {
    const { name, password, fernetKey } = await t.user()
    const other = name.toUpperCase()
    for (const response of [
      await t.readKey(name, password),
      await t.readKey(name, password, `?name=${other}`),
      await t.readKey(other, password),
    ]) {
      expectKey(response, fernetKey)
      expect.same(Object.keys(expect.json(response)), ['fernetKey'], 'the fields', response)
    }
  }),
  check(
    'key-by-administrator',
    "An administrator gets a user's key only if the request names an existing user.",
    async (t) => {
      const { name, fernetKey } = await t.user()
      const { username, password } = await t.superadmin()
      expectKey(await t.readKey(username, password, `?name=${name}`), fernetKey)
      expect.error(await t.readKey(username, password), 'missing_name')
      expect.error(await t.readKey(username, password, `?name=${t.newName()}`), 'user_not_found')
    },
  ),
  check(
    'key-of-another',
    "A player who requests another player's key gets 403, whether or not that player exists.",
    async (t) => {
      const { name, password } = await t.user()
      const other = await t.newUser()
      const refuse = async (requested: string) =>
        expect.error(await t.readKey(name, password, `?name=${requested}`), 'forbidden').error
      expectEqual(await refuse(other.name), await refuse(t.newName()))
    },
  ),
  check('key-tells-no-names', 'A wrong password and an unknown name get the same 401.', async (t) => {
    const { name } = await t.user()
    expectChallenge(await sendCredentials(t, 'Basic %%%'))
    const refuse = async (login: string) => expectChallenge(await sendCredentials(t, basic(login, WRONG)))
    expectEqual(await refuse(name), await refuse(t.newName()))
  }),
  check(
    'own-password',
    'A player replaces the password: the new password is valid immediately, and the old password gets 401.',
    async (t) => {
      const { name, password, fernetKey } = await t.newUser()
      const newPassword = NEW
      const change = (old: string, body: unknown) =>
        t.request(ROUTES.changeOwnPassword.path, {
          method: 'POST',
          headers: { authorization: basic(name, old), 'content-type': MEDIA_TYPES.json },
          body: JSON.stringify(body),
        })
      expect.error(await change(newPassword, { password: newPassword }), 'invalid_credentials')
      expect.details(await change(password, { password: 'short' }), 'invalid_payload')
      expect.status(await change(password, { password: newPassword }), 204)
      expect.error(await t.readKey(name, password), 'invalid_credentials')
      expectKey(await t.readKey(name, newPassword), fernetKey)
    },
  ),
  check(
    'reset-password',
    'A new password is valid immediately; the old password gets 401, even if it was just used.',
    async (t) => {
      const send = spareClient(t)
      const user = await t.newUser()
      const old = basic(user.name, user.password)
      expect.json(await sendCredentials(t, old, send))
      const password = await t.reset(user.name, 'password')
      expectChallenge(await sendCredentials(t, old, send))
      expectKey(await t.readKey(user.name, password), user.fernetKey)
    },
  ),
  check(
    'login-tells-no-names',
    'An admin login with a wrong password, an unknown name or a player account gets the same error.',
    async (t) => {
      const send = spareClient(t)
      const { name, password } = await t.user()
      const { username } = await t.admin()
      const refuse = async (username: string, password = WRONG) =>
        expect.error(notLimited(await login(send, { username, password })), 'invalid_credentials').error
      expectEqual(await refuse(username), await refuse(t.newName()), await refuse(name, password))
    },
  ),
  check('failed-credentials-are-limited', 'After 10 failed logins with one name, a client gets 429.', async (t) => {
    const send = t.otherClient()
    // Use a new user, because a password that was verified before is accepted even after failed logins.
    const { name, password } = await t.newUser()
    await failTenTimes(t, send, name)
    for (const refused of [
      await ask(t, send, basic(name, WRONG)),
      await ask(t, send, basic(name, password)),
      await login(send, { username: name, password: WRONG }),
    ]) {
      expect.error(refused, 'rate_limited')
      expect.retryAfter(refused, ACCOUNT_LIMITS.failedLoginWindowSeconds)
    }
    expect.same((await t.otherClient()('/livez')).status, 200, 'the status for another client')
  }),
  check(
    'failed-credentials-of-one-name',
    'Failed logins block neither other names nor a password that was verified before.',
    async (t) => {
      const send = t.otherClient()
      const [failing, other] = [await t.newUser(), await t.newUser()]
      expect.json(await ask(t, send, basic(failing.name, failing.password)))
      await failTenTimes(t, send, failing.name)
      expect.error(await ask(t, send, basic(failing.name, WRONG)), 'rate_limited')
      expect.json(await ask(t, send, basic(failing.name, failing.password)))
      expect.json(await ask(t, send, basic(other.name, other.password)))
    },
  ),
])
