import { eastAsianWidth } from 'get-east-asian-width'
import type { ErrorReport } from '../core/errors.ts'
import { paint, type Screen, type Style } from './screen.ts'

/** A part of a line in a style. */
export interface Styled {
  readonly text: string
  readonly style: Style | undefined
}

/** A line with styles. */
interface StyledLine {
  readonly spans: readonly (string | Styled)[]
}

/** One line. Its text may come from anywhere: the terminal replaces characters that could control it. */
export type Line = string | StyledLine

/** One line, or a list of lines. A line break in a line counts as a character that could control the terminal. */
export type Text = string | readonly Line[]

export function linesOf(text: Text): readonly Line[] {
  return typeof text === 'string' ? [text] : text
}

/** Returns the line without styles. */
export function plainText(line: Line): string {
  return printable(typeof line === 'string' ? line : line.spans.map(textOf).join(''))
}

function textOf(span: string | Styled): string {
  return typeof span === 'string' ? span : span.text
}

/** Renders lines without wrapping them. */
export function renderLines(lines: readonly Line[], { colours }: Pick<Screen, 'colours'>): string {
  return lines
    .map((line) => {
      if (typeof line === 'string') return printable(line)
      const spans = line.spans.map((span) => {
        const text = printable(textOf(span))
        const style = typeof span === 'string' ? undefined : span.style
        return style === undefined || text === '' ? text : paint(style, text, colours)
      })
      return spans.join('')
    })
    .join('\n')
}

/** Renders a message, and wraps its lines without styles to the terminal. */
export function renderMessage(text: Text, screen: Screen): string {
  return linesOf(text)
    .map((line) => (typeof line === 'string' ? wrapMessage(printable(line), screen) : renderLines([line], screen)))
    .join('\n')
}

/** Replaces control characters, line ends and bidirectional marks, so that no text can control the terminal. */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
}

/** Replaces the characters that {@link printable} replaces, except line ends and tabs. */
export function safeContent(content: string): string {
  return content
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? printable(part) : part))
    .join('')
}

/** Formats a value as JSON without characters that could control a terminal. The text parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent)
  // JSON does not escape these characters, which can only occur within strings.
  return text.replace(/[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const PLAIN = /^[\x20-\x7e]*$/

/**
 * Returns the width in terminal cells. We do not use string-width 9 and wrap-ansi 10, because loading these libraries
 * compiles Unicode patterns, which takes over 45 ms, longer than a start of Node.
 */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  return graphemes(text).reduce((sum, cluster) => sum + graphemeWidth(cluster), 0)
}

/** Shortens a text, but never within a grapheme. */
export function truncate(text: string, cells: number, ellipsis: string): string {
  if (displayWidth(text) <= cells) return text
  const room = cells - displayWidth(ellipsis)
  if (room < 0) return ellipsis.slice(0, Math.max(0, cells))
  let result = ''
  let width = 0
  for (const cluster of graphemes(text)) {
    width += graphemeWidth(cluster)
    if (width > room) break
    result += cluster
  }
  return result + ellipsis
}

/** Wraps a text. A word that is wider than a line, such as a path or a secret, and a command to paste are not split. */
export function wrapText(text: string, cells: number): readonly string[] {
  return fillLines(wordsOf(text), cells)
}

/** The programs in suggested commands. */
const COMMANDS = ['fish-cli', 'chmod']

/** The indent of lines in an error that contain a command to paste. */
const COMMAND_INDENT = ' '.repeat(6)

const ASCII: Readonly<Record<string, string>> = { '…': '...', '→': '->', '·': '-', '—': '-', '●': '*', '×': 'x' }

/**
 * Replaces characters that the locale lacks in a message. In a table, the name of a fish stays unchanged.
 */
export function localText(text: string, { unicode }: Pick<Screen, 'unicode'>): string {
  return unicode ? text : text.replace(/[…→·—●×]/g, (character) => ASCII[character] ?? character)
}

/** Wraps a line of a message with hanging indents, as {@link wrapText} does. */
export function wrapMessage(message: string, screen: Pick<Screen, 'unicode' | 'width'>): string {
  const { width: cells } = screen
  const text = localText(message, screen)
  if (cells === undefined) return text
  // A command to paste is not wrapped.
  if (text.startsWith(COMMAND_INDENT) || displayWidth(text) <= cells) return text
  const [head = ''] = /^(?:fish-cli: | *)/.exec(text) ?? []
  const [first = '', ...rest] = wrapText(text.slice(head.length), cells - head.length)
  return [head + first, ...rest.map((each) => ' '.repeat(head.length) + each)].join('\n')
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

/** Splits a text at spaces. A command that follows a colon and ends with its sentence is one word. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  let isCommand = false
  for (const word of text.split(' ')) {
    const before = words.at(-1)
    if (isCommand) words.splice(-1, 1, `${before} ${word}`)
    else words.push(word)
    isCommand = isCommand ? !/[.,;]$/.test(word) : COMMANDS.includes(word) && before?.endsWith(':') === true
  }
  return words
}

export function pad(text: string, cells: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, cells - displayWidth(text)))
  return align === 'left' ? text + space : space + text
}

function graphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment)
}

function graphemeWidth(cluster: string): number {
  // An emoji has a variation selector, and a flag has two regional indicators.
  if (cluster.includes('\u{fe0f}') || /^\p{Regional_Indicator}{2}/u.test(cluster)) return 2
  let widest = 0
  for (const character of cluster) {
    // Skips combining marks and characters without width. The pattern is slow to compile, so the pattern is not
    // compiled at the start.
    if (/^[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]$/u.test(character)) continue
    widest = Math.max(widest, eastAsianWidth(character.codePointAt(0) ?? 0))
  }
  return widest
}

/** The report is a single line, so that the report can also follow JSON lines. */
export function reportJson(error: ErrorReport): string {
  return `${jsonText({ error })}\n`
}

export function reportLines({
  message,
  hint,
  requestId,
}: Pick<ErrorReport, 'message' | 'hint' | 'requestId'>): readonly string[] {
  return [
    `fish-cli: ${message}`,
    ...(hint === null ? [] : hint.split('\n').map((line) => `  ${line}`)),
    ...(requestId === null ? [] : [`  (request ${requestId})`]),
  ]
}
