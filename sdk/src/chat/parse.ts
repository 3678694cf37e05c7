import { CATCH_NAME_PATTERN } from '../contract/names.ts'
import { RARITIES } from '../contract/rarities.ts'
import { chatMessageOf } from './log-line.ts'
import { CHAT_PATTERNS, type ChatPattern } from './patterns.ts'
import { readByRule } from './rule.ts'
import type { ChatCatch } from './types.ts'

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
