import { HOSTILE_TEXTS } from '../../../scripts/test-support/hostile-texts.ts'
import type { Random } from './random.ts'

/** Pieces of a path or query as in hand-written URLs. */
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

/** A text that is a mistake or an attack, percent-encoded now and then in an unusual way. */
export function hostileText(random: Random): string {
  const text = random.chance(0.06) ? 'N'.repeat(1 + random.below(4000)) : random.pick(HOSTILE_TEXTS)
  // A lone surrogate has no percent-encoding.
  return encodeURIComponent(text.toWellFormed())
}

/** A meaningless or malicious piece of a path. */
export function junkPiece(random: Random): string {
  return random.pick(JUNK_PIECES)
}

/**
 * Writes a path in another way that means the same, or nearly. No backslash, no `#` and no dots: clients built on URLs
 * resolve them, so that not every transport could send them, and the server refuses them.
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
