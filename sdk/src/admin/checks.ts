import { GAMEMODES, isGamemode } from '../contract/gamemodes.ts'
import { KINDS } from '../contract/kinds.ts'
import { LIMITS } from '../contract/limits.ts'
import { isUserName, USER_NAME_RULE } from '../contract/names.ts'
import { type Issue, ValidationError } from '../errors/fish-crab-error.ts'

// The length of the longest name.
const MAX_SEARCH_LENGTH = 32

// Each check returns the mistake in a value, if there is one. Messages contain no values: one may be a secret.

/** @throws ValidationError with every mistake, if there is one */
export function requireNoIssues(...found: readonly (Issue | undefined | false)[]): void {
  const issues = found.filter((issue) => typeof issue === 'object')
  if (issues.length > 0) throw new ValidationError(issues)
}

export function nameIssue(value: unknown, path = 'name'): Issue | undefined {
  // An address with `..` in it is another address (RFC 3986, 5.2.4).
  if (typeof value === 'string' && isUserName(value) && !isDots(value)) return undefined
  return { path, message: `Must be ${USER_NAME_RULE}, not "." or "..".` }
}

export function passwordIssue(value: unknown, path = 'password'): Issue | undefined {
  const { minPasswordLength: shortest, passwordLength: longest } = LIMITS
  if (typeof value === 'string' && value.length >= shortest && value.length <= longest) return undefined
  return { path, message: `Must be ${shortest} to ${longest} characters.` }
}

export function gamemodeIssue(value: unknown): Issue | undefined {
  if (isGamemode(value)) return undefined
  return { path: 'gamemode', message: `Must be one of ${GAMEMODES.join(', ')}, in lower case.` }
}

export function kindIssue(value: unknown): Issue | undefined {
  if ((KINDS as readonly unknown[]).includes(value)) return undefined
  return { path: 'type', message: `Must be one of ${KINDS.join(', ')}.` }
}

export function idIssue(value: unknown): Issue | undefined {
  if (typeof value === 'string' && value !== '' && !isDots(value)) return undefined
  return { path: 'id', message: 'Must be the id of a record, as in a list.' }
}

export function keyIssue(value: unknown, table: Readonly<Record<string, unknown>>, path: string): Issue | undefined {
  if (typeof value === 'string' && Object.hasOwn(table, value)) return undefined
  return { path, message: `Must be one of ${Object.keys(table).join(', ')}.` }
}

export function searchIssue(value: unknown): Issue | undefined {
  if (value === undefined || (typeof value === 'string' && value.length <= MAX_SEARCH_LENGTH)) return undefined
  return { path: 'search', message: `Must be part of a name: up to ${MAX_SEARCH_LENGTH} characters.` }
}

export function limitIssue(value: unknown, path = 'limit'): Issue | undefined {
  if (value === undefined) return undefined
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LIMITS.pageSize) return undefined
  return { path, message: `Must be a whole number from 1 to ${LIMITS.pageSize}.` }
}

export function cursorIssue(value: unknown): Issue | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return undefined
  return { path: 'cursor', message: 'Must be the nextCursor of an earlier response, unchanged.' }
}

function isDots(text: string): boolean {
  return text === '.' || text === '..'
}
