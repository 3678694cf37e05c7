import type { Answer, Candidate, CommandData, CompletionData, FlagData, OwnNames, Values } from './completion-data.ts'

const ANYWHERE: readonly FlagData[] = [{ name: 'help', summary: 'Show help.' }]
const FIRST: readonly FlagData[] = [...ANYWHERE, { name: 'version', summary: 'Show the version.' }]
const FIRST_WORDS: readonly Candidate[] = [
  { value: 'help', description: 'Show help of a command.' },
  { value: 'version', description: 'Show the version.' },
]
const NOTHING: Answer = { candidates: [], skip: 0 }

/**
 * Says what can stand where the cursor is.
 *
 * @param words What was typed behind the name of the program; the last one, empty or not, is to be completed.
 * @param own Called only where names of the user can stand.
 * @example complete(['list', '--gam'], data, own).candidates // holds { value: '--gamemode', … }
 */
export function complete(words: readonly string[], data: CompletionData, own: () => OwnNames): Answer {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const [first = ''] = before
  if (before.length === 0) {
    return answer(current.startsWith('-') ? flagsOf(FIRST) : [...wordsAfter([], data), ...FIRST_WORDS])
  }
  if (first === 'help') return answer(wordsAfter(before.slice(1), data, data.pages))
  const ids = [2, 1].flatMap((count) => (before.length >= count ? [before.slice(0, count).join(':')] : []))
  const id = ids.find((each) => Object.hasOwn(data.commands, each))
  const command = id === undefined ? undefined : data.commands[id]
  const second = before.length === 1 && !current.startsWith('-') ? wordsAfter(before, data) : []
  if (!command) return answer(current.startsWith('-') && Object.hasOwn(data.topics, first) ? flagsOf(ANYWHERE) : second)
  const { candidates, ...rest } = completeIn(command, before.slice(id?.split(':').length), current, own)
  // Flags are only offered where nothing else can stand.
  const others = second.length > 0 ? candidates.filter(({ value }) => !value.startsWith('-')) : candidates
  return { ...rest, candidates: [...second, ...others] }
}

/** The words that continue others on the way to a command. */
function wordsAfter(
  words: readonly string[],
  { commands, topics }: CompletionData,
  more: readonly Candidate[] = [],
): readonly Candidate[] {
  const found = Object.entries(commands).map(([id, { summary }]) => ({ path: id.split(':'), description: summary }))
  const beginnings = Object.entries(topics).map(([word, description]) => ({ path: [word], description }))
  const next = [...found, ...beginnings].filter(
    ({ path }) => path.length === words.length + 1 && words.every((word, index) => word === path[index]),
  )
  // A word that is a command and a topic is described as the command.
  const unique = new Map(next.toReversed().map(({ path, description }) => [path.at(-1) ?? '', description]))
  const sorted = [...unique].sort(([one], [other]) => (one < other ? -1 : 1))
  return [...sorted.map(([value, description]) => ({ value, description })), ...(words.length === 0 ? more : [])]
}

function completeIn(
  { flags, args }: CommandData,
  before: readonly string[],
  current: string,
  own: () => OwnNames,
): Answer {
  const typed = readTyped(flags, before)
  if (typed.open?.values) return completeValue(typed.open.values, '', current, own)
  const [, flag = '', value] = typed.ended ? [] : (/^--([^=]+)=(.*)$/s.exec(current) ?? [])
  if (value !== undefined) {
    const values = flags.find(({ name }) => name === flag)?.values
    return values ? completeValue(values, `--${flag}=`, value, own) : NOTHING
  }
  const left = [...flags.filter(({ name, multiple }) => multiple || !typed.names.has(name)), ...ANYWHERE]
  if (current.startsWith('-') && !typed.ended) return answer(flagsOf(left))
  const last = args.at(-1)
  const arg = args[typed.args.length] ?? (last?.multiple ? last : undefined)
  if (!arg) return answer(typed.ended ? [] : flagsOf(left))
  return completeValue(arg.values, '', current, own, typed.args.at(-1))
}

/** What the finished words of a command are: flags, arguments, and the flag that waits for its value. */
function readTyped(flags: readonly FlagData[], words: readonly string[]) {
  const names = new Set<string>()
  const args: string[] = []
  let open: FlagData | undefined
  let ended = false
  for (const word of words) {
    if (open) open = undefined
    else if (ended || !/^-./.test(word)) args.push(word)
    else if (word === '--') ended = true
    else {
      const { given, waiting } = flagsIn(flags, word)
      for (const { name } of given) names.add(name)
      open = waiting
    }
  }
  return { names, args, open, ended }
}

/** The flags in a word such as `--output`, `--output=json`, `-o`, `-ojson` or `-dy`. */
function flagsIn(flags: readonly FlagData[], word: string) {
  if (word.startsWith('--')) {
    const [name, value] = word.slice(2).split('=', 2)
    const given = flags.filter((flag) => flag.name === name)
    return { given, waiting: value === undefined ? given.find(({ values }) => values) : undefined }
  }
  const given: FlagData[] = []
  for (let index = 1; index < word.length; index += 1) {
    const flag = flags.find(({ char }) => char === word[index])
    if (!flag) break
    given.push(flag)
    if (flag.values) return { given, waiting: index === word.length - 1 ? flag : undefined }
  }
  return { given, waiting: undefined }
}

function completeValue(
  { words = [], own: kind, paths, list, byPrevious }: Values,
  prefix: string,
  typed: string,
  own: () => OwnNames,
  previous?: string,
): Answer {
  const found = [
    ...(byPrevious && previous !== undefined && Object.hasOwn(byPrevious, previous)
      ? (byPrevious[previous] ?? [])
      : words),
    ...(kind ? own()[kind] : []),
  ]
  const chosen = list ? typed.split(',').slice(0, -1) : []
  const start = [prefix, ...chosen.map((word) => `${word},`)].join('')
  const candidates = found
    // What begins with a dash would be taken for a flag, unless it stands behind "=".
    .filter(({ value }) => !chosen.includes(value) && (prefix !== '' || !value.startsWith('-')))
    .map(({ value, description }) => ({ value: `${start}${value}`, description }))
  return { candidates, paths, skip: prefix.length, open: list }
}

function flagsOf(flags: readonly FlagData[]): readonly Candidate[] {
  return flags.map(({ name, summary }) => ({ value: `--${name}`, description: summary }))
}

function answer(candidates: readonly Candidate[]): Answer {
  return { candidates, skip: 0 }
}
