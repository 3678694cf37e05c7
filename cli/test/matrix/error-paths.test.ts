import type { ServerResponse } from 'node:http'
import { ConnectionError, FernetError, TimeoutError } from '@fish-crab/sdk'
import { ERROR_CODES } from '@fish-crab/sdk/constants'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeError } from '../../src/core/describe-error.ts'
import { interruption } from '../../src/core/errors.ts'
import { type Env, startImpostor } from '../harness.ts'
import { SECRETS, tracesIn } from './canaries.ts'
import { expectError } from './expect-error.ts'

const LIST = ['list', 'fish', 'Alex', '-g', 'earth']
const LIST_ADMINS = ['admin', 'list']
const SEE_HELP = /^See: fish-cli list --help$/
const LATER = /^Try again later\. To see whether the service is up: fish-cli status$/
const ADDRESS = /^Check that --url \(or FISH_URL\) is the address of a Fish and Crab Collection Service\.$/
const PAGE = { 'content-type': 'text/html' }

let respond: (response: ServerResponse) => void
let service: Awaited<ReturnType<typeof startImpostor>>
beforeAll(async () => {
  service = await startImpostor((_, response) => respond(response))
})
afterAll(() => service.close())

const env = (): Env => ({ FISH_URL: service.url, FISH_MAX_WAIT: '0', FISH_ADMIN_PASSWORD: SECRETS.adminPassword })
function send(status: number, body: unknown, headers = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  respond = (response) =>
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers }).end(text)
}

describe('an error code of the service', () => {
  const table: Readonly<Record<keyof typeof ERROR_CODES, readonly [exit: number, hint: RegExp]>> = {
    missing_name: [2, SEE_HELP],
    missing_gamemode: [2, SEE_HELP],
    invalid_gamemode: [2, SEE_HELP],
    invalid_token: [4, /log in again: fish-cli login$/],
    token_expired: [2, /fish-cli doctor$/],
    invalid_payload: [2, SEE_HELP],
    invalid_query: [2, SEE_HELP],
    invalid_event_id: [2, SEE_HELP],
    user_mismatch: [2, /^Check --user and --gamemode/],
    gamemode_mismatch: [2, /^Check --user and --gamemode/],
    invalid_credentials: [4, /^Check the name and the password/],
    invalid_session: [4, /^Log in again: fish-cli login NAME --admin$/],
    forbidden: [4, /^Only administrators may do this\./],
    user_suspended: [4, /fish-cli watch keeps new catches on this computer\.$/],
    not_found: [5, ADDRESS],
    user_not_found: [5, /^Check the spelling/],
    admin_not_found: [5, /fish-cli admin list$/],
    invitation_not_found: [5, /fish-cli invitation list$/],
    link_not_found: [5, /^$/],
    record_not_found: [5, /fish-cli list --detail$/],
    entry_not_found: [5, /fish-cli list --detail$/],
    method_not_allowed: [1, ADDRESS],
    user_exists: [6, /^Choose another name\.$/],
    public_url_missing: [6, /^$/],
    admin_exists: [6, /^Choose another name\.$/],
    too_many_invitations: [6, /fish-cli invitation end ID$/],
    too_many_renames: [6, /^$/],
    too_many_species: [6, /^$/],
    last_superadmin: [6, /fish-cli admin create NAME --role superadmin$/],
    payload_too_large: [1, /^Add fewer names at once/],
    unsupported_media_type: [1, /^$/],
    rate_limited: [75, /^Try again at .* \(local time\), or allow a longer --max-wait, or use an API key/],
    malformed_request: [2, SEE_HELP],
    expectation_failed: [1, /^$/],
    request_timeout: [1, LATER],
    headers_too_large: [1, /^Add fewer names at once/],
    client_closed_request: [1, LATER],
    internal_error: [1, LATER],
    storage_error: [69, LATER],
    storage_full: [69, LATER],
    too_many_streams: [69, LATER],
    unavailable: [69, LATER],
  }

  test.each(Object.entries(table))('%s determines the exit status and the hint', async (code, [exit, hint]) => {
    const { status, message } = ERROR_CODES[code as keyof typeof ERROR_CODES]
    send(status, { error: message, code, requestId: 'r-1' }, { 'retry-after': '60' })
    // Players know their key, but not the tokens, so the message names the key.
    const words =
      code === 'invalid_token' ? 'The service does not accept your key. The key may have been replaced.' : message
    const error = await expectError(
      LIST,
      { env: env(), clock: CLOCK },
      { code, exit, message: words, requestId: 'r-1' },
    )
    expect(error.hint ?? '').toMatch(hint)
    expect(error.retryAt).toEqual(code === 'rate_limited' ? expect.stringMatching(/^2026-01-01T00:01:00/) : null)
  })

  test('is printed on one line with its details, even if its message contains line breaks', async () => {
    const details = [{ path: 'name', message: 'too long' }]
    send(400, { error: 'Bad.\r\nfish-cli: all is well', code: 'invalid_payload', details })
    await expectError(LIST, { env: env() }, { message: 'Bad. fish-cli: all is well name: too long.' })
  })

  test.each([
    ['forbidden', /^This needs the rights of a superadmin\. Choose one with --admin/],
    ['rate_limited', /An API key does not lift the limit of administrators\.$/],
  ] as const)('causes a separate hint for administrators: %s', async (code, hint) => {
    send(ERROR_CODES[code].status, { error: 'x', requestId: 'r-1', code }, { 'retry-after': '60' })
    await expectError(LIST_ADMINS, { env: env(), clock: CLOCK }, { code, hint: expect.stringMatching(hint) })
  })
})

