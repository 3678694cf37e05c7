/**
 * Refuses what is no plain object, and keys that it would not be looked up by: what is misspelled would be left out.
 * @param where What it is, for messages, which never repeat a value.
 * @throws TypeError that names the key, the one that was probably meant, and all there are
 */
export function assertKnownKeys(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${where} must be an object with any of: ${known.join(', ')}.`)
  }
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const meant = known.find((name) => isClose(key.toLowerCase(), name.toLowerCase()))
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`
    throw new TypeError(`Unknown option "${key}" in ${where}.${question} Known: ${known.join(', ')}.`)
  }
}

/** Every key of a type: one that is missing does not compile. */
export function keysOf<Type>(keys: Readonly<Record<keyof Type, 1>>): string[] {
  return Object.keys(keys)
}

/** Whether one word is the other but for two letters that were put in, left out or changed (Levenshtein). */
function isClose(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1)
      next.push(Math.min((row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, changed))
    }
    row = next
  }
  return (row[other.length] ?? Number.POSITIVE_INFINITY) <= Math.min(2, Math.floor(other.length / 2))
}
