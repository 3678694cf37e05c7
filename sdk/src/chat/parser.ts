import { DEFAULT_CRAB_NAME, type Kind } from '../contract/kinds.ts'
import { CATCH_NAME_PATTERN } from '../contract/names.ts'
import { RARITIES, type RarityValue, rarityValue } from '../contract/rarities.ts'
import { type ChatMessage, chatMessageOf } from './message.ts'

/** Further details of a catch. A detail is absent when the chat line does not contain it. */
interface CatchDetails extends Pick<ChatMessage, 'timeOfDay'> {
  /** Length in centimetres. */
  readonly lengthCm?: number
  /** `true` if the catch is the player's first catch with this name. */
  readonly firstTime?: boolean
  /** `true` if the player's augments made the catch. */
  readonly byAugment?: boolean
}

/** A fish in a chat line. `client.fish.add` accepts it as an entry. */
export interface ChatFish extends CatchDetails {
  readonly kind: 'fish'
  /** 1 to 100 characters, no control characters. */
  readonly name: string
  /** 1 to 7; 5 (Unknown/Other) when the line contains no rarity. */
  readonly rarity: RarityValue
}

/** A crab in a chat line. `client.crabs.add` accepts it as an entry. */
export interface ChatCrab extends CatchDetails {
  readonly kind: 'crab'
  /** 1 to 100 characters, no control characters; `crab` when the line names no kind of crab. */
  readonly name: string
}

/** A catch in a chat line. `kind` is `fish` or `crab`. */
export type ChatCatch = ChatFish | ChatCrab

/** A rule that recognises catch messages by their start. Rules are plain data and can be stored as JSON. */
export interface ChatRule {
  /** The kind of catch. Messages of kind `crab` whose name does not end in `crab` (such as `Hermit Crab`) do not match. */
  readonly kind: Kind
  /**
   * The start of the message, up to the article (`a`, `an`, `the`, `some`) before the name. Letter case and spaces are
   * ignored; apostrophes may be plain or typographic; `▶` may be a `?`, as in old logs.
   */
  readonly opening: string
  /**
   * The source of a fish's rarity: a catch word before the opening (`NICE`), a label before the name (`Bronze Koi`), or
   * a fixed number. @default 5, Unknown/Other
   */
  readonly rarity?: 'catch-word' | 'label' | RarityValue
  /** Reports every match as a first catch. @default only if the message contains `for the first time` */
  readonly firstTime?: boolean
  /** Reports every match as a catch by augments. @default false */
  readonly byAugment?: boolean
}

/**
 * How to parse a message: a rule, or a function that receives the message without formatting and log prefix and returns
 * the catch or `undefined`. A catch with a name or rarity that the service would reject counts as `undefined`. A
 * function should match from the start of the message; otherwise players can fake catches by typing such messages.
 */
export type ChatPattern = ChatRule | ((message: string) => ChatCatch | undefined)

/** The messages of the game that report a catch. */
export const CHAT_PATTERNS: readonly ChatRule[] = [
  { kind: 'fish', opening: 'CATCH! You caught', rarity: 'catch-word' },
  { kind: 'fish', opening: 'CATCH! Your Augments caught', rarity: 'catch-word', byAugment: true },
  { kind: 'fish', opening: 'NEW ENTRY! You caught', rarity: 'label', firstTime: true },
  { kind: 'fish', opening: 'NEW ENTRY! Your Augments caught', rarity: 'label', firstTime: true, byAugment: true },
  { kind: 'crab', opening: 'FISHING ▶ You fished up' },
  { kind: 'crab', opening: 'NIMBLE! You’ve hooked' },
]

/** Options of {@link parseChatLine}. */
export interface ChatParserOptions {
  /**
   * The patterns to try, in this order; the first match is used. Put your own patterns before or after the patterns of
   * the game: `[mine, ...CHAT_PATTERNS]`. @default CHAT_PATTERNS
   */
  readonly patterns?: readonly ChatPattern[]
}

/**
 * Parses the catch in a chat line: a fish, a crab, or `undefined` for every other line. Accepts lines of a log file and
 * bare messages, with or without colour codes (see {@link chatMessageOf}). The result is an entry that the service
 * accepts. Lines in which another player types such a message are ignored.
 *
 * Lines of more than 4,096 characters are ignored without parsing.
 *
 * @throws TypeError if the value is neither a text nor an object with its own `toString`. A `ChatMessage` of mineflayer
 * is valid. Errors of `patterns` are passed on.
 * @example
 * const found = parseChatLine('[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon.')
 * // { kind: 'fish', name: 'Salmon', rarity: 2, timeOfDay: '12:00:01' }
 * if (found?.kind === 'fish') await client.fish.add(found)
 * if (found?.kind === 'crab') await client.crabs.add(found)
 * @example
 * const haul = { kind: 'fish', opening: 'HAUL! Your net holds', rarity: 3 } as const
 * parseChatLine('HAUL! Your net holds a Koi.', { patterns: [...CHAT_PATTERNS, haul] })
 * // { kind: 'fish', name: 'Koi', rarity: 3 }
 */
