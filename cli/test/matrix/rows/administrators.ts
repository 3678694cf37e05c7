import type { Row } from '../row.ts'

const REMAKES = 'the new secret is shown this once, as --show asks'

/** Commands of administrators. */
export const ADMINISTRATOR_ROWS: readonly Row[] = [
  {
    id: 'user:create',
    args: ['Bella'],
    requests: ['adminLogin', 'createUser'],
    bad: ['more'],
    shows: { secrets: ['new'], why: 'the secrets of a new player are shown this once, and kept nowhere else' },
    fails: [
      { title: 'a name that is taken', args: ['alex'], exit: 6, code: 'user_exists' },
      { title: 'a name that none can have', args: ['Not a name'], exit: 2, code: 'usage' },
      { title: 'no name', args: [], exit: 2, code: 'usage' },
    ],
  },
  { id: 'user:create', args: ['Bella', '--out', '{home}/secret-file'], requests: ['adminLogin', 'createUser'] },
  { id: 'user:list', requests: ['adminLogin', 'listUsers'], bad: ['--limit', '0'] },
  {
    id: 'user:list',
    args: ['--search', 'al'],
    given: ['session'],
    env: { FISH_ADMIN_PASSWORD: '' },
    requests: ['listUsers'],
  },
  {
    id: 'user:show',
    args: ['Alex'],
    requests: ['adminLogin', 'showUser'],
    bad: ['--fields', 'password'],
    fails: [{ title: 'a player who is not there', args: ['Nobody'], exit: 5, code: 'user_not_found' }],
  },
  {
    id: 'user:reset',
    args: ['Alex', '--type', 'fernet', '--yes'],
    given: ['login'],
    requests: ['adminLogin', 'resetUser'],
    bad: ['--fields', 'canary'],
    fails: [
      { title: 'no type', args: ['Alex', '--yes'], exit: 2, code: 'usage' },
      { title: 'no yes', args: ['Alex', '--type', 'password', '--no-input', '--show'], exit: 2, code: 'usage' },
      { title: 'a secret that nobody would know', args: ['Alex', '-t', 'password', '--yes'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'user:reset',
    args: ['Alex', '--type', 'api-key', '--yes', '--show'],
    requests: ['adminLogin', 'resetUser'],
    shows: { secrets: ['new'], why: REMAKES },
  },
  {
    id: 'user:reset',
    args: ['Alex', '--type', 'password', '--yes', '--out', '{home}/secret-file'],
    requests: ['adminLogin', 'resetUser'],
  },
  { id: 'user:reset', args: ['Alex', '--type', 'fernet', '--show', '--dry-run'], requests: ['adminLogin', 'showUser'] },
  {
    id: 'user:remove-catch',
    args: ['Alex', '{record}', '--yes'],
    requests: ['adminLogin', 'listUserFish', 'listUserCrab', 'deleteUserFish'],
    bad: ['--since', '1h'],
    fails: [
      { title: 'a record that is not there', args: ['Alex', 'canary', '--yes'], exit: 5, code: 'record_not_found' },
      { title: 'no record that matches', args: ['Alex', '--name', 'x', '--yes'], exit: 5, code: 'record_not_found' },
      { title: 'a time that is none', args: ['Alex', '--until', 'canary', '--yes'], exit: 2, code: 'usage' },
      { title: 'neither an id nor a range', args: ['Alex', '--yes'], exit: 2, code: 'usage' },
      { title: 'no confirmation', args: ['Alex', '--name', 'salmon'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'user:remove-catch',
    args: ['Alex', '--name', 'salmon', '--dry-run'],
    requests: ['adminLogin', 'listUserFish', 'listUserCrab'],
  },
  {
    id: 'user:move-catch',
    args: ['Alex', '--name', 'salmon', '--gamemode', 'survival', '--yes'],
    requests: ['adminLogin', 'listUserFish', 'listUserCrab', 'moveUserFish'],
    bad: ['--from', 'survival'],
    fails: [
      { title: 'no gamemode to move to', args: ['Alex', '{record}', '--yes'], exit: 2, code: 'usage' },
      {
        title: 'a record that is not there',
        args: ['Alex', 'canary', '-g', 'survival', '--yes'],
        exit: 5,
        code: 'record_not_found',
      },
    ],
  },
  {
    id: 'user:move-catch',
    args: ['Alex', '{record}', '-g', 'survival', '--dry-run'],
    requests: ['adminLogin', 'listUserFish', 'listUserCrab'],
  },
  {
    id: 'user:delete',
    args: ['Alex', '--yes'],
    requests: ['adminLogin', 'deleteUser'],
    bad: ['--output', 'csv'],
    fails: [
      { title: 'too few rights', env: { FISH_ADMIN_USERNAME: 'mia' }, exit: 4, code: 'forbidden' },
      { title: 'no yes', args: ['Alex'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'user:delete',
    args: ['Alex', '--dry-run'],
    requests: ['adminLogin', 'adminMe', 'showUser', 'status', 'listUserFish', 'listUserCrab'],
    bad: ['more'],
    fails: [
      {
        title: 'too few rights',
        args: ['Nobody', '--dry-run'],
        env: { FISH_ADMIN_USERNAME: 'mia' },
        exit: 4,
        code: 'forbidden',
      },
    ],
  },
  {
    id: 'admin:list',
    requests: ['adminLogin', 'listAdmins'],
    bad: ['--fields', 'password'],
    fails: [
      { title: 'too few rights', env: { FISH_ADMIN_USERNAME: 'mia' }, exit: 4, code: 'forbidden' },
      { title: 'no password', env: { FISH_ADMIN_PASSWORD: '' }, exit: 4, code: 'missing_credentials' },
    ],
  },
  {
    id: 'admin:create',
    args: ['zoe'],
    requests: ['adminLogin', 'createAdmin'],
    bad: ['--role', 'canary'],
    fails: [
      { title: 'a name that is taken', args: ['mia'], exit: 6, code: 'admin_exists' },
      { title: 'no new password', env: { FISH_NEW_ADMIN_PASSWORD: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'a password that is too short', env: { FISH_NEW_ADMIN_PASSWORD: 'canary' }, exit: 2, code: 'usage' },
      { title: 'a name that none can have', args: ['Not a name'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'admin:delete',
    args: ['mia', '--yes'],
    requests: ['adminLogin', 'deleteAdmin'],
    bad: ['more'],
    fails: [
      { title: 'the last superadmin', args: ['admin', '--yes'], exit: 6, code: 'last_superadmin' },
      { title: 'an administrator who is not there', args: ['nobody', '--yes'], exit: 5, code: 'admin_not_found' },
    ],
  },
  { id: 'admin:stats', requests: ['adminLogin', 'stats'], bad: ['--gamemode', 'earth'] },
  { id: 'leaderboard', requests: ['adminLogin', 'leaderboard'], bad: ['whales'] },
  { id: 'audit', requests: ['adminLogin', 'audit'], bad: ['--since', 'canary'] },
  {
    id: 'key:rotate',
    args: ['Alex', '--yes'],
    given: ['login'],
    requests: ['adminLogin', 'resetUser'],
    bad: ['--fields', 'canary'],
    fails: [{ title: 'no yes', args: ['Alex', '--no-input'], exit: 2, code: 'usage' }],
  },
  {
    id: 'key:rotate',
    args: ['Alex', '--yes', '--show'],
    requests: ['adminLogin', 'resetUser'],
    shows: { secrets: ['new'], why: REMAKES },
  },
]
