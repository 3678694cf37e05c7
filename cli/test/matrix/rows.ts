import type { Env } from '../harness.ts'
import type { SecretName } from './canaries.ts'
import type { Setup } from './machine.ts'

/** A command line, the routes that it requests if all is well, and its exceptions. `runOn` fills in `{…}`. */
export type Row = [line: string, requests: string, exceptions?: Exceptions]

export interface Exceptions {
  readonly given?: readonly Setup[]
  readonly env?: Env
  /** Secrets that the command prints on request. */
  readonly shows?: readonly (SecretName | 'new')[]
  /** It prints one document per line, and an error is the last one. */
  readonly lines?: true
  /** It reports failures of the service as findings, with this exit status. */
  readonly findings?: number
  /** It runs until it is stopped. Its log goes to stderr. */
  readonly runsOn?: true
}

const LOGGED_IN = {
  given: ['session'],
  env: { FISH_KEY: '', FISH_API_KEY: '', FISH_PASSWORD: '', FISH_ADMIN_PASSWORD: '' },
} as const
const NEW = { shows: ['new'] } as const
const KEY = { shows: ['fernetKey', 'new'] } as const
const RECORDS = 'listUserFish listUserCrab'

/** At least one row for each command; more for each way to act or to print a secret. */
export const ROWS: readonly Row[] = [
  ['demo', ''],
  ['demo --url {url}', 'demoFish demoCrab'],
  ['login Alex --with-api-key', 'getUserKey postFish'],
  ['login admin --admin', 'adminLogin'],
  ['add Salmon -r 3', 'postFish'],
  ['add --crab', 'postCrab'],
  ['add --file {home}/catches.csv', 'postFish', { given: ['catches'] }],
  ['list fish Alex', 'getFish'],
  ['list crabs --detail', 'getCrab'],
  ['remove {record} --yes', 'getFish getCrab deleteOwnFish'],
  ['move {record} --gamemode survival --yes', 'getFish getCrab moveOwnFish'],
  ['undo --yes', 'getFish getCrab deleteOwnFish', { given: ['added'] }],
  ['open Alex --print --url https://fish.example', ''],
  ['watch {home}/latest.log --once --from-start', 'postFish', { given: ['log'], lines: true }],
  ['stats Alex', 'status getFish getCrab'],
  ['stats Alex -g earth', 'getFish getCrab'],
  ['status', 'status'],
  ['outbox cancel --file {home}/catches.csv --yes', '', { given: ['catches'] }],
  ['outbox drop --yes', '', { given: ['dead letters'] }],
  ['outbox flush', 'postFish', { given: ['queued'] }],
  ['outbox retry', '', { given: ['dead letters'] }],
  ['outbox status', '', { given: ['dead letters'] }],
  ['whoami', 'postFish'],
  ['whoami', 'adminMe', LOGGED_IN],
  ['doctor', 'status postFish', { findings: 1 }],
  ['doctor --offline', '', { given: ['login'] }],
  ['profile add work --url https://fish.example.org', ''],
  ['profile list', '', { given: ['login'] }],
  ['profile remove default --yes', '', { given: ['login'] }],
  ['profile use home', '', { given: ['profile'] }],
  ['config get gamemode', ''],
  ['config list', ''],
  ['config path', ''],
  ['config set gamemode earth', ''],
  ['config unset gamemode', ''],
  ['key', 'getUserKey'],
  ['key get Alex', 'getUserKey'],
  ['key get --out {home}/secret-file', 'getUserKey'],
  ['key get --show', 'getUserKey', KEY],
  ['key get --out -', 'getUserKey', KEY],
  ['logout', '', { given: ['login'] }],
  ['completion bash', ''],
  ['completion zsh --install', ''],
  ['user create Bella', 'adminLogin createUser', NEW],
  ['user create Bella --out {home}/secret-file', 'adminLogin createUser'],
  ['user delete Alex --yes', 'adminLogin deleteUser'],
  ['user delete Alex --dry-run', `adminLogin adminMe showUser status ${RECORDS}`],
  ['user list', 'adminLogin listUsers'],
  ['user list --search al', 'listUsers', LOGGED_IN],
  ['user move-catch Alex --name salmon --gamemode survival --yes', `adminLogin ${RECORDS} moveUserFish`],
  ['user move-catch Alex {record} -g survival --dry-run', `adminLogin ${RECORDS}`],
  ['user remove-catch Alex {record} --yes', `adminLogin ${RECORDS} deleteUserFish`],
  ['user remove-catch Alex --name salmon --dry-run', `adminLogin ${RECORDS}`],
  ['user reset Alex --type fernet --yes', 'adminLogin resetUser', { given: ['login'] }],
  ['user reset Alex --type api-key --yes --show', 'adminLogin resetUser', NEW],
  ['user reset Alex --type password --yes --out {home}/secret-file', 'adminLogin resetUser'],
  ['user reset Alex --type fernet --show --dry-run', 'adminLogin showUser'],
  ['user show Alex', 'adminLogin showUser'],
  ['admin create zoe', 'adminLogin createAdmin'],
  ['admin delete mia --yes', 'adminLogin deleteAdmin'],
  ['admin list', 'adminLogin listAdmins'],
  ['admin reset-password admin', '', { given: ['store'] }],
  ['admin stats', 'adminLogin stats'],
  ['leaderboard', 'adminLogin leaderboard'],
  ['audit', 'adminLogin audit'],
  ['key rotate Alex --yes', 'adminLogin resetUser', { given: ['login'] }],
  ['key rotate Alex --yes --show', 'adminLogin resetUser', NEW],
  ['serve --log pretty', '', { env: { FISH_STORAGE: 'memory:' }, runsOn: true }],
  ['backup {home}/copy', '', { given: ['store'] }],
  ['restore {home}/copy', '', { given: ['backup'] }],
  ['copy file:{home}/data file:{home}/copy', '', { given: ['store'] }],
  ['migrate {home}/users.json --yes', '', { given: ['dump'] }],
  ['rotate-secret', '', { given: ['store'] }],
  ['mock --port 0', '', { runsOn: true }],
  ['conformance --only status-ok', 'adminLogin adminMe createUser deleteUser status'],
  ['conformance --dry-run --only status-ok', ''],
]
