import { HEADERS, LIMITS } from '@fish-crab/sdk/contract'
import { numberHeader } from '../context/anonymous.ts'
import type { Answer } from '../context/answer.ts'
import type { World } from '../context/context.ts'
import { expectError, expectJson } from '../context/expect-answer.ts'
import { CheckSkipped, expectSame, expectThat } from '../context/expectation.ts'
import { login } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'
import { basic } from './key.ts'

/**
 * Asks for a key with an API key, and from another client address where there is one: a client may fail a few times
 * only, and those of this address are the operator's.
 */
async function attempt(
  world: World,
  authorization?: string,
  send = world.hasOtherClient ? world.otherClient() : world.send,
): Promise<Answer> {
  const { apiKey } = await world.user()
  const headers = { [HEADERS.apiKey]: apiKey, ...(authorization === undefined ? {} : { authorization }) }
  const answer = await send('/get/user/key', { headers })
  return notLimited(answer)
}

function notLimited(answer: Answer): Answer {
  if (answer.status !== 429) return answer
  throw new CheckSkipped('this client address has used up its failed logins; try again when their window is over')
}

function expectChallenge(answer: Answer): unknown {
  const { error } = expectError(answer, 'invalid_credentials')
  const challenge = answer.headers.get('www-authenticate')
  expectThat(/^Basic\b/i.test(challenge ?? ''), 'WWW-Authenticate: Basic', challenge ?? 'none', answer)
  return error
}

const rows: readonly CheckRow[] = [
  [
    'key-without-credentials',
    'The key endpoint answers 401 with WWW-Authenticate: Basic to no credentials; an API key is none.',
    async (world) => void expectChallenge(await attempt(world)),
  ],
  [
    'key-with-malformed-credentials',
    'The key endpoint answers 401 with WWW-Authenticate: Basic to what is no HTTP Basic.',
    async (world) => void expectChallenge(await attempt(world, 'Basic %%%')),
  ],
  [
    'key-tells-no-names',
    'A wrong password and a name that nobody has get one and the same 401.',
    async (world) => {
      const { name } = await world.user()
      const texts = [
        expectChallenge(await attempt(world, basic(name, 'a-wrong-password'))),
        expectChallenge(await attempt(world, basic(world.accounts.newName(), 'a-wrong-password'))),
      ]
      expectSame(new Set(texts).size, 1, 'the number of different answers')
    },
  ],
  [
    'key-after-password-reset',
    'An old password is 401 as soon as it was replaced, also when it was used a moment before.',
    async (world) => {
      const send = world.hasOtherClient ? world.otherClient() : world.send
      const user = await world.newUser()
      const old = basic(user.name, user.password)
      expectJson(await attempt(world, old, send))
      const answer = await world.asSuperadmin('resetUser', { params: { name: user.name }, body: { type: 'password' } })
      world.keep(String(expectJson(answer).password))
      expectChallenge(await attempt(world, old, send))
    },
  ],
  [
    'login-tells-no-names',
    'A login with a wrong password, and one under a name that nobody has, get one and the same 401.',
    async (world) => {
      const send = world.hasOtherClient ? world.otherClient() : world.send
      const { username } = await world.admin()
      const texts: unknown[] = []
      for (const name of [username, world.accounts.newName()]) {
        const answer = notLimited(await login(send, { username: name, password: 'a-wrong-password' }))
        texts.push(expectError(answer, 'invalid_credentials').error)
      }
      expectSame(new Set(texts).size, 1, 'the number of different answers')
    },
  ],
  [
    'login-of-a-player',
    'A player is no administrator: a login with the right password of a user is 401.',
    async (world) => {
      const { name, password } = await world.user()
      const send = world.hasOtherClient ? world.otherClient() : world.send
      expectError(notLimited(await login(send, { username: name, password })), 'invalid_credentials')
    },
  ],
  [
    'failed-credentials-are-limited',
    'After 10 failures in 5 minutes under one name a client is told 429 with Retry-After, at logins too and with the right password.',
    async (world) => {
      const send = world.otherClient()
      // No password that was right a moment ago: such a one is let in all the same.
      const { name, password, apiKey } = await world.newUser()
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
      expectSame((await world.otherClient()('/livez')).status, 200, 'the status for another client')
    },
  ],
  [
    'failed-credentials-of-one-name',
    'Failures under one name lock out neither another name of that client nor a password that was right before.',
    async (world) => {
      const send = world.otherClient()
      const [failing, other] = [await world.newUser(), await world.newUser()]
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
]

/** Wrong credentials. */
export const credentialsChecks = checksOf('key', rows)
