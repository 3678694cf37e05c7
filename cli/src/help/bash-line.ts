/** The words of a line up to the cursor, as bash will take them apart. */
export interface BashLine {
  /** Those behind the name of the program; the last one is to be completed. */
  readonly words: readonly string[]
  /** The quotation mark that is still open, and how many characters of the last word stand before it. */
  readonly quote?: { readonly mark: string; readonly at: number } | undefined
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/**
 * Takes a line apart: spaces, both kinds of quotation marks, backslashes. What bash would put in for variables and
 * commands stays as it was typed. bash itself cuts words at `=` and `:` too, and does not say where.
 */
export function readBashLine(line: string): BashLine {
  const words: string[] = []
  let word: string | undefined
  let quote: { mark: string; at: number } | undefined
  for (let index = 0; index < line.length; index += 1) {
    const char = line.charAt(index)
    const next = line.charAt(index + 1)
    if (char === '\\' && quote?.mark !== "'" && (!quote || /["$`\\]/.test(next))) {
      word = (word ?? '') + next
      index += 1
    } else if (quote) {
      if (char === quote.mark) quote = undefined
      else word += char
    } else if (char === '"' || char === "'") {
      word ??= ''
      quote = { mark: char, at: word.length }
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  words.push(word ?? '')
  const program = words.findIndex((each) => !ASSIGNMENT.test(each))
  return { words: words.slice(program + 1), quote }
}
