import { HEADERS, LIMITS } from '@fish-crab/sdk/contract'
import { login } from '../context/accounts.ts'
import { numberHeader } from '../context/anonymous.ts'
import type { TestContext } from '../context/context.ts'
import { CheckSkipped, expectError, expectJson, expectSame, expectThat } from '../context/expect.ts'
import type { ReceivedResponse } from '../context/response.ts'
import { checksOf } from './check.ts'

/** `Authorization: Basic`, in UTF-8 (RFC 7617). */
function basic(name: string, password: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)))}`
}

function getKey(context: TestContext, authorization: string, query = '', method = 'GET') {
  return context.request(`/get/user/key${query}`, { method, headers: { authorization } })
}

async function expectOwnKey(context: TestContext, query: (name: string) => string, login = (name: string) => name) {
  const { name, password, fernetKey } = await context.user()
  const response = await getKey(context, basic(login(name), password), query(name))
  const body = expectJson(response)
  expectSame(Object.keys(body), ['fernetKey'], 'the fields', response)
  expectThat(body.fernetKey === fernetKey, "the user's Fernet key", 'another', response)
}

const asAdministrator = async (context: TestContext) => {
  const { username, password } = await context.superadmin()
  return basic(username, password)
}

/** The key endpoint with valid credentials. */
export const keyChecks = checksOf('key', [
  [
    'key-own',
    'A player gets its own key with name and password, without a query.',
    (context) => expectOwnKey(context, () => ''),
  ],
  [
    'key-own-by-name',
    'A player can name itself in the query, in any letter case.',
    (context) => expectOwnKey(context, (name) => `?name=${name.toUpperCase()}`),
  ],
  [
    'key-own-login-in-any-case',
    'A player logs in with its name in any letter case.',
    (context) =>
      expectOwnKey(
        context,
        () => '',
        (name) => name.toUpperCase(),
      ),
  ],
  [
    'key-by-administrator',
    "An administrator gets a user's key by name.",
    async (context) => {
      const { name, fernetKey } = await context.user()
      const response = await getKey(context, await asAdministrator(context), `?name=${name}`)
      expectThat(expectJson(response).fernetKey === fernetKey, "the user's Fernet key", 'another', response)
    },
  ],
  [
    'key-by-administrator-without-name',
    'An administrator who names no user gets 400 missing_name.',
    async (context) => void expectError(await getKey(context, await asAdministrator(context)), 'missing_name'),
  ],
  [
    'key-by-administrator-of-nobody',
    'An administrator who names an unknown user gets 404 user_not_found.',
    async (context) => {
      const query = `?name=${context.accounts.newName()}`
      expectError(await getKey(context, await asAdministrator(context), query), 'user_not_found')
    },
  ],
  [
    'key-of-another',
    "A player who asks for another's key gets 403 forbidden.",
    async (context) => {
      const { name, password } = await context.user()
      const other = await context.newUser()
      expectError(await getKey(context, basic(name, password), `?name=${other.name}`), 'forbidden')
    },
  ],
  [
    'key-of-another-tells-nothing',
    'A player gets the same response for the key of an unknown user as for that of another user.',
    async (context) => {
      const { name, password } = await context.user()
      const other = await context.newUser()
      const texts = new Set<unknown>()
      for (const requested of [other.name, context.accounts.newName()]) {
        texts.add(expectError(await getKey(context, basic(name, password), `?name=${requested}`), 'forbidden').error)
      }
      expectSame(texts.size, 1, 'the number of different responses')
    },
  ],
])

/**
 * Asks for a key with an API key, and from another client address where there is one: a client may fail a few times
 * only, and those of this address are the operator's.
 */
async function attempt(
  context: TestContext,
  authorization?: string,
  send = context.hasOtherClient ? context.otherClient() : context.send,
): Promise<ReceivedResponse> {
  const { apiKey } = await context.user()
  const headers = { [HEADERS.apiKey]: apiKey, ...(authorization === undefined ? {} : { authorization }) }
  const response = await send('/get/user/key', { headers })
  return notLimited(response)
}

function notLimited(response: ReceivedResponse): ReceivedResponse {
  if (response.status !== 429) return response
  throw new CheckSkipped('this client address has reached its limit of failed logins; try again when the window ends')
}

function expectChallenge(response: ReceivedResponse): unknown {
  const { error } = expectError(response, 'invalid_credentials')
  const challenge = response.headers.get('www-authenticate')
  expectThat(/^Basic\b/i.test(challenge ?? ''), 'WWW-Authenticate: Basic', challenge ?? 'none', response)
  return error
}

/** Invalid credentials. */
export const credentialsChecks = checksOf('key', [
  [
    'key-without-credentials',
    'The key endpoint responds 401 with WWW-Authenticate: Basic without credentials, even with an API key.',
    async (context) => void expectChallenge(await attempt(context)),
  ],
  [
    'key-with-malformed-credentials',
    'The key endpoint responds 401 with WWW-Authenticate: Basic to credentials that are not HTTP Basic.',
    async (context) => void expectChallenge(await attempt(context, 'Basic %%%')),
  ],
  [
    'key-tells-no-names',
    'A wrong password and an unknown name get the same 401.',
    async (context) => {
      const { name } = await context.user()
      const texts = [
        expectChallenge(await attempt(context, basic(name, 'a-wrong-password'))),
        expectChallenge(await attempt(context, basic(context.accounts.newName(), 'a-wrong-password'))),
      ]
      expectSame(new Set(texts).size, 1, 'the number of different responses')
    },
  ],
  [
    'key-after-password-reset',
    'An old password is 401 as soon as it is replaced, even if it was just used.',
    async (context) => {
      const send = context.hasOtherClient ? context.otherClient() : context.send
      const user = await context.newUser()
      const old = basic(user.name, user.password)
      expectJson(await attempt(context, old, send))
      const response = await context.asSuperadmin('resetUser', {
        params: { name: user.name },
        body: { type: 'password' },
      })
      context.redact(String(expectJson(response).password))
      expectChallenge(await attempt(context, old, send))
    },
  ],
  [
    'login-tells-no-names',
    'A login with a wrong password and one with an unknown name get the same 401.',
    async (context) => {
      const send = context.hasOtherClient ? context.otherClient() : context.send
      const { username } = await context.admin()
      const texts: unknown[] = []
      for (const name of [username, context.accounts.newName()]) {
        const response = notLimited(await login(send, { username: name, password: 'a-wrong-password' }))
        texts.push(expectError(response, 'invalid_credentials').error)
      }
      expectSame(new Set(texts).size, 1, 'the number of different responses')
    },
  ],
  [
    'login-of-a-player',
    'An admin login with the name and password of a player is 401.',
    async (context) => {
      const { name, password } = await context.user()
      const send = context.hasOtherClient ? context.otherClient() : context.send
      expectError(notLimited(await login(send, { username: name, password })), 'invalid_credentials')
    },
  ],
  [
    'failed-credentials-are-limited',
    'After 10 failures in 5 minutes with one name, a client gets 429 with Retry-After, also at logins and with the correct password.',
    async (context) => {
      const send = context.otherClient()
      // Not a password that was verified before, since that is accepted in any case.
      const { name, password, apiKey } = await context.newUser()
      const headers = { [HEADERS.apiKey]: apiKey, authorization: basic(name, 'a-wrong-password') }
      for (let count = 0; count < LIMITS.failedLogins; count += 1) {
        expectError(await send('/get/user/key', { headers }), 'invalid_credentials')
      }
      const right = { ...headers, authorization: basic(name, password) }
      for (const refused of [
        await send('/get/user/key', { headers }),
        await send('/get/user/key', { headers: right }),
        await login(send, { username: name, password: 'a-wrong-password' }),
      ]) {
        expectError(refused, 'rate_limited')
        const seconds = numberHeader(refused, HEADERS.retryAfter)
        const most = LIMITS.failedLoginWindowSeconds
        expectThat(seconds >= 1 && seconds <= most, `${HEADERS.retryAfter} of 1 to ${most} s`, seconds, refused)
      }
      expectSame((await context.otherClient()('/livez')).status, 200, 'the status for another client')
    },
  ],
  [
    'failed-credentials-of-one-name',
    'Failures with one name lock out neither other names of the client nor a password that was verified before.',
    async (context) => {
      const send = context.otherClient()
      const [failing, other] = [await context.newUser(), await context.newUser()]
      const ask = (authorization: string) =>
        send('/get/user/key', { headers: { [HEADERS.apiKey]: failing.apiKey, authorization } })
      expectJson(await ask(basic(failing.name, failing.password)))
      for (let count = 0; count < LIMITS.failedLogins; count += 1) {
        expectError(await ask(basic(failing.name, 'a-wrong-password')), 'invalid_credentials')
      }
      expectError(await ask(basic(failing.name, 'a-wrong-password')), 'rate_limited')
      expectJson(await ask(basic(failing.name, failing.password)))
      expectJson(await ask(basic(other.name, other.password)))
    },
  ],
])
