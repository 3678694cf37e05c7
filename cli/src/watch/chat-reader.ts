import { CHAT_PATTERNS, type ChatTemplate, chatMessageOf, createChatPattern, parseChatLine } from '@fish-crab/sdk/chat'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { configPath } from '../config/paths.ts'
import { gamemodeWords, type Target, targetWords } from '../config/target.ts'
import { commandLine } from '../core/command-line.ts'
import type { Context, Notes } from '../core/context.ts'
import { printable } from '../output/text.ts'
import { readLocation } from './location.ts'
import type { ChatReader } from './parser.ts'

/** The patterns of the game come first, so other patterns cannot change the known messages. */
export function createChatReader(templates: readonly ChatTemplate[], gamemodes: readonly Gamemode[]): ChatReader {
  const patterns = [...CHAT_PATTERNS, ...templates.map(createChatPattern)]
  return {
    parse: (line) => parseChatLine(line, { patterns }),
    locate: (line) => readLocation(line, gamemodes),
    unrecognized(line) {
      // Cheaper than parsing each line as chat.
      if (!CATCH_WORDS.test(line)) return undefined
      const text = chatMessageOf(line)?.text
      return text !== undefined && looksLikeCatch(text) ? text : undefined
    },
  }
}

// Words of catches in languages of the game.
const CATCH_WORDS =
  /c[au][tu][cg]h|fish|hook|crab|fang|fisch|angel|krabbe|krebs|p[êe]ch|attrap|captur|poisson|pesc|atrap|cangrejo|granchio|peixe|caranguejo|vang|(?<!\p{L})vis(?!\p{L})|złow|ryb|krab|пойма|поймал|рыб|краб|釣|钓|捕|魚|鱼|蟹|잡|낚/iu
// Messages of servers open with a word in capitals. Players cannot write at the start of a message, because their names
// are at the start. The pattern matches a prefix in only one way, so that a long line of dashes takes no time.
const OPENING = /^(?:\[[^\]]{1,32}\]|\([^)]{1,32}\)|[^\p{L}<[(])*\p{Lu}[\p{Lu}\p{M}’' -]{1,40} ?[!！▶►:]/u
// These openings may follow any prefix except the name of a player.
const KNOWN_OPENING = /(?:CATCH|NEW ENTRY|NIMBLE)!|FISHING ?[▶►]/
const BY_PLAYER = /^(?:\[[^\]]{1,32}\] ?)*(?:<[^>]{1,40}>|\w{2,16} ?(?:»|>|:))/
// Without cases, capitals cannot be told apart.
const CASELESS = /^\P{Ll}{1,40}[!！]/u

function looksLikeCatch(text: string): boolean {
  if (KNOWN_OPENING.test(text)) return !BY_PLAYER.test(text)
  return (OPENING.test(text) || CASELESS.test(text)) && CATCH_WORDS.test(text)
}

const MAX_EXAMPLES = 3
const MAX_KINDS = 100

/** Counts messages that look like catches. Messages with the same opening count as one. */
export function createUnrecognizedCounter() {
  const groups = new Map<string, { count: number; readonly example: string }>()
  const folders = new Set<string>()
  let count = 0
  return {
    /** @param folder the folder of the log that contains the messages */
    add(messages: readonly string[], folder: string): void {
      if (messages.length > 0) folders.add(folder)
      count += messages.length
      for (const example of messages) {
        const opening = example.split(/[!！▶►:]/u, 1)[0] ?? ''
        const group = groups.get(opening)
        if (group) group.count += 1
        else if (groups.size < MAX_KINDS) groups.set(opening, { count: 1, example })
      }
    },
    count: () => count,
    folders: (): Iterable<string> => folders,
    /** Most frequent first. */
    examples: (): readonly string[] =>
      [...groups.values()]
        .sort((one, other) => other.count - one.count)
        .slice(0, MAX_EXAMPLES)
        .map(({ example }) => example),
  }
}

export type UnrecognizedCounter = ReturnType<typeof createUnrecognizedCounter>

export function noteUnrecognized(context: Context & Notes, counter: UnrecognizedCounter, target: Target): void {
  const count = counter.count()
  if (count === 0) return
  const lines = count === 1 ? '1 line looks like a catch but is' : `${count} lines look like catches but are`
  context.note(`fish-cli: ${lines} not recognized, for example:`)
  for (const example of counter.examples()) context.note(`  ${printable(example)}`)
  const path = printable(configPath(context))
  context.note(`  To recognize them, add "patterns" to ${path}. See the examples: fish-cli watch --help`)
  const words = [...targetWords(target), ...gamemodeWords(target)]
  for (const folder of counter.folders()) {
    context.note(`  Then add the catches: ${commandLine('watch', '--once', printable(folder), ...words)}`)
  }
}
