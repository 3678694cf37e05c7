import { usageError } from '../core/errors.ts'

/** One record of a file, and the line at which it begins. */
export type FileRecord =
  | { readonly line: number; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string }

/** What a record may hold, in the order of the columns of a file without titles. */
export const FIELDS = ['name', 'rarity', 'kind', 'gamemode', 'caughtAt'] as const

/** One of {@link FIELDS}. */
export type Field = (typeof FIELDS)[number]

/** How other programs call them, in lower case and without space, `_` and `-`. `fish` is the word of the service's API. */
const ALIASES: Readonly<Record<string, Field>> = {
  fish: 'name',
  type: 'kind',
  timestamp: 'caughtAt',
  time: 'caughtAt',
  date: 'caughtAt',
}

/** The field that a title or a key of JSON names, in any letter case: `caughtAt`, `Caught At`, `caught_at`. */
export function fieldOf(title: string): Field | undefined {
  const plain = title.toLowerCase().replace(/[\s_-]/g, '')
  return FIELDS.find((field) => field.toLowerCase() === plain) ?? ALIASES[plain]
}

/** A line of text, counted from 1. */
export interface TextLine {
  readonly line: number
  readonly text: string
}

/** Characters of one record at most. What is longer is none, and would fill the memory. */
const LONGEST_LINE = 1024 * 1024

/** Refuses what is too long for one record. @throws CliError `usage` */
export function checkLineLength(length: number, line: number): void {
  if (length <= LONGEST_LINE) return
  throw usageError(
    `Line ${line} is too long for a catch; nothing was changed.`,
    'Is it a file of catches? One a line: NAME,RARITY, or JSON with these fields.',
  )
}

/** Takes pieces of text apart into lines. @throws CliError `usage` when one is too long */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let rest = ''
  let line = 0
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      line += 1
      yield { line, text: text.endsWith('\r') ? text.slice(0, -1) : text }
    }
    checkLineLength(rest.length, line + 1)
  }
  if (rest !== '') yield { line: line + 1, text: rest }
}
