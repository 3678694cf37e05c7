import { DEFAULT_CRAB_NAME, type Kind } from '../contract/kinds.ts'
import { type RarityLabel, type RarityValue, rarityValue } from '../contract/rarities.ts'
import { type ChatCatch, decimalNumber, rarityOfCatchWord, UNKNOWN_RARITY } from './parser.ts'

/** A message that reports a catch, as plain data that can be stored as JSON. */
export interface ChatTemplate {
  readonly kind: Kind
  /**
   * The whole message without formatting and log prefix. Groups in braces stand for text that differs: `{name}`,
   * `{rarity}` and `{length}` (in centimetres), each at most once, and `{any}` for any other text. Text outside braces
   * is literal and case-sensitive. At most 200 characters. The template must begin with literal text or `{rarity}`,
   * since players could fake catches otherwise, and must have text between any two groups. A crab without `{name}` has
   * the name `crab`.
   */
  readonly template: string
  /** The rarity of a fish if the template has no `{rarity}`. @default 5, Unknown/Other */
  readonly rarity?: RarityValue | RarityLabel | undefined
  /**
   * Words for `{rarity}`, in any letter case. Labels (`Bronze`) and the catch words of the game (`NICE`) are always
   * known. At the start of a message, unknown words do not match; elsewhere they mean 5, Unknown/Other.
   */
  readonly rarities?: Readonly<Record<string, RarityValue | RarityLabel>> | undefined
  /** Reports every match as a first catch. @default false */
  readonly firstTime?: boolean | undefined
  /** Reports every match as a catch by augments. @default false */
  readonly byAugment?: boolean | undefined
}

const MAX_TEMPLATE = 200
const MAX_RARITIES = 50
const GROUPS = ['name', 'rarity', 'length', 'any'] as const
type Group = (typeof GROUPS)[number]

/** A template in parts: literal texts and groups alternate. The first and last part are texts, which may be empty. */
interface Parts {
  readonly texts: readonly string[]
  readonly groups: readonly Group[]
}

/**
 * Makes a pattern for `parseChatLine` from a template with named groups. Use a template for messages that
 * `CHAT_PATTERNS` does not match, such as messages with a server's prefix or in the language of a resource pack.
 * Matching searches for each literal text once, from left to right, and so takes linear time for any message. A regular
 * expression from a configuration file could take exponential time.
 *
 * @throws TypeError for an invalid template
 * @example
 * const patterns = [
 *   ...CHAT_PATTERNS,
 *   createChatPattern({
 *     kind: 'fish',
 *     template: '{rarity} FANG! Du hast einen {name} gefangen.',
 *     rarities: { guter: 'Silver' },
 *   }),
 * ]
 * parseChatLine('GUTER FANG! Du hast einen Lachs gefangen.', { patterns })
 * // { kind: 'fish', name: 'Lachs', rarity: 2 }
 */
export function createChatPattern(template: ChatTemplate): (message: string) => ChatCatch | undefined {
  const { kind, firstTime, byAugment } = template
  if (kind !== 'fish' && kind !== 'crab') throw new TypeError("kind must be 'fish' or 'crab'.")
  for (const [name, value] of Object.entries({ firstTime, byAugment })) {
    if (value !== undefined && typeof value !== 'boolean') throw new TypeError(`${name} must be true or false.`)
  }
  const parts = partsOf(template)
  const rarityOf = rarityReader(template)
  const isRarityFirst = parts.texts[0] === ''
  const details = { ...(firstTime && { firstTime }), ...(byAugment && { byAugment }) }
  return (message) => {
    const found = matchParts(parts, message)
    if (!found) return undefined
    const { name = DEFAULT_CRAB_NAME, rarity, length } = found
    const known = rarityOf(rarity)
    if (isRarityFirst && known === undefined) return undefined
    const lengthCm = length === undefined ? undefined : parseLength(length)
    if (length !== undefined && lengthCm === undefined) return undefined
    const common = { name, ...(lengthCm && { lengthCm }), ...details }
    return kind === 'fish' ? { kind, rarity: known ?? UNKNOWN_RARITY, ...common } : { kind, ...common }
  }
}

