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
