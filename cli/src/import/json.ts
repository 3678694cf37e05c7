import { parseJsonText } from '../core/parse-values.ts'
import { checkLineLength, type FileRecord, fieldOf, splitLines } from './records.ts'

/**
 * Parses JSON in chunks, without holding all of it: the objects of an array, those of the lists in one object, such as
 * `list --json` prints, or one object. A malformed object is reported with its line, and the others are still read.
 */
export async function* parseJson(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const scanner = new Scanner()
  for await (const chunk of chunks) yield* scanner.scan(chunk)
  yield* scanner.end()
}

/** Collected text and the line at which it starts. */
interface Part {
  readonly text: string
  readonly line: number
}

const EMPTY: Part = { text: '', line: 0 }

class Scanner {
  /** Lists of the object, in the order of their start. */
  readonly #lists: JsonList[] = []
  #line = 1
  /** Kind of the whole text; `undefined` before the first token. */
  #root: 'array' | 'object' | 'other' | 'closed' | undefined
  #depth = 0
  #inString = false
  #escaped = false
  /** Whether an element must follow. */
  #isAfterComma = false
  /** The current element of a list, or the object around the lists without their elements. */
  #part = EMPTY
  /** That object while one of its lists is read. */
  #around: Part | undefined;

  *scan(chunk: string): Generator<FileRecord> {
    let from = this.#part.line > 0 ? 0 : -1
    const textTo = (end: number) => this.#part.text + (from === -1 ? '' : chunk.slice(from, end))
    for (let index = 0; index < chunk.length; index += 1) {
      const character = chunk[index] ?? ''
      if (character === '\n') this.#line += 1
      if (this.#inString) {
        this.#readString(character)
        continue
      }
      if (/\s/.test(character) || this.#opens(character)) continue
      if (this.#endsElement(character)) {
        yield* this.#takeElement(textTo(index), character)
        from = character === ']' && this.#leaveList() ? index : -1
      } else if (this.#endsObject(character)) {
        yield* this.#takeObject(textTo(index + 1))
        from = -1
      } else if (this.#mayBeginList(character) && this.#enterList(textTo(index))) {
        from = -1
      } else {
        if (this.#part.line === 0) {
          this.#part = { text: '', line: this.#line }
          from = index
        }
        this.#readStructure(character)
      }
    }
    this.#part = { ...this.#part, text: textTo(chunk.length) }
    checkLineLength(this.#part.text.length, this.#part.line)
  }

  *end(): Generator<FileRecord> {
    const { line, text } = this.#part
    if (this.#root === 'array' || this.#around) {
      yield { line: line || this.#line, problem: 'The JSON array is not closed.' }
    } else if (this.#root === 'closed' && line > 0) {
      yield { line, problem: 'Unexpected text after the end of the JSON.' }
    } else if (line > 0) {
      yield jsonRecord(line, text)
    }
  }

  #readString(character: string): void {
    if (this.#escaped) this.#escaped = false
    else if (character === '\\') this.#escaped = true
    else if (character === '"') this.#inString = false
  }

  #readStructure(character: string): void {
    if (character === '"') this.#inString = true
    else if (character === '{' || character === '[') this.#depth += 1
    else if (character === '}' || character === ']') this.#depth = Math.max(0, this.#depth - 1)
  }

  /** Sets the root. @returns whether the character only opens the array */
  #opens(character: string): boolean {
    if (this.#root !== undefined) return false
    this.#root = character === '[' ? 'array' : character === '{' ? 'object' : 'other'
    return this.#root === 'array'
  }

  #endsElement(character: string): boolean {
    const isInList = this.#root === 'array' || this.#around !== undefined
    return isInList && this.#depth === 0 && (character === ',' || character === ']')
  }

  #endsObject(character: string): boolean {
    return character === '}' && this.#root === 'object' && !this.#around && this.#depth === 1
  }

