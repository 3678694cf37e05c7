import type { Row } from '../row.ts'

const OTHER_KEY = { FISH_KEY: `${'A'.repeat(43)}=` }
const NO_FILE = { FISH_KEY: '', FISH_KEY_FILE: '/no/such/file' }
const HERE = 'it works on what is on this machine'

/** What the service rejects for good becomes a dead letter, and is reported; queued catches are sent later. */
const DEAD_LETTERS: Row['expects'] = {
  400: { exit: 7, why: 'a refused catch is set aside' },
  404: { exit: 7, why: 'catches of a player who is not there are set aside' },
}

/** Commands about catches. */
export const CATCH_ROWS: readonly Row[] = [
  {
    id: 'add',
    args: ['Salmon', 'Bronze Koi', '-r', '3'],
    requests: ['postFish'],
    bad: ['--crab'],
    fails: [
      { title: 'no key', args: ['Cod', '-r', '1'], env: { FISH_KEY: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'a key that is none', env: { FISH_KEY: 'canary no key' }, exit: 4, code: 'invalid_key' },
      { title: 'the key of somebody else', args: ['Cod', '-r', '1'], env: OTHER_KEY, exit: 4, code: 'invalid_token' },
      { title: 'a key file that is not there', env: NO_FILE, exit: 4, code: 'unreadable_secret_file' },
      { title: 'no rarity', args: ['Cod'], exit: 2, code: 'usage' },
      { title: 'a rarity that is none', args: ['Cod', '-r', '8'], exit: 2, code: 'usage' },
      { title: 'nothing to add', args: [], exit: 2, code: 'usage' },
      { title: 'two words that may be one name', args: ['Bronze', 'Koi', '-r', '1'], exit: 2, code: 'usage' },
      { title: 'no player', args: ['Cod', '-r', '1'], env: { FISH_USER: '' }, exit: 2, code: 'usage' },
      { title: 'a gamemode that is none', args: ['Cod', '-r', '1', '-g', 'canary'], exit: 2, code: 'usage' },
    ],
  },
  { id: 'add', args: ['--crab'], requests: ['postCrab'], bad: ['--rarity', 'gold'] },
  {
    id: 'add',
    args: ['--file', '{home}/catches.csv'],
    given: ['catches'],
    requests: ['postFish'],
    bad: ['Salmon'],
    expects: DEAD_LETTERS,
    fails: [{ title: 'no such file', args: ['--file', '{home}/none.csv'], exit: 5, code: 'file_not_readable' }],
  },
  {
    id: 'list',
    args: ['fish', 'Alex'],
    requests: ['getFish'],
    bad: ['--fields', 'canary'],
    fails: [
      { title: 'a player who is not there', args: ['Nobody'], exit: 5, code: 'user_not_found' },
      { title: 'a gamemode that is none', args: ['-g', 'canary'], exit: 2, code: 'usage' },
      { title: 'no gamemode', env: { FISH_GAMEMODE: '' }, exit: 2, code: 'usage' },
      { title: 'no player', args: ['fish'], env: { FISH_USER: '' }, exit: 2, code: 'usage' },
      { title: 'something that cannot be listed', args: ['canaries', 'Alex'], exit: 2, code: 'usage' },
      { title: 'a flag without its value', args: ['--url'], exit: 2, code: 'usage' },
    ],
  },
  { id: 'list', args: ['crabs', '--detail'], requests: ['getCrab'], bad: ['--since', 'canary'] },
  {
    id: 'stats',
    args: ['Alex'],
    requests: ['status', 'getFish', 'getCrab'],
    bad: ['--chart', '--species'],
  },
  {
    id: 'stats',
    args: ['Alex', '-g', 'earth'],
    requests: ['getFish', 'getCrab'],
    bad: ['more'],
    fails: [
      { title: 'no player', args: [], env: { FISH_USER: '' }, exit: 2, code: 'usage' },
      { title: 'an administrator', args: ['--admin', 'admin'], exit: 2, code: 'usage' },
      { title: 'a time that is none', args: ['--since', 'canary'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'status',
    requests: ['status'],
    bad: ['--max-wait', 'canary'],
    fails: [
      {
        title: 'a password in the address',
        env: { FISH_URL: 'http://a:canary-pass@127.0.0.1:1' },
        exit: 2,
        code: 'usage',
      },
      { title: 'an address that is none', args: ['--url', 'canary'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'watch',
    args: ['{home}/latest.log', '--once', '--from-start'],
    given: ['log'],
    requests: ['postFish'],
    bad: ['--gamemode', 'canary!'],
    prints: 'lines',
    expects: DEAD_LETTERS,
    fails: [
      { title: 'no log', args: [], exit: 5, code: 'log_not_found' },
      { title: 'no key', env: { FISH_KEY: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'no gamemode', env: { FISH_GAMEMODE: '' }, exit: 2, code: 'usage' },
      { title: 'a packed log without --once', args: ['{home}/old.log.gz'], exit: 2, code: 'usage' },
      { title: 'several logs without --once', args: ['{home}/one.log', '{home}/two.log'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'remove',
    args: ['{record}', '--yes'],
    requests: ['getFish', 'getCrab', 'deleteOwnFish'],
    bad: ['--gamemode', 'canary!'],
    fails: [
      { title: 'no id', args: ['--yes'], exit: 2, code: 'usage' },
      { title: 'no confirmation', args: ['{record}'], exit: 2, code: 'usage' },
      { title: 'a record that is not there', args: ['canary', '--yes'], exit: 5, code: 'record_not_found' },
      { title: 'a wrong password', env: { FISH_PASSWORD: 'canary wrong' }, exit: 4, code: 'invalid_credentials' },
      { title: 'no password', env: { FISH_PASSWORD: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'no gamemode', env: { FISH_GAMEMODE: '' }, exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'move',
    args: ['{record}', '--gamemode', 'survival', '--yes'],
    requests: ['getFish', 'getCrab', 'moveOwnFish'],
    bad: ['--from', 'canary!'],
    fails: [
      { title: 'no gamemode to move to', args: ['{record}', '--yes'], exit: 2, code: 'usage' },
      { title: 'the gamemode it is in', args: ['{record}', '-g', 'earth', '--yes'], exit: 2, code: 'usage' },
      { title: 'a wrong password', env: { FISH_PASSWORD: 'canary wrong' }, exit: 4, code: 'invalid_credentials' },
    ],
  },
  {
    id: 'undo',
    args: ['--yes'],
    given: ['added'],
    requests: ['getFish', 'getCrab', 'deleteOwnFish'],
    bad: ['more'],
    fails: [
      { title: 'nothing added', given: [], exit: 5, code: 'nothing_to_undo' },
      { title: 'a batch that is being sent', given: ['queued'], exit: 6, code: 'catches_under_way' },
      { title: 'a wrong password', env: { FISH_PASSWORD: 'canary wrong' }, exit: 4, code: 'invalid_credentials' },
    ],
  },
  {
    id: 'outbox:flush',
    given: ['queued'],
    requests: ['postFish'],
    bad: ['more'],
    expects: DEAD_LETTERS,
    fails: [
      { title: 'no key', env: { FISH_KEY: '' }, exit: 4, code: 'missing_credentials' },
      { title: 'a key that is none', env: { FISH_KEY: 'canary no key' }, exit: 4, code: 'invalid_key' },
    ],
  },
  { id: 'outbox:status', given: ['dead letters'], requests: [], silent: HERE, bad: ['--fields', 'canary'] },
  {
    id: 'outbox:retry',
    given: ['dead letters'],
    requests: [],
    silent: 'it queues, and flush sends',
    bad: ['canary'],
    fails: [{ title: 'a batch that is not there', args: ['99'], exit: 5, code: 'batch_not_found' }],
  },
  {
    id: 'outbox:cancel',
    args: ['--all', '--yes'],
    requests: [],
    silent: HERE,
    bad: ['--file', 'canary'],
    fails: [
      { title: 'neither --file nor --all', args: ['--yes'], exit: 2, code: 'usage' },
      { title: 'no such file', args: ['--file', '{home}/none.csv', '--yes'], exit: 5, code: 'file_not_readable' },
    ],
  },
  {
    id: 'outbox:cancel',
    args: ['--file', '{home}/catches.csv', '--yes'],
    given: ['catches'],
    requests: [],
    silent: HERE,
  },
  {
    id: 'outbox:drop',
    args: ['--yes'],
    given: ['dead letters'],
    requests: [],
    silent: HERE,
    bad: ['canary'],
    fails: [{ title: 'no yes', args: ['--no-input'], exit: 2, code: 'usage' }],
  },
]
