import { ACCOUNT_LIMITS } from '../contract/limits.ts'
import type { Issue } from '../errors/fish-crab-error.ts'

// A search text cannot be longer than the longest user name.
const MAX_SEARCH_LENGTH = 32

// Each check returns an issue for an invalid value, and `undefined` for a valid value. Error messages contain no
// values, since a value may be a secret.

export function choiceIssue(value: unknown, choices: readonly (string | boolean)[], path: string): Issue | undefined {
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

/** The issue with the lifetime of a link in hours. */
export function hoursIssue(value: unknown): Issue | undefined {
  return value === undefined ? undefined : countIssue(value, ACCOUNT_LIMITS.maxLinkHours, 'hours')
}

export function countIssue(value: unknown, largest: number, path: string): Issue | undefined {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largest) return undefined
  return { path, message: `Must be a whole number from 1 to ${largest}.` }
}
