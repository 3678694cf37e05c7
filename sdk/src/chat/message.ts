/** Longest line that is looked at, in UTF-16 units. The game's own chat lines are far below. */
const MAX_LINE_LENGTH = 4096

/** One part of a log prefix: `[…]`, `(…)` or a bare time with or without a date, and a colon that may follow. */
const PREFIX_PARTS = / ?(?:\[([^[\]]*)\]|\(([^()]*)\)|((?:\d{4}-\d\d-\d\d[ T])?\d\d?:\d\d\S*)(?= )):?/gy
/** A date, or a time of day with or without one. */
const TIME = /^(?:\d\S{0,31}[ T])?(\d{4}-\d\d-\d\d$|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?: ?[ap]m)?)/i
/** What every line of the game's log has: thread and level. */
const LEVEL = /\/[A-Z]{4,5}$/
/** What else may stand first, up to the tag of the chat. Anything else may be the name of a player. */
const ORIGIN = /^(?:System|Not Secure|CHAT)$/
const CHAT_TAG = 'CHAT'

/** A message of the chat. */
export interface ChatMessage {
  /** What the player reads: formatting and log prefix removed. Never empty. */
  readonly text: string
  /**
   * The time of day as the prefix of the line says it, without a date or fractions of a second: `12:00:01` in every log
   * of the game, perhaps `12:00` or `9:30 PM` where a mod writes it. Local time of the machine that wrote it.
   */
  readonly timeOfDay?: string
}

/**
 * The chat message in a line, or `undefined` when it holds none: a log line of something else than the chat (no
 * `[CHAT]` in its prefix), a blank one, or one of more than 4,096 characters.
 *
 * Reads the prefixes of vanilla, Forge, Fabric and the launchers and clients built on them, such as
 * `[12:00:01] [Render thread/INFO]: [System] [CHAT] `. A line without a prefix is the message itself, as mods get it.
 * Read log files as UTF-8; where that fails, as Windows-1252, which older versions of the game write on Windows.
 *
 * @example
 * chatMessageOf('[12:00:01] [Render thread/INFO]: [CHAT] §aWelcome!') // { text: 'Welcome!', timeOfDay: '12:00:01' }
 * chatMessageOf('[12:00:01] [Render thread/INFO]: Stopping!') // undefined
 */
export function chatMessageOf(line: string): ChatMessage | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined
  const plain = stripChatFormatting(line)
  const prefix = readPrefix(plain)
  // Again, since codes with & are only known by where the message begins.
  const text = prefix && stripChatFormatting(plain.slice(prefix.at(-1)?.end))
  if (!text) return undefined
  const timeOfDay = prefix.find(({ time }) => time?.includes(':'))?.time
  return { text, ...(timeOfDay && { timeOfDay }) }
}

interface PrefixPart {
  readonly content: string
  readonly end: number
  /** A time of day, or a date where it stands alone. */
  readonly time: string | undefined
}

/** The prefix of a line, perhaps empty; `undefined` when it is one of a log, but not of the chat. */
function readPrefix(line: string): PrefixPart[] | undefined {
  const parts = prefixParts(line)
  const head = parts.find(({ time }) => time === undefined)?.content ?? ''
  const isLogLine = LEVEL.test(head)
  const tag = isLogLine || ORIGIN.test(head) ? parts.findIndex(({ content }) => content === CHAT_TAG) : -1
  if (isLogLine && tag < 0) return undefined
  // Times apart, what follows the tag is part of the message: `[Steve]` there is whoever wrote it.
  const next = parts.findIndex(({ time }, index) => index > tag && time === undefined)
  return next < 0 ? parts : parts.slice(0, next)
}

function prefixParts(line: string): PrefixPart[] {
  return Array.from(line.matchAll(PREFIX_PARTS), (match) => {
    const content = match[1] ?? match[2] ?? match[3] ?? ''
    return { content, end: match.index + match[0].length, time: TIME.exec(content)?.[1] }
  })
}

/**
 * What no player sees: escape sequences of terminals (ECMA-48, 5.4), colour codes, the remains of a hard space that was
 * written as UTF-8 and read as Latin-1, invisible characters and controls. A joiner stays between two characters beyond
 * ASCII: scripts and emoji are written with it. No two neighbouring quantifiers can take the same character, so this
 * reads any text in linear time.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  /\x1b\[[0-?]*[ -/]*[@-~]|Â?§[0-9a-zA-Z]?|Â(?=\xa0)|(?<![^ -~\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^ -~\u200c\u200d])|[^\P{Cf}\u200c\u200d]|(?<=[▶►])\ufe0f|[^\P{Cc}\s]/gu
const AMPERSAND_CODES = /&[0-9a-fk-orx]/g
// Latin-1 has controls where Windows-1252 has € ™ – and the like.
const MISREAD_APOSTROPHE = /â[\x80€][\x98\x99˜™]/g
const MISREAD_ARROW = /â[\x96–][¶º]/g

/**
 * The text of a chat message as a player reads it: no colour codes (`§a`, `§x§f§f…`, misread `Â§a`), terminal escapes,
 * invisible or control characters; every run of white space is one space, none at either end. An apostrophe or arrow
 * that was written as UTF-8 and read as Latin-1 or Windows-1252 is itself again.
 *
 * `&` is an ampersand, unless the text opens with a code such as `&a`: then the server left its codes untranslated, and
 * all of them go.
 *
 * Takes time in proportion to the length of the text, whatever it holds.
 *
 * @example
 * stripChatFormatting('§a§lNICE CATCH!§r You caught  a Salmon.\r\n') // 'NICE CATCH! You caught a Salmon.'
 * stripChatFormatting('Fish&chips') // 'Fish&chips'
 */
export function stripChatFormatting(text: string): string {
  const plain = spaced(text.replace(MISREAD_APOSTROPHE, '’').replace(MISREAD_ARROW, '▶').replace(UNSEEN, ''))
  return plain.search(AMPERSAND_CODES) === 0 ? spaced(plain.replace(AMPERSAND_CODES, '')) : plain
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
