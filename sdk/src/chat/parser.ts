import { DEFAULT_CRAB_NAME, type Kind } from '../contract/kinds.ts'
import { CATCH_NAME_PATTERN } from '../contract/names.ts'
import { RARITIES, type RarityValue, rarityValue } from '../contract/rarities.ts'
import { chatMessageOf } from './message.ts'

/** What a chat line may tell beside what was caught. Absent is not told. */
interface CatchDetails {
  /** Length in centimetres. */
  readonly lengthCm?: number
  /** `true` when the player never caught one before. */
  readonly firstTime?: boolean
  /** `true` when the player's augments caught it. */
  readonly byAugment?: boolean
  /**
   * The time of day as the prefix of the line says it, without a date or fractions of a second: `12:00:01` in every log
   * of the game, perhaps `12:00` or `9:30 PM` where a mod writes it. Local time of the machine that wrote it.
   */
  readonly timeOfDay?: string
}

/** A fish that the chat told of. It is an entry as `client.fish.add` takes it. */
export interface ChatFish extends CatchDetails {
  readonly kind: 'fish'
  /** 1 to 100 characters, no control characters. */
  readonly name: string
  /** 1 to 7; 5 (Unknown/Other) when the line does not tell. */
  readonly rarity: RarityValue
}

/** A crab that the chat told of. It is an entry as `client.crabs.add` takes it. */
export interface ChatCrab extends CatchDetails {
  readonly kind: 'crab'
  /** 1 to 100 characters, no control characters; `crab` when the line says no more than that. */
  readonly name: string
}

/** What a chat line tells that the player caught. `kind` tells fish and crabs apart. */
export type ChatCatch = ChatFish | ChatCrab

/** How a message that tells of a catch begins, as plain data (it can stand in a JSON file). */
export interface ChatRule {
  /** What such a message tells of. One of a crab must name a crab (`Crab`, `Hermit Crab`), else it tells nothing. */
  readonly kind: Kind
  /**
   * What the message begins with, up to the article (`a`, `an`, `the`, `some`) before the name. Letter case and spaces
   * do not matter; apostrophes may be plain or typographic; `▶` may be lost to a `?` of an old log.
   */
  readonly opening: string
  /**
   * Where the rarity of a fish stands: in a catch word before the opening (`NICE`), in a label before the name
   * (`Bronze Koi`), or it is always the given one. @default 5, Unknown/Other
   */
  readonly rarity?: 'catch-word' | 'label' | RarityValue
  /** The catch is said to be the first of its sort. @default only where the message says so */
  readonly firstTime?: boolean
  /** The catch is said to be by augments. @default false */
  readonly byAugment?: boolean
}

/**
 * A way to read a message: a rule, or a function that is given the message without formatting and log prefix and returns
 * the catch or `undefined`. What the service would not take (a name or rarity out of bounds) counts as `undefined`.
 * A function should match from the beginning of the message, or players can type catches.
 */
export type ChatPattern = ChatRule | ((message: string) => ChatCatch | undefined)

/** The messages of the game that tell of a catch. */
export const CHAT_PATTERNS: readonly ChatRule[] = [
  { kind: 'fish', opening: 'CATCH! You caught', rarity: 'catch-word' },
  { kind: 'fish', opening: 'CATCH! Your Augments caught', rarity: 'catch-word', byAugment: true },
  { kind: 'fish', opening: 'NEW ENTRY! You caught', rarity: 'label', firstTime: true },
  { kind: 'fish', opening: 'NEW ENTRY! Your Augments caught', rarity: 'label', firstTime: true, byAugment: true },
  { kind: 'crab', opening: 'FISHING ▶ You fished up' },
  { kind: 'crab', opening: 'NIMBLE! You’ve hooked' },
]

/** How to read messages. */
export interface ChatParserOptions {
  /**
   * All patterns, tried in this order; the first that finds a catch decides. Put your own before or after those of the
   * game: `[mine, ...CHAT_PATTERNS]`. @default CHAT_PATTERNS
   */
  readonly patterns?: readonly ChatPattern[]
}

/** Reads one line: what the player caught, or `undefined`. */
export type ChatParser = (line: string) => ChatCatch | undefined

/**
 * What a chat line tells that the player caught: a fish, a crab, or `undefined` for every other line. Takes lines of a
 * log file and bare messages, with or without colour codes (see {@link chatMessageOf}). What comes out is an entry as
 * the service takes it. Lines in which another player writes such a message tell nothing.
 *
 * Never throws, unless one of `patterns` does. Lines of more than 4,096 characters tell nothing and cost nothing.
 *
 * @example
 * const found = parseChatLine('[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon.')
 * // { kind: 'fish', name: 'Salmon', rarity: 2, timeOfDay: '12:00:01' }
 * if (found?.kind === 'fish') await client.fish.add(found)
 * if (found?.kind === 'crab') await client.crabs.add(found)
 */
export function parseChatLine(
  line: string,
  { patterns = CHAT_PATTERNS }: ChatParserOptions = {},
): ChatCatch | undefined {
  const message = chatMessageOf(line)
  if (!message) return undefined
  const { text, ...when } = message
  for (const pattern of patterns) {
    const found = typeof pattern === 'function' ? pattern(text) : readByRule(pattern, text)
    if (found && isTakenByService(found)) return { ...when, ...found }
  }
  return undefined
}

