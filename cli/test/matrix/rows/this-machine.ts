import type { Row } from '../row.ts'

const SETTINGS = 'settings and profiles are on this machine'

/** Commands that look after this machine's own settings and profiles. */
export const THIS_MACHINE_ROWS: readonly Row[] = [
  {
    id: 'config:get',
    args: ['gamemode'],
    requests: [],
    silent: SETTINGS,
    bad: ['more'],
    fails: [
      { title: 'no such setting', args: ['canary'], exit: 2, code: 'usage' },
      { title: 'a broken configuration', given: ['broken config'], exit: 2, code: 'invalid_config' },
    ],
  },
  {
    id: 'config:list',
    requests: [],
    silent: SETTINGS,
    bad: ['--fields', 'canary'],
    fails: [{ title: 'a broken configuration', given: ['broken config'], exit: 2, code: 'invalid_config' }],
  },
  { id: 'config:path', requests: [], silent: SETTINGS, bad: ['more'] },
  {
    id: 'config:set',
    args: ['gamemode', 'earth'],
    requests: [],
    silent: SETTINGS,
    bad: ['more'],
    fails: [
      { title: 'a value that it cannot have', args: ['gamemode', 'canary'], exit: 2, code: 'usage' },
      { title: 'no value', args: ['gamemode'], exit: 2, code: 'usage' },
      { title: 'a broken configuration', given: ['broken config'], exit: 2, code: 'invalid_config' },
    ],
  },
  {
    id: 'config:unset',
    args: ['gamemode'],
    requests: [],
    silent: SETTINGS,
    bad: ['more'],
    fails: [
      { title: 'no such setting', args: ['canary'], exit: 2, code: 'usage' },
      { title: 'a broken configuration', given: ['broken config'], exit: 2, code: 'invalid_config' },
    ],
  },
  {
    id: 'profile:add',
    args: ['work', '--url', 'https://fish.example.org'],
    requests: [],
    silent: SETTINGS,
    bad: ['--gamemode', 'canary!'],
    fails: [
      {
        title: 'a name that is taken',
        args: ['home', '--url', '{url}'],
        given: ['profile'],
        exit: 6,
        code: 'profile_exists',
      },
      {
        title: 'a secret in the address',
        args: ['work', '--url', 'https://a:canary@fish.example'],
        exit: 2,
        code: 'usage',
      },
      { title: 'no address', args: ['work'], exit: 2, code: 'usage' },
      { title: 'a name that none can have', args: ['not a canary', '--url', '{url}'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'completion',
    args: ['bash'],
    requests: [],
    silent: 'the script is in the program',
    bad: ['more'],
    fails: [{ title: 'no such shell', args: ['canary'], exit: 2, code: 'usage' }],
  },
  { id: 'completion', args: ['zsh', '--install'], requests: [], silent: 'it writes on this machine' },
  { id: 'profile:list', given: ['login'], requests: [], silent: SETTINGS, bad: ['--fields', 'canary'] },
  {
    id: 'profile:remove',
    args: ['default', '--yes'],
    given: ['login'],
    requests: [],
    silent: SETTINGS,
    bad: ['more'],
    fails: [
      { title: 'a profile that is not there', args: ['none', '--yes'], exit: 5, code: 'profile_not_found' },
      { title: 'no yes', args: ['default', '--no-input'], exit: 2, code: 'usage' },
    ],
  },
  {
    id: 'profile:use',
    args: ['home'],
    given: ['profile'],
    requests: [],
    silent: SETTINGS,
    bad: ['more'],
    fails: [{ title: 'a profile that is not there', args: ['none'], exit: 5, code: 'profile_not_found' }],
  },
]
