import type { RouteName } from '@fish-crab/sdk/contract'
import type { Exception, Row } from '../row.ts'

const DATA = 'it works on the data itself'
const NOWHERE = { FISH_STORAGE: 'redis://:canary-redis-password@127.0.0.1:1' }

const FOUND: Exception = { exit: 1, why: 'what the service does otherwise is in the report' }
const NO_LOGIN: Exception = { exit: 1, code: 'unexpected_response', why: 'without a login there is nothing to report' }
const LEFT: Exception = { exit: 0, why: 'nothing failed; what could not be removed is reported' }
const REFUSED: Exception = { exit: 4, code: 'invalid_credentials', why: 'it says of both what a login says' }
const LOGIN = ['400', '404', '500', 'an answer of another shape', 'half an answer', 'a page instead of an answer']
const EVERY = [...LOGIN, '401', '403', '429', '503']
const expectEach = (routes: readonly RouteName[], outcomes: readonly string[], exception: Exception): Row['expects'] =>
  Object.fromEntries(routes.flatMap((route) => outcomes.map((outcome) => [`${route} ${outcome}`, exception])))

/** Commands of operators. */
export const OPERATOR_ROWS: readonly Row[] = [
  {
    id: 'backup',
    args: ['{home}/copy'],
    given: ['store'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no store', given: [], exit: 5, code: 'no_store' },
      { title: 'a folder that is there', args: ['{home}/work'], exit: 6, code: 'exists' },
      { title: 'a storage that is none', env: { FISH_STORAGE: 'canary:' }, exit: 2, code: 'invalid_settings' },
      { title: 'a storage that has its own backups', env: NOWHERE, exit: 2, code: 'invalid_settings' },
    ],
  },
  {
    id: 'restore',
    args: ['{home}/copy'],
    given: ['backup'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no backup', args: ['{home}/none'], exit: 5, code: 'no_store' },
      { title: 'a store that is there', given: ['backup', 'store'], exit: 6, code: 'exists' },
      { title: 'a folder that is no backup', args: ['{home}/work'], exit: 5, code: 'no_store' },
    ],
  },
  {
    id: 'restore',
    args: ['{home}/copy', '--dry-run'],
    given: ['backup'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no backup', args: ['{home}/none', '--dry-run'], exit: 5, code: 'no_store' },
      { title: 'a store that is there', given: ['backup', 'store'], exit: 6, code: 'exists' },
    ],
  },
  {
    id: 'export',
    args: ['--out', '{home}/out.jsonl'],
    given: ['store'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no store', given: [], exit: 5, code: 'no_store' },
      {
        title: 'a file that is there',
        args: ['--out', '{home}/catches.csv'],
        given: ['store', 'catches'],
        exit: 6,
        code: 'exists',
      },
      { title: 'no file named', args: [], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'import',
    args: ['{home}/fish.jsonl'],
    given: ['export'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no file', args: ['{home}/none.jsonl'], exit: 5, code: 'no_store' },
      {
        title: 'a file that is no export',
        args: ['{home}/catches.csv'],
        given: ['catches'],
        exit: 2,
        code: 'invalid_line',
      },
      { title: 'a store that is there', given: ['export', 'store'], exit: 6, code: 'exists' },
      { title: 'a storage out of reach', env: NOWHERE, exit: 69, code: 'unavailable' },
    ],
  },
  {
    id: 'import',
    args: ['{home}/fish.jsonl', '--dry-run'],
    given: ['export'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no file', args: ['{home}/none.jsonl', '--dry-run'], exit: 5, code: 'no_store' },
      { title: 'a store that is there', given: ['export', 'store'], exit: 6, code: 'exists' },
      { title: 'a storage out of reach', env: NOWHERE, exit: 69, code: 'unavailable' },
    ],
  },
  {
    id: 'migrate',
    args: ['{home}/users.json', '--yes'],
    given: ['dump'],
    requests: [],
    silent: DATA,
    bad: ['--rename', ''],
    fails: [
      { title: 'no dump', args: ['{home}/none', '--yes'], exit: 5, code: 'no_store' },
      { title: 'no yes', args: ['{home}/users.json'], exit: 2, code: 'usage' },
      { title: 'a storage out of reach', env: NOWHERE, exit: 69, code: 'unavailable' },
    ],
  },
  {
    id: 'rotate-secret',
    given: ['store'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no store', given: [], exit: 5, code: 'no_store' },
      {
        title: 'a wrong secret',
        env: { FISH_SECRET: 'canary wrong secret of 32 characters', FISH_SECRET_PREVIOUS: '' },
        exit: 4,
        code: 'wrong_secret',
      },
    ],
  },
  {
    id: 'rotate-secret',
    args: ['--dry-run'],
    given: ['store'],
    requests: [],
    silent: DATA,
    bad: ['more'],
    fails: [
      { title: 'no store', given: [], exit: 5, code: 'no_store' },
      {
        title: 'a wrong secret',
        env: { FISH_SECRET: 'canary wrong secret of 32 characters', FISH_SECRET_PREVIOUS: '' },
        exit: 4,
        code: 'wrong_secret',
      },
    ],
  },
  {
    id: 'admin:reset-password',
    args: ['admin'],
    given: ['store'],
    requests: [],
    silent: DATA,
    bad: ['--url', 'http://127.0.0.1:1'],
    fails: [
      { title: 'no store', given: [], exit: 5, code: 'no_store' },
      { title: 'an administrator who is not there', args: ['nobody'], exit: 5, code: 'no_admin' },
      { title: 'no new password', env: { FISH_NEW_ADMIN_PASSWORD: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'a password that is too short', env: { FISH_NEW_ADMIN_PASSWORD: 'canary' }, exit: 2, code: 'usage' },
      { title: 'a storage that is none', env: { FISH_STORAGE: 'canary:' }, exit: 2, code: 'invalid_settings' },
      { title: 'a storage in memory', env: { FISH_STORAGE: 'memory:' }, exit: 2, code: 'invalid_settings' },
      { title: 'a storage out of reach', env: NOWHERE, exit: 69, code: 'unavailable' },
    ],
  },
  {
    id: 'serve',
    args: ['--log', 'pretty'],
    env: { FISH_STORAGE: 'memory:' },
    requests: [],
    silent: 'it is the service',
    hasNoHint: 'the specification wants one line for each mistake',
    bad: ['more'],
    runsOn: true,
    fails: [
      { title: 'a port that is none', args: ['--port', '99999'], exit: 2, code: 'invalid_configuration' },
      { title: 'a port in use', args: ['--port', '{port}'], exit: 6, code: 'start_failed' },
      { title: 'a storage out of reach', env: NOWHERE, exit: 69, code: 'start_failed' },
      {
        title: 'a secret that is too short',
        env: { FISH_MASTER_API_KEY: 'canary' },
        exit: 2,
        code: 'invalid_configuration',
      },
    ],
  },
  {
    id: 'mock',
    args: ['--port', '0'],
    requests: [],
    silent: 'it is a service itself',
    bad: ['more'],
    runsOn: true,
    shows: {
      secrets: ['new'],
      onStderr: true,
      why: 'nothing in a mock is secret, and whoever starts it needs its keys',
    },
    fails: [
      { title: 'a port that is none', args: ['--port', '99999'], exit: 2, code: 'usage' },
      { title: 'a port in use', args: ['--port', '{port}'], exit: 6, code: 'start_failed' },
      {
        title: 'a seed that is none',
        args: ['--seed', '{home}/catches.csv'],
        given: ['catches'],
        exit: 2,
        code: 'invalid_seed',
      },
    ],
  },
  {
    id: 'conformance',
    args: ['--only', 'status-ok'],
    requests: ['adminLogin', 'adminMe', 'createUser', 'deleteUser', 'status'],
    bad: ['--only', 'none'],
    expects: {
      ...expectEach(['adminLogin', 'adminMe'], LOGIN, NO_LOGIN),
      ...expectEach(['adminLogin', 'adminMe'], ['403'], REFUSED),
      ...expectEach(['status', 'createUser'], EVERY, FOUND),
      ...expectEach(['deleteUser'], EVERY, LEFT),
    },
    fails: [
      { title: 'a wrong password', env: { FISH_ADMIN_PASSWORD: 'canary wrong' }, exit: 4, code: 'invalid_credentials' },
    ],
  },
  {
    id: 'conformance',
    args: ['--dry-run', '--only', 'status-ok'],
    requests: [],
    silent: 'it lists checks that it knows',
    bad: ['--only', 'none'],
  },
]
