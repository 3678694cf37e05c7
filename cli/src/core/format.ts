import { usageError } from './errors.ts'

export const FORMATS = ['table', 'json', 'jsonl', 'csv', 'tsv'] as const

export type Format = (typeof FORMATS)[number]

export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly output?: string | undefined
  readonly fields?: string | undefined
  readonly raw?: boolean | undefined
  readonly 'no-pager'?: boolean | undefined
}

export function formatOf(flags: OutputFlags): Format {
  return parseFormat(FORMATS, flags)
}

export function parseFormat<Name extends string>(
  formats: readonly (Name | 'table' | 'json')[],
  { json, output }: OutputFlags,
): Name | 'table' | 'json' {
  if (output === undefined) return json ? 'json' : 'table'
  const format = formats.find((name) => name === output.toLowerCase())
  if (!format) throw usageError(`--output must be one of ${formats.join(', ')}.`)
  if (json && format !== 'json') throw usageError('--json and --output contradict each other.', 'Use only one of them.')
  return format
}

/** Works without parsing, so that errors about arguments are JSON too. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  return flagWords(argv).some(
    (word, index, words) =>
      word === '--json' ||
      /^(--output=|-o=?)json$/i.test(word) ||
      (/^(--output|-o)$/.test(word) && words[index + 1]?.toLowerCase() === 'json'),
  )
}

export function hasFormatFlag(argv: readonly string[]): boolean {
  return flagWords(argv).some((word) => /^(--json$|--output(=|$)|-o)/.test(word))
}

export function hasNoColourFlag(argv: readonly string[]): boolean {
  return flagWords(argv).includes('--no-color')
}

// After `--`, nothing is a flag.
export function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}
