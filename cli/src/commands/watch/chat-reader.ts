import { CHAT_PATTERNS, type ChatTemplate, chatMessageOf, createChatPattern, parseChatLine } from '@fish-crab/sdk/chat'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { commandLine } from '../../core/argv.ts'
import { configPath } from '../../session/paths.ts'
import type { Session } from '../../session/session.ts'
import { gamemodeWords, targetWords } from '../../session/target.ts'
import { readLocation, readPlayer } from './location.ts'
import type { ChatReader } from './parser.ts'

/**
 * Creates a reader of chat lines. The patterns of the game are tried first, so custom patterns cannot change known
 * messages.
 */
export function createChatReader(templates: readonly ChatTemplate[], gamemodes: readonly Gamemode[]): ChatReader {
  const patterns = [...CHAT_PATTERNS, ...templates.map(createChatPattern)]
  return {
    parse: (line) => parseChatLine(line, { patterns }),
    locate: (line) => readLocation(line, gamemodes),
    player: readPlayer,
    unrecognized(line) {
      // This test is cheaper than parsing each line as chat.
      if (!CATCH_WORDS.test(line)) return undefined
      const text = chatMessageOf(line)?.text
      return text !== undefined && looksLikeCatch(text) ? text : undefined
    },
  }
}

// Words about catches in the languages of the game.
const CATCH_WORDS =
  /c[au][tu][cg]h|fish|hook|crab|fang|fisch|angel|krabbe|krebs|p[êe]ch|attrap|captur|poisson|pesc|atrap|cangrejo|granchio|peixe|caranguejo|vang|(?<!\p{L})vis(?!\p{L})|złow|ryb|krab|пойма|поймал|рыб|краб|釣|钓|捕|魚|鱼|蟹|잡|낚/iu
// Messages of servers begin with a word in capitals. Messages of players begin with the name of the player. The pattern
// matches a prefix in only one way, so that a long line of dashes does not cause slow backtracking.
const OPENING = /^(?:\[[^\]]{1,32}\]|\([^)]{1,32}\)|[^\p{L}<[(])*\p{Lu}[\p{Lu}\p{M}’' -]{1,40} ?[!！▶►:]/u
// These openings may follow any prefix except the name of a player.
const KNOWN_OPENING = /(?:CATCH|NEW ENTRY|NIMBLE)!|FISHING ?[▶►]/
const BY_PLAYER = /^(?:\[[^\]]{1,32}\] ?)*(?:<[^>]{1,40}>|\w{2,16} ?(?:»|>|:))/
// In scripts without upper and lower case, any word counts as a word in capitals.
const CASELESS = /^\P{Ll}{1,40}[!！]/u

function looksLikeCatch(text: string): boolean {
  if (KNOWN_OPENING.test(text)) return !BY_PLAYER.test(text)
  return (OPENING.test(text) || CASELESS.test(text)) && CATCH_WORDS.test(text)
}

const MAX_EXAMPLES = 3
const MAX_KINDS = 100

/** Counts messages that look like catches but are not recognized. The examples contain one message for each opening. */
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
    /** Returns examples, with the most frequent opening first. */
    examples: (): readonly string[] =>
      [...groups.values()]
        .sort((one, other) => other.count - one.count)
        .slice(0, MAX_EXAMPLES)
        .map(({ example }) => example),
  }
}

export type UnrecognizedCounter = ReturnType<typeof createUnrecognizedCounter>

export function noteUnrecognized(session: Session, counter: UnrecognizedCounter): void {
  const { target, terminal } = session
  const count = counter.count()
  if (count === 0) return
  const lines = count === 1 ? '1 line looks like a catch but is' : `${count} lines look like catches but are`
  terminal.note(`fish-cli: ${lines} not recognized, for example:`)
  for (const example of counter.examples()) terminal.note(`  ${example}`)
  const path = configPath(session)
  terminal.note(`  To recognize them, add "patterns" to ${path}. See the examples: fish-cli watch --help`)
  const words = [...targetWords(target), ...gamemodeWords(target)]
  for (const folder of counter.folders()) {
    terminal.note(`  Then add the catches: ${commandLine('watch', '--once', folder, ...words)}`)
  }
}
