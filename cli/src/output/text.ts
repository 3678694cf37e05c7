import { eastAsianWidth } from 'get-east-asian-width'

/**
 * Text that cannot steer a terminal, whatever a server sent: without controls, ends of lines, and what turns the
 * direction of writing.
 */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
}

/** A value as JSON that cannot steer a terminal, and that reads back as the same value. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent)
  // JSON leaves these as they are, and all of them can only stand inside strings.
  return text.replace(/[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const PLAIN = /^[\x20-\x7e]*$/

/**
 * How many cells of a terminal a text takes: two for wide characters and emoji, none for combining marks.
 * @example displayWidth('鯉🐟') // 4
 */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  return graphemes(text).reduce((sum, cluster) => sum + graphemeWidth(cluster), 0)
}

/** Cuts a text to a number of cells, with `ellipsis` for what is left out; never inside of a character. */
export function truncate(text: string, cells: number, ellipsis: string): string {
  if (displayWidth(text) <= cells) return text
  const room = cells - displayWidth(ellipsis)
  if (room < 0) return ellipsis.slice(0, Math.max(0, cells))
  let kept = ''
  let width = 0
  for (const cluster of graphemes(text)) {
    width += graphemeWidth(cluster)
    if (width > room) break
    kept += cluster
  }
  return kept + ellipsis
}

/**
 * Breaks a text into lines of a number of cells, between words; inside of one, but never of a character, where it is
 * wider than a line.
 * @example wrapped('a long line', 6) // ['a long', 'line']
 */
export function wrapText(text: string, cells: number): readonly string[] {
  return fillLines(
    text.split(' ').flatMap((each) => splitWord(each, cells)),
    cells,
  )
}

/**
 * Breaks messages between words, so that no terminal breaks them inside of one; what goes on stands below where it began.
 * A word that is wider than a line, such as a path or a secret, stays whole.
 *
 * @param cells `undefined` where a line may be of any width
 */
export function wrapMessage(text: string, cells: number | undefined): string {
  if (cells === undefined) return text
  const lines = text.split('\n').flatMap((line) => {
    if (displayWidth(line) <= cells) return [line]
    const [head = ''] = /^(?:fish-cli: | *)/.exec(line) ?? []
    const [first = '', ...rest] = fillLines(line.slice(head.length).split(' '), cells - head.length)
    return [head + first, ...rest.map((each) => ' '.repeat(head.length) + each)]
  })
  return lines.join('\n')
}

function fillLines(words: readonly string[], cells: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > cells) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

function splitWord(word: string, cells: number): readonly string[] {
  if (displayWidth(word) <= cells) return [word]
  const broken = ['']
  for (const cluster of graphemes(word)) {
    const longer = `${broken.at(-1)}${cluster}`
    if (displayWidth(longer) > cells) broken.push(cluster)
    else broken.splice(-1, 1, longer)
  }
  return broken
}

/** Fills a text up with spaces to a number of cells. */
export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, cells - displayWidth(text)))
  return align === 'left' ? text + space : space + text
}

function graphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment)
}

function graphemeWidth(cluster: string): number {
  // An emoji that is asked for by its selector, and a flag, which is two letters.
  if (cluster.includes('\u{fe0f}') || /^\p{Regional_Indicator}{2}/u.test(cluster)) return 2
  let widest = 0
  for (const character of cluster) {
    // Marks that combine, and what has no width of its own. Such a pattern takes long to make, so it is made when needed.
    if (/^[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]$/u.test(character)) continue
    widest = Math.max(widest, eastAsianWidth(character.codePointAt(0) ?? 0))
  }
  return widest
}