function partsOf({ kind, template }: ChatTemplate): Parts {
  if (typeof template !== 'string' || template.length > MAX_TEMPLATE) {
    throw new TypeError(`template must be text of at most ${MAX_TEMPLATE} characters.`)
  }
  // Normalise spaces as in messages, which have only single spaces and are trimmed.
  const pieces = template
    .replace(/\s+/g, ' ')
    .trim()
    .split(/\{([^{}]*)\}/)
  const texts = pieces.filter((_, index) => index % 2 === 0)
  const groups = pieces.filter((_, index) => index % 2 === 1).map(groupNamed)
  if (texts.some((text) => /[{}]/.test(text))) throw new TypeError('template has a brace without its other one.')
  for (const group of GROUPS) {
    if (group !== 'any' && groups.filter((one) => one === group).length > 1) {
      throw new TypeError(`template has {${group}} more than once.`)
    }
  }
  if (kind === 'fish' && !groups.includes('name')) throw new TypeError('template has no {name}.')
  if (texts.slice(1, -1).includes('')) throw new TypeError('template has two groups without text between them.')
  if (texts[0] === '' && (groups[0] !== 'rarity' || !texts.some((text) => text.trim().length > 1))) {
    throw new TypeError('template must begin with text or {rarity}: otherwise, players could fake catches.')
  }
  return { texts, groups }
}

function groupNamed(name: string | undefined): Group {
  const group = GROUPS.find((each) => each === name)
  if (!group)
    throw new TypeError(`template has an unknown group. Groups: ${GROUPS.map((one) => `{${one}}`).join(', ')}.`)
  return group
}

/** Each text matches at its first occurrence, except the last text, which must end the message. */
function matchParts({ texts, groups }: Parts, message: string): Partial<Record<Group, string>> | undefined {
  const [first = '', ...rest] = texts
  if (rest.length === 0) return message === first ? {} : undefined
  if (!message.startsWith(first)) return undefined
  const found: Partial<Record<Group, string>> = {}
  let at = first.length
  for (const [index, text] of rest.entries()) {
    const isLast = index === rest.length - 1
    const end = isLast ? message.length - text.length : message.indexOf(text, at)
    const value = end > at ? message.slice(at, end).trim() : ''
    if (value === '' || (isLast && !message.endsWith(text))) return undefined
    found[groups[index] ?? 'any'] = value
    at = end + text.length
  }
  return found
}

function rarityReader({
  kind,
  rarity,
  rarities = {},
}: ChatTemplate): (word: string | undefined) => RarityValue | undefined {
  const words = Object.entries(Object(rarities) as Record<string, RarityValue | RarityLabel>)
  if (words.length > MAX_RARITIES) throw new TypeError(`rarities has more than ${MAX_RARITIES} words.`)
  const valueNamed = (value: RarityValue | RarityLabel) => {
    const known = typeof value === 'number' || typeof value === 'string' ? rarityValue(value) : undefined
    if (known === undefined) throw new TypeError('rarity and rarities must have labels such as Gold, or 1 to 7.')
    return known
  }
  const own = new Map(words.map(([word, value]) => [word.toLowerCase(), valueNamed(value)]))
  if (kind === 'crab' && (rarity !== undefined || words.length > 0)) throw new TypeError('A crab has no rarity.')
  const fixed = rarity === undefined ? undefined : valueNamed(rarity)
  return (word) => {
    if (word === undefined) return fixed
    return own.get(word.toLowerCase()) ?? rarityOfCatchWord(word) ?? rarityValue(word)
  }
}

/** The decimal separator may be a comma. */
function parseLength(text: string): number | undefined {
  const number = /^(\d{1,3}(?:,\d{3})+\.\d{1,3}|\d{1,3}(?:\.\d{3})+,\d{1,3}|\d{1,6}(?:[.,]\d{1,3})?)(?: ?cm)?$/.exec(
    text,
  )?.[1]
  return number === undefined ? undefined : decimalNumber(number)
}
