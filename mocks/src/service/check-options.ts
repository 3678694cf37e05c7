import { closestWord } from '../../../sdk/src/internal/closest-word.ts'

/**
 * Rejects unknown keys, because a misspelled option would be ignored silently. The TypeError names the key and never
 * repeats a value.
 */
export function assertKnownKeys(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${where} must be an object with any of: ${known.join(', ')}.`)
  }
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    throw new TypeError(`Unknown option "${key}" in ${where}.${didYouMean(key, known)} Known: ${known.join(', ')}.`)
  }
}

/** Returns a space and a sentence that suggests the most similar word, or an empty text if no word is similar. */
export function didYouMean(given: string, known: readonly string[]): string {
  const similar = closestWord(given, known)
  return similar === undefined ? '' : ` Did you mean "${similar}"?`
}

/** The keys of a type; the compiler ensures that the list is complete. */
export function keysOf<Type>(keys: Readonly<Record<keyof Type, 1>>): string[] {
  return Object.keys(keys)
}

/** Normalizes an origin. The message of its TypeError does not repeat the value, which may contain a password. */
export function checkOrigin(given: string, option = 'origin'): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  const rest = url && url.pathname + url.search + url.hash + url.username + url.password
  if (!url || rest !== '/' || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `${option} must be an origin without a path, such as http://fish.test or https://fish.test:8443.`,
    )
  }
  return url.origin
}
