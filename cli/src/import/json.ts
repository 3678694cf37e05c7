import { parseJsonText } from '../core/parse-values.ts'
import { checkLineLength, type FileRecord, fieldOf, splitLines } from './records.ts'

/** Collected text and the line at which it starts. */
interface Part {
  readonly text: string
  readonly line: number
}

const INVALID_JSON = 'Invalid JSON.'

/**
 * Parses JSON in chunks, without holding all of it: the objects of an array, those of the lists in one object, such as
 * `list --json` prints, or one object. A malformed object is reported with its line, and the others are still read.
 */
export async function* parseJson(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const lists: JsonList[] = []
  let list: JsonList | undefined
  /** The text without the elements of its lists. */
  let document: Part = { text: '', line: 1 }
  let element: Part = { text: '', line: 1 }
  let line = 1
  let depth = 0
  let inString = false
  /** Index of an escaped character in the chunk. */
  let escaped = -1
  let isAfterComma = false
  let hasEnded = false
  for await (const chunk of chunks) {
    let from = 0
    const extend = (part: Part, end: number): Part => {
      const text = part.text + chunk.slice(from, end)
      from = end
      return { text, line: part.line }
    }
    for (const { 0: character, index } of chunk.matchAll(/["\\[\]{},\n]/g)) {
      if (character === '\n') line += 1
      else if (inString) {
        if (index === escaped) continue
        if (character === '\\') escaped = index + 1
        inString = character !== '"'
      } else if (list && depth === list.depth && (character === ',' || character === ']')) {
        const part = trimStart(extend(element, index))
        if (part.text !== '') yield withListFields(jsonRecord(part), list)
        else if (character === ',' || isAfterComma) yield { line, problem: INVALID_JSON }
        element = { text: '', line }
        isAfterComma = character === ','
        if (isAfterComma) from = index + 1
        else list = undefined
      } else if (character === '[' && !list && !hasEnded) {
        document = extend(document, index)
        list = listAt(document.text, depth, lists)
        if (list) {
          lists.push(list)
          document = extend(document, index + 1)
          element = { text: '', line }
        } else depth += 1
      } else if (character === '"') inString = true
      else if (character === '{' || character === '[') depth += 1
      else if (character === '}' || character === ']') depth = Math.max(list?.depth ?? 0, depth - 1)
      const isEnd = !list && !inString && depth === 0 && (character === '}' || character === ']')
      if (isEnd && !hasEnded) {
        hasEnded = true
        yield* checkDocument(trimStart(extend(document, index + 1)), lists)
        document = { text: '', line }
      }
    }
    if (list) element = trimStart(extend(element, chunk.length))
    else document = trimStart(extend(document, chunk.length))
    if (hasEnded && document.text !== '') break
    escaped -= chunk.length
    for (const part of [document, element]) checkLineLength(part.text.length, part.line)
  }
  if (list) yield { line: trimStart(element).line, problem: 'The JSON array is not closed.' }
  else if (!hasEnded) yield jsonRecord(document)
  else if (document.text !== '') {
    yield { line: document.line, problem: 'Unexpected text after the end of the JSON.' }
  }
}

function trimStart({ text, line }: Part): Part {
  const [blank = ''] = /^\s*/.exec(text) ?? []
  return { text: text.slice(blank.length), line: line + blank.split('\n').length - 1 }
}

/** The array that is the document, or a list of catches in an object, such as `list --json` prints. */
interface JsonList {
  readonly name: string
  /** How many brackets are open around it. */
  readonly depth: number
  readonly kind?: 'fish' | 'crab'
  /** The gamemode in the object before the list. */
  readonly gamemode?: unknown
  readonly isRepeated: boolean
}

const NAMES = 'fish|crabs?'

// After `{` or `,`, so that a name within a string does not match.
const LIST_START = new RegExp(`[{,]\\s*"(${NAMES})"\\s*:\\s*$`)

// Characters of a name with the space around it.
const MAX_NAME = 200

/** The list that starts after this text of a document, if it is one of catches. */
function listAt(text: string, depth: number, known: readonly JsonList[]): JsonList | undefined {
  if (text.trim() === '') return { name: '', depth, isRepeated: false }
  const [, name] = LIST_START.exec(text.slice(-MAX_NAME)) ?? []
  if (name === undefined || depth !== 1 || !/^\s*\{/.test(text)) return undefined
  const kind = name === 'fish' ? 'fish' : 'crab'
  // An object with thousands of lists must not be parsed for each of them.
  const isRepeated = known.some((list) => list.name === name)
  return { name, depth, kind, isRepeated, gamemode: isRepeated ? undefined : gamemodeOf(`${text}[]}`) }
}

/** Adds the fields that the object has for all its records. */
function withListFields(record: FileRecord, { kind, gamemode }: JsonList): FileRecord {
  if ('problem' in record) return record
  const { line, fields } = record
  return { line, fields: { ...fields, kind: fields.kind ?? kind, gamemode: fields.gamemode ?? gamemode } }
}

/** The one record of a document without lists, or the problems around its lists. */
function* checkDocument({ line, text }: Part, lists: readonly JsonList[]): Generator<FileRecord> {
  const gamemode = gamemodeOf(text)
  if (lists.length === 0) yield jsonRecord({ line, text })
  else if (parseJsonText(text) === undefined) yield { line, problem: INVALID_JSON }
  else if (lists.some(({ isRepeated }) => isRepeated)) yield { line, problem: 'Contains a list twice.' }
  else if (lists.some((list) => list.gamemode !== gamemode)) {
    yield { line, problem: 'gamemode: Must appear once, before the list.' }
  }
}

const BEFORE_LIST = `\\{\\s*(?:"[^"\\\\]*"\\s*:\\s*(?:"[^"\\\\]*"|[^"[\\]{},\\s]+)\\s*,\\s*)*"(?:${NAMES})"\\s*:\\s*\\[`
const DOCUMENT = new RegExp(`^\\s*${BEFORE_LIST}`)

/** Whether a text starts with an object that contains a list of catches, after nothing but plain values. */
export function startsWithList(text: string): boolean {
  return DOCUMENT.test(text)
}

function gamemodeOf(text: string): unknown {
  return (parseJsonText(text) as { readonly gamemode?: unknown } | undefined)?.gamemode
}

// Names of lists in the output of `list --json`. A catch has no lists.
const LISTS = ['fish', 'crab', 'crabs', 'counts'] as const

export async function* parseJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  for await (const line of splitLines(chunks)) {
    if (line.text.trim() !== '') yield jsonRecord(line)
  }
}

function jsonRecord({ line, text }: Part): FileRecord {
  const value = parseJsonText(text)
  if (value === undefined) return { line, problem: INVALID_JSON }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, problem: 'Must be a JSON object.' }
  }
  const fields = value as Record<string, unknown>
  // Otherwise it might be taken for a crab without a name.
  if (LISTS.some((name) => Array.isArray(fields[name]))) return { line, problem: 'Is a list, not a catch.' }
  return { line, fields: withFieldNames(fields) }
}

// The exact name of a field wins over an alias. Unknown keys stay.
function withFieldNames(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    const field = fieldOf(key) ?? key
    if (!(field in named) || key === field) named[field] = value
  }
  return named
}
