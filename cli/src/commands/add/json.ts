import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseJsonText } from '../../core/parse-values.ts'
import { type FileRecord, fieldOf, splitLines } from './records.ts'
import type { FileSource } from './source.ts'

const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads an array of catches, a single catch, or an object with lists of catches, such as the output of `list --json`.
 */
export async function* parseJson({ size, text }: FileSource): AsyncGenerator<FileRecord> {
  if (size > MAX_BYTES) {
    throw usageError(
      'A JSON file may have at most 64 MiB; nothing was changed.',
      'For a larger file, use JSON Lines or CSV, with one catch in each line.',
    )
  }
  let whole = ''
  for await (const chunk of text()) whole += chunk
  let number = 0
  for (const { list, ...shared } of listsOf(parseWhole(whole))) {
    for (const value of list) yield recordOf(`Catch ${++number}`, value, shared)
  }
}

export async function* parseJsonLines({ text }: FileSource): AsyncGenerator<FileRecord> {
  for await (const { line, text: one } of splitLines(text())) {
    if (one.trim() !== '') yield recordOf(`Line ${line}`, parseJsonText(one))
  }
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CliError({
      code: 'wrong_lines',
      message: `The file is not valid JSON; nothing was changed. ${(error as Error).message}`,
      hint: 'Correct the file, then repeat the command.',
      exit: EXIT.usage,
    })
  }
}

/** Fields of a list that apply to all its catches. */
interface Shared {
  readonly kind?: 'fish' | 'crab'
  readonly gamemode?: unknown
}

const KINDS = { fish: 'fish', crab: 'crab', crabs: 'crab' } as const

function listsOf(document: unknown): readonly (Shared & { readonly list: readonly unknown[] })[] {
  if (Array.isArray(document)) return [{ list: document }]
  const { gamemode, ...others } = Object(document) as Readonly<Record<string, unknown>>
  const lists = Object.entries(KINDS).flatMap(([name, kind]) => {
    const list = others[name]
    return Array.isArray(list) ? [{ list, kind, gamemode }] : []
  })
  return lists.length > 0 ? lists : [{ list: [document] }]
}

// `counts` is in the output of `list --json --chart`. A catch never contains a list.
const LISTS = [...Object.keys(KINDS), 'counts']

function recordOf(at: string, value: unknown, shared: Shared = {}): FileRecord {
  if (value === undefined) return { at, problem: 'Invalid JSON.' }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { at, problem: 'Must be a JSON object.' }
  }
  const given = value as Readonly<Record<string, unknown>>
  // Without this check, an object with lists could be added as a crab without a name.
  if (LISTS.some((name) => Array.isArray(given[name]))) return { at, problem: 'Is a list, not a catch.' }
  const fields: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(given)) {
    const field = fieldOf(key) ?? key
    // The exact name of a field wins over an alias.
    if (!(field in fields) || key === field) fields[field] = one
  }
  return {
    at,
    fields: { ...fields, kind: fields.kind ?? shared.kind, gamemode: fields.gamemode ?? shared.gamemode },
  }
}
