import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Env } from '../harness.ts'
import { SECRETS } from './canaries.ts'
import { expectErrorDocument } from './expect-error.ts'
import { type Machine, openMachine, runOn, type Setup, setUp } from './machine.ts'
import { storeOnce } from './store.ts'

interface Situation {
  readonly given?: readonly Setup[]
  readonly env?: Env
}

const OTHER_KEY = { env: { FISH_KEY: `${'A'.repeat(43)}=` } }
const NO_KEY = { env: { FISH_KEY: '' } }
const NO_PASSWORD = { env: { FISH_PASSWORD: '' } }
const BAD_PASSWORD = { env: { FISH_PASSWORD: 'canary wrong', FISH_ADMIN_PASSWORD: 'canary wrong' } }
const NOT_SUPERADMIN = { env: { FISH_ADMIN_USERNAME: 'mia' } }
const NO_STORAGE = { env: { FISH_STORAGE: 'redis://:canary-redis-password@127.0.0.1:1' } }
const WRONG_SECRET = { FISH_SECRET: 'canary wrong secret of 32 characters', FISH_SECRET_PREVIOUS: '' }

/** Errors that a command detects, or that only one endpoint returns. All of them have the same output format. */
const ERRORS: readonly [line: string, exit: number, code: string, situation?: Situation][] = [
  ['add Cod -r 1', 4, 'missing_credentials', NO_KEY],
  ['add Cod -r 1', 4, 'invalid_key', { env: { FISH_KEY: 'canary no key' } }],
  ['add Cod -r 1', 4, 'invalid_token', OTHER_KEY],
  ['add Cod -r 1', 4, 'unreadable_secret_file', { env: { FISH_KEY: '', FISH_KEY_FILE: '/no/such/file' } }],
  ['add Cod -r 1', 2, 'usage', { env: { FISH_USER: '' } }],
  ['add Cod', 2, 'usage'],
  ['add Cod -r 8', 2, 'usage'],
  ['add', 2, 'usage'],
  ['add Bronze Koi -r 1', 2, 'usage'],
  ['add --crab --rarity gold', 2, 'usage'],
  ['add --file {home}/none.csv', 5, 'file_not_readable'],
  ['list fish Nobody', 5, 'user_not_found'],
  ['list fish', 2, 'usage', { env: { FISH_USER: '' } }],
  ['list fish Alex', 2, 'usage', { env: { FISH_GAMEMODE: '' } }],
  ['list canaries Alex', 2, 'usage'],
  ['list --since canary', 2, 'usage'],
  ['list --csv --json', 2, 'usage'],
  ['stats Alex --admin admin', 2, 'usage'],
  ['stats Alex --all', 2, 'usage'],
  ['stats Alex --chart --species', 2, 'usage'],
  ['status --max-wait canary', 2, 'usage'],
  ['status --url canary', 2, 'usage'],
  ['status', 2, 'usage', { env: { FISH_URL: 'http://a:canary-pass@127.0.0.1:1' } }],
  ['watch {home}/none.log --once', 5, 'log_not_found'],
  ['watch {home}/latest.log --once', 4, 'missing_credentials', { given: ['log'], ...NO_KEY }],
  ['watch {home}/latest.log', 2, 'usage', { given: ['log'], env: { FISH_GAMEMODE: '' } }],
  ['watch {home}/old.log.gz', 2, 'usage'],
  ['watch {home}/one.log --dry-run', 2, 'usage'],
  ['remove --yes', 2, 'usage'],
  ['remove {record}', 2, 'usage'],
  ['remove canary --yes', 5, 'record_not_found'],
  ['remove --name x --yes', 5, 'record_not_found'],
  ['remove {record} --name x --yes', 2, 'usage'],
  ['remove --until canary --yes', 2, 'usage'],
  ['remove --name salmon', 2, 'usage'],
  ['remove {record} --yes', 4, 'invalid_credentials', BAD_PASSWORD],
  ['remove {record} --yes', 4, 'missing_credentials', NO_PASSWORD],
  ['move {record} --yes', 2, 'usage'],
  ['move {record} -g earth --yes', 2, 'usage'],
  ['move canary -g survival --yes', 5, 'record_not_found'],
  ['undo --yes', 5, 'nothing_to_undo'],
  ['undo --yes', 6, 'catches_under_way', { given: ['queued'] }],
  ['outbox --send', 4, 'missing_credentials', { given: ['queued'], ...NO_KEY }],
  ['outbox --send --retry', 2, 'usage'],
  ['outbox --drop --no-input', 2, 'usage', { given: ['rejected'] }],
  ['login Alex', 4, 'invalid_credentials', BAD_PASSWORD],
  ['login Alex', 4, 'missing_credentials', NO_PASSWORD],
  ['login Alex', 2, 'invalid_config', { given: ['broken config'] }],
  ['login Alex --with-api-key', 4, 'invalid_api_key', { env: { FISH_API_KEY: 'fck_canary-wrong' } }],
  ['login admin --admin', 4, 'invalid_credentials', BAD_PASSWORD],
  ['logout', 4, 'not_logged_in'],
  ['whoami', 4, 'not_logged_in', { env: { FISH_KEY: '', FISH_API_KEY: '', FISH_PASSWORD: '', FISH_USER: '' } }],
  ['whoami', 4, 'invalid_key', OTHER_KEY],
  ['whoami', 4, 'invalid_secrets', { given: ['login', 'broken secrets'] }],
  ['whoami', 4, 'secrets_not_private', { given: ['login', 'open secrets'] }],
  ['key', 4, 'missing_credentials', NO_PASSWORD],
  ['key Bob', 4, 'forbidden', { env: { FISH_ADMIN_USERNAME: 'Alex', FISH_ADMIN_PASSWORD: SECRETS.password } }],
  ['key --out {home}/catches.csv', 6, 'file_exists', { given: ['catches'] }],
  ['key --out {home}/none/key', 2, 'usage'],
  ['user create alex', 6, 'user_exists'],
  ['user create', 2, 'usage'],
  ['user show Nobody', 5, 'user_not_found'],
  ['user list --limit 0', 2, 'usage'],
  ['user reset Alex --yes', 2, 'usage'],
  ['user reset Alex --type password --no-input --show', 2, 'usage'],
  ['user reset Alex -t password --yes', 2, 'usage'],
  ['user delete Alex', 2, 'usage'],
  ['user delete Alex --yes', 4, 'forbidden', NOT_SUPERADMIN],
  ['user delete Nobody --dry-run', 4, 'forbidden', NOT_SUPERADMIN],
  ['admin list', 4, 'missing_credentials', { env: { FISH_ADMIN_PASSWORD: '' } }],
  ['admin create mia', 6, 'admin_exists'],
  ['admin create zoe', 4, 'missing_credentials', { env: { FISH_NEW_PASSWORD: '' } }],
  ['admin create zoe', 2, 'usage', { env: { FISH_NEW_PASSWORD: 'canary' } }],
  ['admin create zoe --role canary', 2, 'usage'],
  ['admin delete admin --yes', 6, 'last_superadmin'],
  ['admin delete nobody --yes', 5, 'admin_not_found'],
  ['admin reset-password admin --storage file:{home}/data', 5, 'no_store'],
  ['admin reset-password nobody --storage file:{home}/data', 5, 'no_admin', { given: ['store'] }],
  ['admin reset-password admin --storage memory:', 2, 'invalid_settings'],
  ['leaderboard whales', 2, 'usage'],
  ['audit --since canary', 2, 'usage'],
  ['config canary', 2, 'usage'],
  ['config', 2, 'invalid_config', { given: ['broken config'] }],
  ['config max-wait canary', 2, 'usage'],
  ['config --unset', 2, 'usage'],
  ['config gamemode earth --unset', 2, 'usage'],
  ['login Alex --url https://a:canary@fish.example', 2, 'usage'],
  ['login Alex --profile canary!', 2, 'usage'],
  ['profile none', 5, 'profile_not_found'],
  ['profile none --remove --yes', 5, 'profile_not_found'],
  ['profile --remove', 2, 'usage'],
  ['profile home --remove --no-input', 2, 'usage', { given: ['profile'] }],
  ['completion canary', 2, 'usage'],
  ['backup {home}/copy', 5, 'no_store'],
  ['backup {home}/work', 6, 'exists', { given: ['store'] }],
  ['backup {home}/copy', 2, 'invalid_settings', { env: { FISH_STORAGE: 'canary:' } }],
  ['backup {home}/copy', 2, 'invalid_settings', NO_STORAGE],
  ['restore {home}/none', 5, 'no_store'],
  ['restore {home}/copy', 6, 'exists', { given: ['backup', 'store'] }],
  ['copy file:{home}/none file:{home}/copy', 5, 'no_store'],
  ['copy file:{home}/data file:{home}/copy', 6, 'exists', { given: ['backup', 'store'] }],
  ['copy canary: file:{home}/copy', 2, 'invalid_settings'],
  ['copy redis://:canary@127.0.0.1 file:{home}/copy', 2, 'usage'],
  ['copy env:FISH_ADDRESS file:{home}/copy', 2, 'usage'],
  ['migrate {home}/users.json', 2, 'usage', { given: ['dump'] }],
  ['migrate {home}/none --yes', 5, 'no_store'],
  ['migrate {home}/users.json --yes', 2, 'invalid_settings', { given: ['dump'], ...NO_STORAGE }],
  ['copy file:{home}/data redis://127.0.0.1:1', 69, 'unavailable', { given: ['store'] }],
  ['rotate-secret', 4, 'wrong_secret', { given: ['store'], env: WRONG_SECRET }],
  ['serve --port 99999', 2, 'invalid_configuration', { env: { FISH_STORAGE: 'memory:' } }],
  ['serve --port {port}', 6, 'start_failed', { env: { FISH_STORAGE: 'memory:' } }],
  ['serve', 69, 'start_failed', NO_STORAGE],
  ['serve', 2, 'invalid_configuration', { env: { FISH_STORAGE: 'memory:', FISH_MASTER_API_KEY: 'canary' } }],
  ['mock --port 99999', 2, 'usage'],
  ['mock --port {port}', 6, 'start_failed'],
  ['mock --seed {home}/catches.csv', 2, 'invalid_seed', { given: ['catches'] }],
  ['conformance', 4, 'invalid_credentials', BAD_PASSWORD],
]

const stores = storeOnce()
let shared: Machine
beforeAll(async () => {
  shared = await openMachine(stores)
})
afterAll(async () => {
  await shared[Symbol.asyncDispose]()
  await stores[Symbol.asyncDispose]()
})

test.each(ERRORS)('%s exits with %i and the code %s', async (line, exit, code, { given, env } = {}) => {
  const own = given && (await openMachine(stores))
  await using _ = own
  const machine = own ?? shared
  await setUp(machine, given)
  const result = await runOn(machine, [...line.split(' '), '--json'], { env })
  expect(result.traces).toEqual([])
  expect(expectErrorDocument(result)).toMatchObject({ code, exit, hint: expect.stringMatching(/^\S/) })
})
