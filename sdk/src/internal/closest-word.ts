/**
 * The optimal string alignment distance: the number of insertions, deletions and substitutions of letters, and of swaps
 * of neighbouring letters.
 */
function distance(from: string, to: string): number {
  const rows: number[][] = []
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 0; row <= from.length; row++) {
    const steps: number[] = []
    rows.push(steps)
    for (let column = 0; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const kept = at(row - 1, column - 1) + (same ? 0 : 1)
      const changed = Math.min(kept, at(row - 1, column) + 1, at(row, column - 1) + 1)
      steps.push(row + column === 0 ? 0 : Math.min(changed, swapped ? at(row - 2, column - 2) + 1 : changed))
    }
  }
  return at(from.length, to.length)
}

const SHORTEST_BEGINNING = 3

/**
 * Returns the closest word, ignoring letter case, if at most a third of its letters differ. Otherwise, returns the
 * first word that starts with the given text, if the text has at least 3 letters.
 */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const lower = typed.toLowerCase()
  const near = words
    .map((word) => ({
      word,
      rank: distance(lower, word.toLowerCase()) + Math.abs(word.length - lower.length) / 99,
      most: Math.max(3, word.length, lower.length) / 3,
    }))
    .filter(({ rank, most }) => Math.floor(rank) <= most)
    // On a tie, a word of equal length wins: a swapped or wrong letter is likelier than an omitted one.
    .sort((one, other) => one.rank - other.rank)
  if (near[0]) return near[0].word
  return lower.length < SHORTEST_BEGINNING ? undefined : words.find((word) => word.toLowerCase().startsWith(lower))
}
