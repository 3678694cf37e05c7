/** User names: 1 to 32 characters, unique without regard to case. */
export const USER_NAME_PATTERN = /^[A-Za-z0-9_.*][A-Za-z0-9_.*-]{0,31}$/

/** The shape of a user name in words. */
export const USER_NAME_RULE = '1 to 32 characters of A-Z, a-z, 0-9, "_", ".", "*" and "-", and not start with "-"'

/** Names of fish and crabs: 1 to 100 characters (code points), no control characters, no lone surrogates. */
export const CATCH_NAME_PATTERN = /^[^\p{Cc}\p{Cs}]{1,100}$/u

/** A client's own `x-request-id` is kept when it has this shape. */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/

/** The user that the demo endpoints answer for. */
export const DEMO_USER = 'demo'

/**
 * Whether a user of this name can exist.
 *
 * @example
 * if (!isUserName(text)) showStatus(`A name is ${USER_NAME_RULE}.`)
 */
export function isUserName(name: string): boolean {
  return USER_NAME_PATTERN.test(name)
}

/**
 * The form of a user name that is equal for names that differ only in letter case.
 *
 * @example
 * const isAlex = userNameKey(text) === userNameKey('Alex')
 */
export function userNameKey(name: string): string {
  // Names are ASCII. Unicode's own folding takes others for them, such as the Kelvin sign for a k.
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
