import { isDots } from '../client/resources/target.ts'
import { isUserName, USER_NAME_RULE } from '../contract/names.ts'
import type { Issue } from '../errors/fish-crab-error.ts'

// A search text cannot be longer than the longest user name.
const MAX_SEARCH_LENGTH = 32

// Each check returns an issue for an invalid value, and `undefined` for a valid value. Error messages contain no
// values, since a value may be a secret.

export function nameIssue(value: unknown, path = 'name'): Issue | undefined {
  if (typeof value === 'string' && isUserName(value) && !isDots(value)) return undefined
  return { path, message: `Must be ${USER_NAME_RULE}, not "." or "..".` }
}

export function choiceIssue(value: unknown, choices: readonly string[], path: string): Issue | undefined {
  if ((choices as readonly unknown[]).includes(value)) return undefined
  return { path, message: `Must be one of ${choices.join(', ')}.` }
}

export function searchIssue(value: unknown): Issue | undefined {
  if (value === undefined || (typeof value === 'string' && value.length <= MAX_SEARCH_LENGTH)) return undefined
  return { path: 'search', message: `Must be part of a name: up to ${MAX_SEARCH_LENGTH} characters.` }
}

export function cursorIssue(value: unknown): Issue | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return undefined
  return { path: 'cursor', message: 'Must be the nextCursor of an earlier response, unchanged.' }
}