const CLOCK = { now: () => Date.parse('2026-01-01T00:00:00Z'), sleep: () => Promise.resolve() }

describe('a failure outside of the service', () => {
  const SHAPE = [1, 'invalid_response', ADDRESS] as const
  test.each<[string, number, unknown, object, number, string, RegExp]>([
    ['a page', 200, '<p>Log in</p>', PAGE, ...SHAPE],
    ['half a document', 200, '{"user":', {}, ...SHAPE],
    ['a document of another shape', 200, { fish: 1 }, {}, ...SHAPE],
    ['a redirect', 302, '', { location: 'http://127.0.0.1:1' }, 1, 'invalid_response', /^Set --url/],
    ['404', 404, '<p>None</p>', PAGE, ...SHAPE],
    ['401', 401, '<p>Who?</p>', PAGE, 4, 'unknown', /^Check the name and the password/],
    ['403', 403, '<p>No</p>', PAGE, 4, 'unknown', /^A proxy in front of the service/],
    ['500', 500, '<p>Oh</p>', PAGE, 1, 'unknown', LATER],
    ['502', 502, '<p>Bad Gateway</p>', PAGE, 69, 'bad_gateway', LATER],
    ['503', 503, '<p>Away</p>', PAGE, 69, 'bad_gateway', LATER],
    ['504', 504, '<p>Late</p>', PAGE, 69, 'bad_gateway', LATER],
  ])('is reported: %s', async (_, status, body, headers, exit, code, hint) => {
    send(status, body, headers)
    await expectError(LIST, { env: env() }, { code, exit, hint: expect.stringMatching(hint) })
  })

  test('is reported: a reset connection', async () => {
    respond = (response) => response.destroy()
    await expectError(LIST, { env: env() }, { code: 'unreachable', exit: 69, hint: expect.stringMatching(/running/) })
  })
})

