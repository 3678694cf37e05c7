import { DEFAULT_CRAB_NAME } from '../contract/kinds.ts'
import { RARITIES, type RarityValue, rarityValue } from '../contract/rarities.ts'
import type { ChatRule } from './patterns.ts'
import type { ChatCatch } from './types.ts'

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
export function readByRule(rule: ChatRule, message: string): ChatCatch | undefined {
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