  #mayBeginList(character: string): boolean {
    return character === '[' && this.#root === 'object' && !this.#around && this.#depth === 1
  }

  /** @returns whether a list of catches starts here */
  #enterList(text: string): boolean {
    const list = listStartingAt(text, this.#lists)
    if (!list) return false
    this.#lists.push(list)
    this.#around = { ...this.#part, text }
    this.#part = EMPTY
    this.#depth = 0
    return true
  }

  /** @returns whether an object continues after the list */
  #leaveList(): boolean {
    if (!this.#around) {
      this.#root = 'closed'
      return false
    }
    this.#part = { ...this.#around, text: `${this.#around.text}[` }
    this.#around = undefined
    this.#depth = 1
    return true
  }

  /** @param end The comma after it, or the end of the list */
  *#takeElement(text: string, end: string): Generator<FileRecord> {
    const { line } = this.#part
    this.#part = EMPTY
    if (line > 0) yield withListFields(jsonRecord(line, text), this.#around && this.#lists.at(-1))
    else if (end === ',' || this.#isAfterComma) yield { line: this.#line, problem: INVALID_JSON }
    this.#isAfterComma = end === ','
  }

  *#takeObject(text: string): Generator<FileRecord> {
    const { line } = this.#part
    this.#part = EMPTY
    this.#depth = 0
    this.#root = 'closed'
    if (this.#lists.length === 0) yield jsonRecord(line, text)
    else yield* checkDocument(line, text, this.#lists)
  }
}

/** A list of catches in an object, such as `list --json` prints. */
interface JsonList {
  readonly name: string
  readonly kind: 'fish' | 'crab'
  /** The gamemode in the object before the list. */
  readonly gamemode: unknown
  readonly isRepeated: boolean
}

const NAMES = 'fish|crabs?'

// After `{` or `,`, so that a name within a string does not match.
const LIST_START = new RegExp(`[{,]\\s*"(${NAMES})"\\s*:\\s*$`)

// Characters of a name with the space around it.
const MAX_NAME = 200

/**
 * The list of catches that starts after this text of an object, if any.
 *
 * @param known Lists of the object that started before
 */
function listStartingAt(text: string, known: readonly JsonList[]): JsonList | undefined {
  const [, name] = LIST_START.exec(text.slice(-MAX_NAME)) ?? []
  if (name === undefined) return undefined
  // An object with thousands of lists must not be parsed for each of them.
  const isRepeated = known.some((list) => list.name === name)
  const gamemode = isRepeated ? undefined : gamemodeOf(`${text}[]}`)
  return { name, kind: name === 'fish' ? 'fish' : 'crab', gamemode, isRepeated }
}

/** Adds the fields that the object has for all its records. */
function withListFields(record: FileRecord, list: JsonList | undefined): FileRecord {
  if (!list || 'problem' in record) return record
  const { line, fields } = record
  const gamemode = fields.gamemode ?? list.gamemode
  const own = { ...fields, kind: fields.kind ?? list.kind }
  return { line, fields: gamemode === undefined ? own : { ...own, gamemode } }
}

/** Reports problems of an object whose lists were read. */
function* checkDocument(line: number, text: string, lists: readonly JsonList[]): Generator<FileRecord> {
  if (parseJsonText(text) === undefined) {
    yield { line, problem: INVALID_JSON }
    return
  }
  if (lists.some(({ isRepeated }) => isRepeated)) {
    yield { line, problem: 'Contains a list twice.' }
    return
  }
  const gamemode = gamemodeOf(text)
  if (lists.some((list) => list.gamemode !== gamemode)) {
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

const INVALID_JSON = 'Invalid JSON.'

// Names of lists in the output of `list --json`. A catch has no lists.
const LISTS = ['fish', 'crab', 'crabs', 'counts'] as const

/** Parses JSON Lines: one object per line. */
export async function* parseJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  for await (const { line, text } of splitLines(chunks)) {
    if (text.trim() !== '') yield jsonRecord(line, text)
  }
}

function jsonRecord(line: number, text: string): FileRecord {
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