test('a missing response is reported with a hint about the cause', async () => {
  const running = 'Check that the service is running, and that --url (or FISH_URL) is its address.'
  const away = { env: { ...env(), FISH_URL: 'http://127.0.0.1:1' } }
  await expectError(LIST, away, { code: 'unreachable', exit: 69, hint: running })
  const hintOf = (systemCode: string) => describeError(new ConnectionError('x', { systemCode })).hint
  for (const code of ['ENOTFOUND', 'EAI_AGAIN']) expect(hintOf(code)).toMatch(/^Check the host name/)
  expect(hintOf('SELF_SIGNED_CERT_IN_CHAIN')).toMatch(/NODE_EXTRA_CA_CERTS/)
  expect(hintOf('ERR_TLS_CERT_ALTNAME_INVALID')).toMatch(/another host name/)
  const late = describeError(new TimeoutError('x'))
  expect(late).toMatchObject({ code: 'timeout', exit: 69, hint: expect.stringMatching(LATER) })
})

describe('an error in the command line or on the local machine', () => {
  const CANARY = SECRETS.password
  test.each<[string, readonly string[], Env, number, string, RegExp]>([
    ['an unknown command', ['fly'], {}, 2, 'usage', /./],
    ['an unknown flag', [...LIST, `--password=${CANARY}`], {}, 2, 'usage', /FISH_PASSWORD/],
    ['a wrong value', ['list', 'Alex', '--limit', CANARY], {}, 2, 'usage', SEE_HELP],
    ['too many arguments', ['list', 'fish', 'Alex', CANARY], {}, 2, 'usage', SEE_HELP],
    ['a missing argument', ['user', 'delete'], {}, 2, 'usage', /^See: fish-cli user delete --help$/],
    ['a missing user', ['list'], { FISH_GAMEMODE: 'earth' }, 2, 'usage', /or log in: fish-cli login$/],
    [
      'a missing gamemode',
      ['list', 'Alex'],
      {},
      2,
      'usage',
      /^Add --gamemode with one of .* fish-cli config gamemode GAMEMODE$/,
    ],
    ['an unknown gamemode', ['list', 'Alex', '-g', 'erth'], {}, 2, 'usage', /^Did you mean: earth\?/],
    ['an invalid address', [...LIST, '--url', 'localhost'], {}, 2, 'usage', /^For example: http/],
    ['a missing key', ['add', '--crab', '-g', 'earth'], { FISH_USER: 'Alex' }, 4, 'missing_credentials', /./],
    ['a missing login', ['whoami'], {}, 4, 'not_logged_in', /fish-cli login/],
    ['an unwritable file', ['config', 'max-wait', '30'], { XDG_STATE_HOME: '/dev/null' }, 1, 'file_not_locked', /./],
  ])('is reported without its value: %s', async (_, argv, more, exit, code, hint) => {
    const options = { env: { FISH_URL: service.url, ...more } }
    const { message } = await expectError(argv, options, { code, exit, hint: expect.stringMatching(hint) })
    expect(tracesIn(message)).toEqual([])
  })

  test('is reported if a key is invalid', () => {
    const { code, exit, hint } = describeError(new FernetError('Invalid key.', { code: 'invalid_key' }))
    expect({ code, exit, hint }).toMatchObject({ code: 'invalid_key', exit: 4, hint: expect.stringMatching(/login/) })
  })
})

test('an interrupted command exits with 130', async () => {
  respond = () => {}
  const interrupted = AbortSignal.abort(interruption())
  await expectError(LIST, { env: env(), interrupted }, { code: 'interrupted', exit: 130, hint: null })
})

test('an unexpected error is reported with its location, and without the secrets in its message', async () => {
  const now = () => {
    throw new Error(`${SECRETS.password} ${SECRETS.fernetKey}`)
  }
  const options = { env: env(), clock: { ...CLOCK, now } }
  const { message, hint } = await expectError(LIST, options, { code: 'internal_error', exit: 1 })
  expect(message).toMatch(/^This is a bug in fish-cli \(Error at .*error-paths/)
  expect(tracesIn(`${message} ${hint}`)).toEqual([])
})
