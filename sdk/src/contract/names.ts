/** User names: 1 to 32 characters, unique without regard to case. */
export const USER_NAME_PATTERN = /^[A-Za-z0-9_.*][A-Za-z0-9_.*-]{0,31}$/

/** The format of a user name, as a phrase for messages. */
export const USER_NAME_RULE =
  '1 to 32 characters of A-Z, a-z, 0-9, "_", ".", "*" and "-", the first of which is not "-"'

/** Names of fish and crabs: 1 to 100 characters (code points), no control characters, no lone surrogates. */
export const CATCH_NAME_PATTERN = /^[^\p{Cc}\p{Cs}]{1,100}$/u

/**
 * The format of an `x-request-id` that the service accepts from a client. For any other value, the service creates an
 * id.
 */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/

/** The user of the demo endpoints. */
export const DEMO_USER = 'demo'

/**
 * Whether a text has the format of a user name.
 *
 * @example
 * if (!isUserName(text)) showStatus(`A name is ${USER_NAME_RULE}.`)
 */
export function isUserName(name: string): boolean {
  return USER_NAME_PATTERN.test(name)
}

/**
 * Returns a key for comparing user names. Names that differ only in letter case have the same key.
 *
 * @example
 * const isAlex = userNameKey(text) === userNameKey('Alex')
 */
export function userNameKey(name: string): string {
  // User names are ASCII, but `toLowerCase` maps some other characters to ASCII, such as the Kelvin sign to k.
  return /^[ -~]*$/.test(name) ? name.toLowerCase() : name
}

const LONGEST_FOLDED = 100
/** Most names. They need no normalization. */
const SIMPLE_NAME = /^[!-~]+(?: [!-~]+)*$/
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * The text that all spellings of a species have in common. Empty for a name without visible characters, and for a name
 * that NFKC makes longer than any name may be.
 *
 * @example
 * const isSalmon = foldSpeciesName(text) === foldSpeciesName('Salmon')
 */
export function foldSpeciesName(name: string): string {
  if (SIMPLE_NAME.test(name)) return name.toLowerCase()
  // Normalize again, because the removal of a character may join a letter with its accent.
  const visible = name.normalize('NFKC').replace(INVISIBLE, '').toLowerCase().normalize('NFKC')
  const folded = visible.replace(/\s+/gu, ' ').trim()
  return folded.length > LONGEST_FOLDED ? '' : folded
}
