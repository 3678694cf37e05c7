import type { Env } from '../harness.ts'
import type { SecretName } from './canaries.ts'
import type { Setup } from './machine.ts'

/** A command line, the routes of its requests on success, and its exceptions. `runOn` replaces placeholders `{…}`. */
export type Row = [line: string, requests: string, exceptions?: Exceptions]

export interface Exceptions {
  readonly given?: readonly Setup[]
  readonly env?: Env
  /** Secrets that the command prints on request. */
  readonly shows?: readonly (SecretName | 'new')[]
  /** The command prints one document per line. An error is the last document. */
  readonly lines?: true
  /** The command reports failures of the service as findings, and exits with this status. */
  readonly findings?: number
  /** The command does not use the injected clock. */
  readonly ownClock?: true
  /** The command runs until it is stopped, and writes its log to stderr. */
  readonly runsOn?: true
}

const LOGGED_IN = {
  given: ['session'],
  env: { FISH_KEY: '', FISH_API_KEY: '', FISH_PASSWORD: '', FISH_ADMIN_PASSWORD: '' },
} as const
const NEW = { shows: ['new'] } as const
const KEY = { shows: ['fernetKey', 'new'] } as const
const RECORDS = 'listUserFish listUserCrab'

/** At least one row for each command, and further rows for its other actions and for each way to print a secret. */
export const ROWS: readonly Row[] = [
  ['app', '', { runsOn: true }],
  ['demo', ''],
  ['login Alex --with-api-key', 'getUserKey postFish'],
  ['login admin --admin', 'adminLogin'],
  ['add Salmon -r 3', 'postFish'],
  ['add --crab', 'postCrab'],
  ['add --file {home}/catches.csv', 'postFish', { given: ['catches'] }],
  ['list fish Alex', 'getFish'],
  ['list crabs --detail', 'getCrab'],
  ['list fish Alex --missing --json', 'getFish getSpecies'],
  ['remove {record} --yes', 'getFish getCrab deleteOwnFish'],
  ['move {record} --gamemode survival --yes', 'getFish getCrab moveOwnFish'],
  ['remove --user Alex --name salmon --yes', `adminLogin ${RECORDS} deleteUserFish`],
  ['remove --name salmon --dry-run', 'getFish getCrab'],
  ['move {record} --user Alex -g survival --yes', `adminLogin ${RECORDS} moveUserFish`],
  ['undo --yes', 'getFish getCrab deleteOwnFish', { given: ['added'] }],
  ['open Alex --print --url https://fish.example', ''],
  ['watch {home}/latest.log --once', 'postFish', { given: ['log'] }],
  ['stats Alex', 'getProfile'],
  ['stats --all', 'adminLogin stats'],
  ['status', 'status'],
  ['outbox', '', { given: ['rejected'] }],
  ['outbox --send', 'postFish', { given: ['queued'] }],
  ['outbox --retry', 'postFish', { given: ['rejected'] }],
  ['outbox --drop --yes', '', { given: ['rejected'] }],
  ['outbox --cancel --yes', ''],
  ['whoami', 'postFish'],
  ['whoami', 'adminMe', LOGGED_IN],
  ['doctor', 'status postFish', { findings: 1 }],
  ['doctor --offline', '', { given: ['login'] }],
  ['profile', '', { given: ['login'] }],
  ['profile home', '', { given: ['profile'] }],
  ['profile default --remove --yes', '', { given: ['login'] }],
  ['config', ''],
  ['config gamemode', ''],
  ['config gamemode earth', ''],
  ['config gamemode --unset', ''],
  ['key', 'getUserKey'],
  ['key Alex', 'getUserKey'],
  ['key --out {home}/secret-file', 'getUserKey'],
  ['key --show', 'getUserKey', KEY],
  ['key --out -', 'getUserKey', KEY],
  ['password', 'changeOwnPassword'],
  ['password --admin mia', 'adminLogin changeAdminPassword'],
  ['account rename Alexa', 'renameOwn'],
  ['account visibility private', 'updateOwn'],
  ['account delete --yes', 'deleteOwn'],
  ['logout', '', { given: ['login'] }],
  ['completion bash', ''],
  ['completion zsh --install', ''],
  ['licences', ''],
  ['user create Bella', 'adminLogin createUser', NEW],
  ['user create Bella --login-file {home}/secret-file', 'adminLogin adminMe createUser'],
  [
    'user create --file {home}/players.csv --login-files {home}/logins',
    'adminLogin adminMe createUsers listUsers',
    { given: ['players'] },
  ],
  ['user delete Alex --yes', 'adminLogin deleteUser'],
  ['user delete Alex --dry-run', `adminLogin adminMe showUser ${RECORDS}`],
  ['user list', 'adminLogin listUsers'],
  ['user list --search al', 'listUsers', LOGGED_IN],
  ['user reset Alex --type api-key --yes --show', 'adminLogin resetUser', NEW],
  ['user reset Alex --type password --yes --out {home}/secret-file', 'adminLogin resetUser'],
  ['user suspend Alex --hide', 'adminLogin suspendUser'],
  ['user unsuspend Alex', 'adminLogin unsuspendUser'],
  ['user rename Alex Alexa', 'adminLogin renameUser'],
  ['user login-link Alex', 'adminLogin createLoginLink'],
  ['invitation create --uses 3', 'adminLogin createInvitation'],
  ['invitation list', 'adminLogin listInvitations', { given: ['invitation'] }],
  ['invitation end {invitation}', 'adminLogin deleteInvitation', { given: ['invitation'] }],
  ['export', 'adminLogin exportCatches', { lines: true }],
  ['export --out {home}/catches.csv', 'adminLogin exportCatches'],
  ['user show Alex', 'adminLogin showUser'],
  ['admin create zoe', 'adminLogin createAdmin'],
  ['admin delete mia --yes', 'adminLogin deleteAdmin'],
  ['admin list', 'adminLogin listAdmins'],
  ['admin reset-password mia --yes --show', 'adminLogin resetAdmin', NEW],
  ['admin reset-password mia --yes --out {home}/secret-file', 'adminLogin resetAdmin'],
  ['admin reset-password admin --storage file:{home}/data', '', { given: ['store'] }],
  ['leaderboard', 'adminLogin leaderboard'],
  ['audit', 'adminLogin audit'],
  ['serve --log pretty', '', { env: { FISH_STORAGE: 'memory:' }, runsOn: true }],
  ['backup {home}/copy', '', { given: ['store'] }],
  ['restore {home}/copy', '', { given: ['backup'] }],
  ['copy file:{home}/data file:{home}/copy', '', { given: ['store'] }],
  ['migrate {home}/users.json --yes', '', { given: ['dump'] }],
  ['rotate-secret', '', { given: ['store'] }],
  ['mock --port 0', '', { runsOn: true }],
  ['conformance --only status-ok', 'adminLogin adminMe createUser deleteUser status', { ownClock: true }],
  ['conformance --dry-run --only status-ok', ''],
]
