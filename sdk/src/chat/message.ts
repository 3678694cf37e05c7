/** Longest line that is parsed, in UTF-16 units. Chat lines of the game are much shorter. */
const MAX_LINE_LENGTH = 4096

/** One part of a log prefix: `[…]`, `(…)`, or a bare time with an optional date. A colon may follow. */
const PREFIX_PARTS = / ?(?:\[([^[\]]*)\]|\(([^()]*)\)|((?:\d{4}-\d\d-\d\d[ T])?\d\d?:\d\d\S*)(?= )):?/gy
/**
 * A date, a time of day, or both. In some languages, a date contains spaces (`28thg 112026`), a word is between date and
 * time, or the half of the day comes first (`오후 9:30`). Other words may be part of a player's message.
 */
const TIME =
  /^(?:\d\S{0,31}[ T]|\d.{0,47}\d{4}(?:,? \p{L}{1,12})?,? )?(?:(?:(上午|午前|오전)|(下午|午後|오후)) ?)?(\d{4}-\d\d-\d\d$|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?: ?[ap]m)?)/iu
/** The level in `[thread/LEVEL]`, which is part of every line of the game's log. */
const LEVEL = /\/[A-Z]{4,5}$/
/**
 * Prefixes other than times and levels that may come before the chat tag. Any other text in brackets may be the name of
 * a player.
 */
const ORIGIN = /^(?:System|Not Secure|CHAT)$/
const LOGGED_MESSAGE = /\[CHAT\].*/s
/** The game writes a line break inside a message to its log as two characters. */
const LOGGED_BREAK = /\\[nr]/g

/** A message of the chat. */
export interface ChatMessage {
  /** The message without formatting and log prefix. Never empty. */
  readonly text: string
  /**
   * The time of day in the prefix of the line, without date and fractions of a second: `12:00:01` in logs of the game;
   * mods may write `12:00` or `9:30 PM`. The time is local to the machine that wrote the line.
   */
  readonly timeOfDay?: string
}

/**
 * Returns the chat message in a line, or `undefined` for a log line without `[CHAT]` in its prefix, a blank line, or a
 * line of more than 4,096 characters.
 *
 * Reads the prefixes of vanilla, Forge, Fabric and the launchers and clients built on them, such as
 * `[12:00:01] [Render thread/INFO]: [System] [CHAT] `. A line without a prefix is the message itself, as mods receive it.
 * Decode log files as UTF-8; if that fails, as Windows-1252, which older versions of the game write on Windows.
 *
 * @throws TypeError if the value is neither a text nor an object with its own `toString`. A `ChatMessage` of mineflayer
 * is valid.
 * @example
 * chatMessageOf('[12:00:01] [Render thread/INFO]: [CHAT] §aWelcome!') // { text: 'Welcome!', timeOfDay: '12:00:01' }
 * chatMessageOf('[12:00:01] [Render thread/INFO]: Stopping!') // undefined
 */
export function chatMessageOf(input: string | object): ChatMessage | undefined {
  const line = String(input)
  const isText = line === input || (Object(input) === input && !line.startsWith('[object '))
  if (!isText) throw new TypeError(`A chat line must be text, not ${line}.`)
  if (line.length > MAX_LINE_LENGTH) return undefined
  const plain = stripChatFormatting(line.replace(LOGGED_MESSAGE, (message) => message.replace(LOGGED_BREAK, '\n')))
  const prefix = readPrefix(plain)
  // Strip the text again: codes with & are removed only if the text starts with such a code, and the start of the text
  // is known only now.
  const text = prefix && stripChatFormatting(plain.slice(prefix.at(-1)?.end))
  if (!text) return undefined
  const timeOfDay = prefix.find(({ time }) => time?.includes(':'))?.time
  return { text, ...(timeOfDay && { timeOfDay }) }
}

interface PrefixPart {
  readonly content: string
  readonly end: number
  /** The time of day in this part, or else the date. `undefined` if the part has neither. */
  readonly time: string | undefined
}

/** The prefix of a line, possibly empty; `undefined` for log lines that are not chat. */
function readPrefix(line: string): PrefixPart[] | undefined {
  const parts = Array.from(line.matchAll(PREFIX_PARTS), (match): PrefixPart => {
    const content = match.slice(1).join('')
    const [, morning, afternoon, time] = TIME.exec(content) ?? []
    const half = morning ? ' AM' : afternoon && ' PM'
    return { content, end: match.index + match[0].length, time: half ? time + half : time }
  })
  const head = parts.find(({ time }) => !time)?.content ?? ''
  const isLogLine = LEVEL.test(head)
  const tag = isLogLine || ORIGIN.test(head) ? parts.findIndex(({ content }) => content === 'CHAT') : -1
  if (isLogLine && tag < 0) return undefined
  // The message starts after the chat tag and any times that follow the tag. After the tag, `[Steve]` names the sender
  // and belongs to the message.
  const next = parts.findIndex(({ time }, index) => index > tag && !time)
  return next < 0 ? parts : parts.slice(0, next)
}

/**
 * Text that players do not see: terminal escape sequences (ECMA-48, 5.4), colour codes, the remains of a non-breaking
 * space that was written as UTF-8 and decoded as Latin-1, invisible and control characters. A zero-width joiner between
 * two non-ASCII characters stays: scripts and emoji need it. No two adjacent quantifiers match the same character, so
 * matching takes linear time.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  /\x1b\[[0-?]*[ -/]*[@-~]|Â?§[0-9a-zA-Z]?|Â(?=\xa0)|(?<![^ -~\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^ -~\u200c\u200d])|[^\P{Cf}\u200c\u200d]|(?<=[▶►])\ufe0f|[^\P{Cc}\s]/gu
const AMPERSAND_CODES = /&[0-9a-fk-orx]/g
// Bytes that Windows-1252 decodes as characters such as €, ™ and – are control characters in Latin-1.
const MISREAD_APOSTROPHE = /â[\x80€][\x98\x99˜™]/g
const MISREAD_ARROW = /â[\x96–][¶º]/g

/**
 * Returns the text of a chat message as players see it: without colour codes (`§a`, `§x§f§f…`, mis-decoded `Â§a`), terminal
 * escapes, invisible and control characters; runs of white space become one space, and the ends are trimmed. Apostrophes
 * and arrows that were written as UTF-8 and decoded as Latin-1 or Windows-1252 are restored.
 *
 * `&` stays an ampersand, unless the text starts with a code such as `&a`. In that case the game server did not
 * translate the codes, and all codes are removed.
 *
 * Takes linear time for any text.
 *
 * @example
 * stripChatFormatting('§a§lNICE CATCH!§r You caught  a Salmon.\r\n') // 'NICE CATCH! You caught a Salmon.'
 * stripChatFormatting('Fish&chips') // 'Fish&chips'
 */
export function stripChatFormatting(text: string): string {
  const plain = spaced(text.replace(MISREAD_APOSTROPHE, '’').replace(MISREAD_ARROW, '▶').replace(INVISIBLE, ''))
  return plain.search(AMPERSAND_CODES) === 0 ? spaced(plain.replace(AMPERSAND_CODES, '')) : plain
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
