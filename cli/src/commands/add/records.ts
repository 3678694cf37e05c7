import { usageError } from '../../core/errors.ts'

export interface Problem {
  /** Position in the file, such as `Line 3`, or `Catch 3` in JSON. */
  readonly at: string
  readonly problem: string
}

export type FileRecord = { readonly at: string; readonly fields: Readonly<Record<string, unknown>> } | Problem

/** The fields, in the column order of a file without a header. */
export const FIELDS = ['name', 'rarity', 'kind', 'gamemode', 'caughtAt'] as const

type Field = (typeof FIELDS)[number]

/**
 * Other names of fields, in lower case without spaces, `_` and `-`. In the API of the service, the field `name` is
 * called `fish`.
 */
const ALIASES: Readonly<Record<string, Field>> = {
  fish: 'name',
  type: 'kind',
  timestamp: 'caughtAt',
  time: 'caughtAt',
  date: 'caughtAt',
}

/**
 * Columns of exported catches: `id` is the id of a stored record, and `entry` is the index of the catch in the record.
 */
const EXPORTED = ['player', 'id', 'entry'] as const

/** Returns the field for a title in any spelling, such as `Caught At` or `caught_at`. */
export function fieldOf(title: string): Field | (typeof EXPORTED)[number] | undefined {
  const plain = title.toLowerCase().replace(/[\s_-]/g, '')
  const exported = EXPORTED.find((field) => field === plain)
  if (exported !== undefined) return exported
  return FIELDS.find((field) => field.toLowerCase() === plain) ?? ALIASES[plain]
}

export interface TextLine {
  readonly line: number
  readonly text: string
}

// Maximum length in characters. A longer line cannot be a catch and could fill the memory.
const MAX_LINE = 1024 * 1024

export const FORMAT_HINT = 'Write one line for each catch, such as Salmon,gold, or use JSON.'

export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let rest = ''
  let line = 0
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      line += 1
      yield { line, text: text.endsWith('\r') ? text.slice(0, -1) : text }
    }
    if (rest.length > MAX_LINE)
      throw usageError(`Line ${line + 1} is too long for a catch; nothing was changed.`, FORMAT_HINT)
  }
  if (rest !== '') yield { line: line + 1, text: rest }
}
