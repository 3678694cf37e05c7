import { HOSTILE_TEXTS } from '../../../scripts/test-support/hostile-texts.ts'
import type { Random } from './random.ts'

/** Malformed or malicious pieces of a path or query. */
const JUNK_PIECES: readonly string[] = [
  '%zz',
  '%',
  '%2',
  '%c3%28',
  '%ff',
  '%00',
  '%2f',
  '%5c',
  '..;',
  ';a=b',
  '*',
  '**',
  ':name',
  '(.*)',
  '+',
  '~',
  '!',
  '$',
  "'",
  '@',
  ',',
  'http://other.example/get/fish',
  'a'.repeat(300),
]

/** Picks a percent-encoded text that is a typical mistake or attack. */
export function hostileText(random: Random): string {
  const text = random.chance(0.06) ? 'N'.repeat(1 + random.below(4000)) : random.pick(HOSTILE_TEXTS)
  // encodeURIComponent() throws on lone surrogates, so replace them.
  return encodeURIComponent(text.toWellFormed())
}

/** Picks a malformed or malicious piece of a path or query. */
export function junkPiece(random: Random): string {
  return random.pick(JUNK_PIECES)
}

/**
 * Returns a different spelling of a path, which may mean the same path. Backslashes, `#` and dot segments are excluded:
 * URL-based clients resolve them before sending, and the server refuses them.
 */
export function respelled(random: Random, path: string): string {
  switch (random.below(8)) {
    case 0:
      return `${path}/`
    case 1:
      return `/${path}`
    case 2:
      return path.replaceAll('/', '//')
    case 3:
      return path.replace(/[a-z]/, percentEncoded)
    case 4:
      return path.replace(/[a-z](?=[^a-z]*$)/, (letter) => percentEncoded(letter).toLowerCase())
    case 5:
      return path.toUpperCase()
    case 6:
      return `${path}/${junkPiece(random)}`
    default:
      return path.replace('/', `/${junkPiece(random)}/`)
  }
}

function percentEncoded(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
}
