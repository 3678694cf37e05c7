import { SECRETS } from '../canaries.ts'
import type { Exception, Row } from '../row.ts'

const OTHER_KEY = { FISH_KEY: `${'A'.repeat(43)}=` }
const NO_KEY = { FISH_KEY: '', FISH_API_KEY: '', FISH_PASSWORD: '' }
const AS_PLAYER = { FISH_ADMIN_USERNAME: 'Alex', FISH_ADMIN_PASSWORD: SECRETS.password }
const HERE = 'it works on what is on this machine'

/** A service that opens the token and refuses what is in it has shown that the key is the right one. */
const KEY_PROVED: Exception = { exit: 0, why: 'the token was opened, so the key is right' }

const REPORT: Exception = { exit: 1, why: 'what fails is a finding' }
const FINDINGS: Row['expects'] = {
  401: REPORT,
  403: REPORT,
  404: REPORT,
  429: REPORT,
  500: REPORT,
  503: REPORT,
  'no server': REPORT,
  'an answer of another shape': REPORT,
  'half an answer': REPORT,
  'a page instead of an answer': REPORT,
}

/** Commands about who one is, keys, and whether all is well. */
export const IDENTITY_ROWS: readonly Row[] = [
  {
    id: 'login',
    args: ['Alex', '--with-api-key'],
    requests: ['getUserKey', 'postFish'],
    bad: ['--admin'],
    expects: { 'postFish 400': KEY_PROVED },
    fails: [
      { title: 'a wrong password', env: { FISH_PASSWORD: 'canary wrong' }, exit: 4, code: 'invalid_credentials' },
      { title: 'a wrong API key', env: { FISH_API_KEY: 'fck_canary-wrong' }, exit: 4, code: 'invalid_api_key' },
      { title: 'no password', env: { FISH_PASSWORD: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'a broken configuration', given: ['broken config'], exit: 2, code: 'invalid_config' },
    ],
  },
  {
    id: 'login',
    args: ['admin', '--admin'],
    requests: ['adminLogin'],
    bad: ['more'],
    fails: [
      { title: 'a wrong password', env: { FISH_ADMIN_PASSWORD: 'canary wrong' }, exit: 4, code: 'invalid_credentials' },
    ],
  },
  {
    id: 'logout',
    given: ['login'],
    requests: [],
    silent: HERE,
    bad: ['more'],
    fails: [{ title: 'nobody logged in', given: [], exit: 4, code: 'not_logged_in' }],
  },
  {
    id: 'whoami',
    requests: ['postFish'],
    bad: ['--fields', 'fernetKey'],
    expects: { 400: KEY_PROVED },
    fails: [
      { title: 'nobody logged in', env: { ...NO_KEY, FISH_USER: '' }, exit: 4, code: 'not_logged_in' },
      { title: 'the key of somebody else', env: OTHER_KEY, exit: 4, code: 'invalid_key' },
      { title: 'a key that is none', env: { FISH_KEY: 'canary no key' }, exit: 4, code: 'invalid_key' },
      { title: 'a broken store of secrets', given: ['login', 'broken secrets'], exit: 4, code: 'invalid_secrets' },
      { title: 'a store that others can read', given: ['login', 'open secrets'], exit: 4, code: 'secrets_not_private' },
    ],
  },
  {
    id: 'whoami',
    given: ['session'],
    env: NO_KEY,
    requests: ['adminMe'],
  },
  { id: 'key', requests: ['getUserKey'], bad: ['--fields', 'canary'] },
  {
    id: 'key:get',
    args: ['Alex'],
    requests: ['getUserKey'],
    bad: ['Bob'],
    fails: [
      { title: 'no password', args: [], env: { FISH_PASSWORD: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'a wrong password', env: { FISH_ADMIN_USERNAME: 'Bob' }, exit: 4, code: 'invalid_credentials' },
      { title: "another's key as a player", args: ['Bob'], env: AS_PLAYER, exit: 4, code: 'forbidden' },
      {
        title: 'a file that is there',
        args: ['--out', '{home}/catches.csv'],
        given: ['catches'],
        exit: 6,
        code: 'file_exists',
      },
      { title: 'no such folder', args: ['--out', '{home}/none/key'], exit: 2, code: 'usage' },
    ],
  },
  { id: 'key:get', args: ['--out', '{home}/secret-file'], requests: ['getUserKey'] },
  {
    id: 'key:get',
    args: ['--show'],
    requests: ['getUserKey'],
    shows: { secrets: ['fernetKey', 'new'], why: '--show asks for the whole key' },
  },
  {
    id: 'key:get',
    args: ['--out', '-'],
    requests: ['getUserKey'],
    shows: { secrets: ['fernetKey', 'new'], why: '--out - asks for the key on stdout' },
  },
  {
    id: 'doctor',
    requests: ['status', 'postFish'],
    bad: ['--fields', 'canary'],
    expects: { ...FINDINGS, 'status 400': REPORT, 'postFish 400': KEY_PROVED },
  },
  { id: 'doctor', args: ['--offline'], given: ['login'], requests: [], silent: '--offline sends no request' },
  {
    id: 'open',
    args: ['Alex', '--print', '--url', 'https://fish.example'],
    requests: [],
    silent: 'the browser requests the page',
  },
  { id: 'demo', requests: [], silent: 'the samples are in the program', bad: ['--fields', 'canary'] },
  { id: 'demo', args: ['--url', '{url}'], requests: ['demoFish', 'demoCrab'], bad: ['--fields', 'canary'] },
]