/**
 * A parser that also reads what other servers, languages or plugins write.
 *
 * @example
 * const parse = createChatParser({
 *   patterns: [
 *     ...CHAT_PATTERNS,
 *     { kind: 'fish', opening: 'HAUL! Your net holds', rarity: 3 },
 *     (message) => {
 *       const name = /^Gefangen: ([^.]+)\.$/.exec(message)?.[1]
 *       return name === undefined ? undefined : { kind: 'fish', name, rarity: 5 }
 *     },
 *   ],
 * })
 * parse('Gefangen: Lachs.') // { kind: 'fish', name: 'Lachs', rarity: 5 }
 */
export function createChatParser(options?: ChatParserOptions): ChatParser {
  return (line) => parseChatLine(line, options)
}

/** Functions of callers who write no TypeScript can return anything. */
function isTakenByService(found: ChatCatch): boolean {
  const { kind, name } = found
  if (typeof name !== 'string' || !CATCH_NAME_PATTERN.test(name)) return false
  return kind === 'fish' ? RARITIES.some(({ value }) => value === found.rarity) : kind === 'crab'
}

/** A catch word that the table does not know yet. In capitals, as the game writes them: it could be a player's name. */
const NEW_CATCH_WORD = /^[A-Z]+$/
const ARTICLE = /^ (?:an?|the|some)(?= )/i
/** Characters that are written in several ways or lost in a log of a narrow character set. */
const ALIKE = "'’‘`´▶►?\ufffd"
/** A full stop behind one or two letters abbreviates (`St. Peter’s Fish`), unless the message ends with it. */
const END_OF_SENTENCE = /!|\.$|(?<!(?:^| )\p{L}{1,2})\.(?=[ .])/u
/** A comma may part the fraction. Where it could part thousands as well, no length is told. */
const LENGTH = / with a length of (?:(\d+(?:\.\d+|,\d\d?)?) ?cm)?/i
const FIRST_TIME = / for the first time/i

/** What the message tells by the rule. Its name may be one that the service does not take. */
function readByRule(rule: ChatRule, message: string): ChatCatch | undefined {
  const { rest, rarity } = readOpening(rule, message)
  const [article] = ARTICLE.exec(rest) ?? []
  if (!article) return undefined
  const told = upTo(END_OF_SENTENCE, rest.slice(article.length))
  const whole = upTo(LENGTH, upTo(FIRST_TIME, told)).trim()
  const lengthCm = Number(LENGTH.exec(told)?.[1]?.replace(',', '.'))
  const details = {
    ...(lengthCm && { lengthCm }),
    ...((rule.firstTime || FIRST_TIME.test(told)) && { firstTime: true }),
    ...(rule.byAugment && { byAugment: true }),
  }
  if (rule.kind === 'crab') {
    if (!` ${whole}`.toLowerCase().endsWith(` ${DEFAULT_CRAB_NAME}`)) return undefined
    const isNamed = whole.length > DEFAULT_CRAB_NAME.length
    return { kind: 'crab', name: isNamed ? whole : DEFAULT_CRAB_NAME, ...details }
  }
  const labelled = rule.rarity === 'label' ? readLabel(whole) : undefined
  return { kind: 'fish', name: whole, rarity, ...labelled, ...details }
}

interface Opening {
  readonly rest: string
  readonly rarity: RarityValue
}

function readOpening({ opening, rarity }: ChatRule, message: string): Opening {
  const rest = after(opening, message)
  const [word = ''] = rarity === 'catch-word' && !rest ? message.split(' ', 1) : []
  const told = typeof rarity === 'number' ? rarity : byCatchWord(word.toUpperCase())
  return {
    rest: word && (told || NEW_CATCH_WORD.test(word)) ? after(opening, message.slice(word.length)) : rest,
    rarity: told ?? (byCatchWord(null) as RarityValue),
  }
}

/** `null` stands for no word. */
function byCatchWord(word: string | null): RarityValue | undefined {
  return RARITIES.find(({ catchWord }) => catchWord === word)?.value
}

/** What follows the opening, spaces left aside on both sides; empty when the message begins otherwise. */
function after(opening: string, message: string): string {
  let at = 0
  for (const expected of opening.split('')) {
    if (expected === ' ') continue
    while (message[at] === ' ') at++
    if (folded(message[at++] ?? '') !== folded(expected)) return ''
  }
  return message.slice(at)
}

function folded(character: string): string {
  return ALIKE.includes(character) ? ALIKE : character.toUpperCase()
}

/** `Bronze Koi` is a Koi; a label alone is a name. */
function readLabel(whole: string): { name: string; rarity: RarityValue } | undefined {
  const space = whole.indexOf(' ')
  const rarity = space < 0 ? undefined : rarityValue(whole.slice(0, space))
  return rarity && { name: whole.slice(space + 1), rarity }
}

function upTo(end: RegExp, text: string): string {
  const at = text.search(end)
  return at < 0 ? text : text.slice(0, at)
}
