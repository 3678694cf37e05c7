import { listChecks, SECTIONS } from '@fish-crab/mocks/conformance'
import { GAMEMODES, RARITIES } from '@fish-crab/sdk/constants'
import { SORT_FIELDS } from '../catches/catch-query.ts'
import { SETTINGS } from '../config/settings.ts'
import type { Candidate, Values } from './completion-data.ts'
import { SHELLS } from './shells.ts'

/** What help says of a value: what stands for it there, and what it is about. */
export interface Described {
  /** The id of its command. */
  readonly id: string
  /** The name of the flag or argument. */
  readonly name: string
  /** What stands for the value in help, such as `GAMEMODE`. */
  readonly shown?: string | undefined
  readonly text?: string | undefined
  readonly options?: readonly string[] | undefined
  /** What `--fields` of the command can name. */
  readonly fields?: readonly string[] | undefined
}

const GAMEMODE: Values = { words: GAMEMODES.map((value) => ({ value })) }
const FILE: Values = { paths: 'files' }
const USER: Values = { own: 'users' }
const PROFILE: Values = { own: 'profiles' }
const SETTING: Values = {
  words: Object.entries(SETTINGS).map(([value, { summary }]) => ({ value, description: summary })),
}

type Rule = Values | ((described: Described) => Values)

/** By what stands for a value in help. */
const BY_SHOWN: Readonly<Record<string, Rule>> = {
  'A,B': ({ fields = [] }) => ({ words: fields.map((value) => ({ value })), list: true }),
  FIELD: { words: SORT_FIELDS.flatMap((value) => [{ value }, { value: `-${value}`, description: 'backwards' }]) },
  FILE,
  GAMEMODE,
  RARITY: { words: RARITIES.map(({ value, label }) => ({ value: label.toLowerCase(), description: String(value) })) },
  USER,
}

/** By flag or argument, of one command where an id stands before it. */
const BY_NAME: Readonly<Record<string, Rule>> = {
  profile: PROFILE,
  user: USER,
  file: FILE,
  'watch log': FILE,
  'backup folder': { paths: 'folders' },
  'completion shell': { words: SHELLS.map((value) => ({ value })) },
  'config:get key': SETTING,
  'config:set key': SETTING,
  'config:set value': { byPrevious: settingValues() },
  'config:unset key': SETTING,
  'conformance only': checks,
  'conformance skip': checks,
  'profile:remove name': PROFILE,
  'profile:use name': PROFILE,
  'restore backup': { paths: 'folders' },
  'user:delete name': USER,
  'user:reset name': USER,
  'user:show name': USER,
  'list kind': (described) => ({ words: listed(described), own: 'users' }),
}

/** What a value can be: its options, else what a rule knows, else what its help lists. */
export function valuesOf(described: Described): Values {
  const { id, name, shown = '', options } = described
  if (options) return { words: options.map((value) => ({ value })) }
  const rule = BY_NAME[`${id} ${name}`] ?? BY_SHOWN[shown] ?? BY_NAME[name]
  if (rule) return typeof rule === 'function' ? rule(described) : rule
  const words = listed(described)
  return words.length > 0 ? { words } : {}
}

/** What rules are about: ids and names, for a test that none outlives what it is about. */
export const RULED_NAMES: readonly string[] = Object.keys(BY_NAME)

/** What rules are about: words that stand for values. */
export const RULED_WORDS: readonly string[] = Object.keys(BY_SHOWN)

// Such as "Print as table, json." and "fish or crabs; fish when left out": help is written from the lists themselves.
const LISTS: readonly RegExp[] = [
  /(?::| as| by) ([a-z][\w-]*(?:, [a-z][\w-]*)+)(?=[.;]| \(|$)/,
  /^([a-z]+ or [a-z]+)(?=;|$)/,
]

function listed({ text = '' }: Described): readonly Candidate[] {
  const found = LISTS.map((pattern) => pattern.exec(text)?.[1]).find((list) => list !== undefined)
  return found?.split(/, | or /).map((value) => ({ value })) ?? []
}

function settingValues(): Readonly<Record<string, readonly Candidate[]>> {
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { rule, accepts }]) => {
      const words = /^one of (.*)$/.exec(rule)?.[1]?.split(', ') ?? []
      return [key, words.filter(accepts).map((value) => ({ value }))]
    }),
  )
}

function checks(): Values {
  const sections = Object.entries(SECTIONS).map(([value, description]) => ({ value, description }))
  return { words: [...sections, ...listChecks().map(({ id, title }) => ({ value: id, description: title }))] }
}