export function parseChatLine(
  line: string | object,
  { patterns = CHAT_PATTERNS }: ChatParserOptions = {},
): ChatCatch | undefined {
  const message = chatMessageOf(line)
  if (!message) return undefined
  const { text, ...when } = message
  for (const pattern of patterns) {
    const found = typeof pattern === 'function' ? pattern(text) : readByRule(pattern, text)
    if (found && isAccepted(found)) return { ...when, ...found }
  }
  return undefined
}

/** Patterns written in JavaScript can return anything. */
function isAccepted(found: ChatCatch): boolean {
  if (typeof found.name !== 'string' || !CATCH_NAME_PATTERN.test(found.name)) return false
  return found.kind === 'crab' || (found.kind === 'fish' && RARITIES.some(({ value }) => value === found.rarity))
}

/**
 * A catch word that this version does not know. Only words in upper case match, as in the game: a word in another case
 * may be the name of a player.
 */
const NEW_CATCH_WORD = /^[A-Z]+$/
const ARTICLE = /^ (?:an?|the|some)(?= )/i
/** Characters that have several spellings, or that a log with a narrow character set replaces with `?`. */
const EQUIVALENT_CHARACTERS = /['’‘`´▶►?\ufffd]/
/** A full stop after one or two letters is an abbreviation (`St. Peter’s Fish`), unless it ends the message. */
const END_OF_SENTENCE = /!|\.$|(?<!(?:^| )\p{L}{1,2})\.(?=[ .])/u
/**
 * The decimal separator may be a comma. Three digits after the only comma may be thousands, so such a length is ignored.
 */
const LENGTH = / with a length of (?:(\d+(?:(?:,\d{3})*\.\d+|(?:\.\d{3})+,\d+|,\d\d?)?) ?cm)?/i
const FIRST_TIME = / for the first time/i

/** Does not check whether the service accepts the resulting name. */
function readByRule(rule: ChatRule, message: string): ChatCatch | undefined {
  let rest = textAfter(rule.opening, message)
  let rarity = typeof rule.rarity === 'number' ? rule.rarity : undefined
  if (!rest && rule.rarity === 'catch-word') {
    const word = textBefore(/ /, message)
    rarity = rarityOfCatchWord(word)
    if (rarity || NEW_CATCH_WORD.test(word)) rest = textAfter(rule.opening, message.slice(word.length))
  }
  const [, afterArticle] = rest.split(ARTICLE)
  if (!afterArticle) return undefined
  const sentence = textBefore(END_OF_SENTENCE, afterArticle)
  const whole = textBefore(LENGTH, textBefore(FIRST_TIME, sentence)).trim()
  const lengthCm = decimalNumber(LENGTH.exec(sentence)?.[1] ?? '')
  const details = {
    ...(lengthCm && { lengthCm }),
    ...((rule.firstTime || FIRST_TIME.test(sentence)) && { firstTime: true }),
    ...(rule.byAugment && { byAugment: true }),
  }
  const [first = '', ...words] = whole.split(' ')
  const others = words.join(' ')
  if (rule.kind === 'crab') {
    if ((words.pop() ?? first).toLowerCase() !== DEFAULT_CRAB_NAME) return undefined
    return { kind: 'crab', name: others ? whole : DEFAULT_CRAB_NAME, ...details }
  }
  // `Bronze Koi` is a Koi with the rarity Bronze. A label that no name follows is itself the name of a fish.
  const label = rule.rarity === 'label' && others ? rarityValue(first) : undefined
  return { kind: 'fish', name: label ? others : whole, rarity: label ?? rarity ?? UNKNOWN_RARITY, ...details }
}

/** Parses digits whose last separator, a point or a comma, is the decimal separator. */
export function decimalNumber(text: string): number {
  return Number(text.replace(/[.,](?=.*[.,])/g, '').replace(',', '.'))
}

export const UNKNOWN_RARITY: RarityValue = 5

/** Ignores letter case. */
export function rarityOfCatchWord(word: string): RarityValue | undefined {
  return RARITIES.find(({ catchWord }) => catchWord === word.toUpperCase())?.value
}

/**
 * Returns the rest of a message that starts with the opening, or '' for every other message. Ignores spaces.
 */
function textAfter(opening: string, message: string): string {
  let rest = message
  for (const expected of opening.replaceAll(' ', '').split('')) {
    rest = rest.trimStart()
    if (foldCase(rest.charAt(0)) !== foldCase(expected)) return ''
    rest = rest.slice(1)
  }
  return rest
}

function foldCase(character: string): string {
  return character.replace(EQUIVALENT_CHARACTERS, '?').toUpperCase()
}

function textBefore(end: RegExp, text: string): string {
  return text.split(end, 1)[0] ?? ''
}
