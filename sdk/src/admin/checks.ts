import { GAMEMODES, isGamemode } from '../contract/gamemodes.ts'
import { KINDS } from '../contract/kinds.ts'
import { LIMITS } from '../contract/limits.ts'
import { isUserName, USER_NAME_RULE } from '../contract/names.ts'
import { type Issue, ValidationError } from '../errors/fish-crab-error.ts'

// As long as the longest name.
const LONGEST_SEARCH = 32

// Each check answers what is wrong with a value, if anything is. None repeats the value: it may be a secret.

/** Throws what checks found. @throws ValidationError that names every mistake */
export function requireNone(...found: readonly (Issue | undefined | false)[]): void {
  const issues = found.filter((issue) => typeof issue === 'object')
  if (issues.length > 0) throw new ValidationError(issues)
}

/** Names of users and administrators. */
export function nameIssue(value: unknown, path = 'name'): Issue | undefined {
  // An address with `..` in it is another address (RFC 3986, 5.2.4).
  if (typeof value === 'string' && isUserName(value) && !isDots(value)) return undefined
  return { path, message: `Must be ${USER_NAME_RULE}; "." and ".." are no names.` }
}

/** Passwords that someone chooses. */
export function passwordIssue(value: unknown, path = 'password'): Issue | undefined {
  const { minPasswordLength: shortest, passwordLength: longest } = LIMITS
  if (typeof value === 'string' && value.length >= shortest && value.length <= longest) return undefined
  return { path, message: `Must be ${shortest} to ${longest} characters.` }
}

/** Gamemodes. */
export function gamemodeIssue(value: unknown): Issue | undefined {
  if (isGamemode(value)) return undefined
  return { path: 'gamemode', message: `Must be one of ${GAMEMODES.join(', ')}, in lower case.` }
}

/** Kinds of catches. */
export function kindIssue(value: unknown): Issue | undefined {
  if ((KINDS as readonly unknown[]).includes(value)) return undefined
  return { path: 'type', message: `Must be one of ${KINDS.join(', ')}.` }
}

/** Ids of records. */
export function idIssue(value: unknown): Issue | undefined {
  if (typeof value === 'string' && value !== '' && !isDots(value)) return undefined
  return { path: 'id', message: 'Must be the id of a record, as a list shows it.' }
}

/** One of the keys of a table. */
export function keyIssue(value: unknown, table: Readonly<Record<string, unknown>>, path: string): Issue | undefined {
  if (typeof value === 'string' && Object.hasOwn(table, value)) return undefined
  return { path, message: `Must be one of ${Object.keys(table).join(', ')}.` }
}

/** Parts of names. */
export function searchIssue(value: unknown): Issue | undefined {
  if (value === undefined || (typeof value === 'string' && value.length <= LONGEST_SEARCH)) return undefined
  return { path: 'search', message: `Must be part of a name: up to ${LONGEST_SEARCH} characters.` }
}

/** How many entries a page holds. */
export function limitIssue(value: unknown, path = 'limit'): Issue | undefined {
  if (value === undefined) return undefined
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.pageSize) return undefined
  return { path, message: `Must be a whole number from 1 to ${LIMITS.pageSize}.` }
}

/** Where a page begins. */
export function cursorIssue(value: unknown): Issue | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return undefined
  return { path: 'cursor', message: 'Must be the nextCursor of an earlier answer, unchanged.' }
}

function isDots(text: string): boolean {
  return text === '.' || text === '..'
}
