import { checkLineLength, type FileRecord, fieldOf, splitLines } from './records.ts'

/**
 * The objects of a JSON array, those of the lists in one object, such as `list --json` prints, or that one object
 * itself. They are read in pieces: the text is never held as a whole. A broken one is reported with its line, and the
 * others are still read.
 */
export async function* parseJson(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const scanner = new Scanner()
  for await (const piece of pieces) yield* scanner.scan(piece)
  yield* scanner.end()
}

/** A text that is collected, and the line at which it begins. */
interface Part {
  readonly text: string
  readonly line: number
}

const NOTHING: Part = { text: '', line: 0 }

class Scanner {
  /** Those of the object, as they began. */
  readonly #lists: JsonList[] = []
  #line = 1
  /** What the whole text is; nothing while only space was read. */
  #root: 'array' | 'object' | 'other' | 'closed' | undefined
  #depth = 0
  #inString = false
  #escaped = false
  /** Whether an element has to come. */
  #isBehindComma = false
  /** An element of a list; or the object around lists, without what they hold. */
  #part = NOTHING
  /** That object, while a list in it is read. */
  #around: Part | undefined;

  *scan(piece: string): Generator<FileRecord> {
    let from = this.#part.line > 0 ? 0 : -1
    const textTo = (end: number) => this.#part.text + (from === -1 ? '' : piece.slice(from, end))
    for (let index = 0; index < piece.length; index += 1) {
      const character = piece[index] ?? ''
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
    this.#part = { ...this.#part, text: textTo(piece.length) }
    checkLineLength(this.#part.text.length, this.#part.line)
  }

  *end(): Generator<FileRecord> {
    const { line, text } = this.#part
    if (this.#root === 'array' || this.#around) {
      yield { line: line || this.#line, problem: 'The JSON array does not end.' }
    } else if (this.#root === 'closed' && line > 0) {
      yield { line, problem: 'Stands behind the end of the JSON.' }
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

  /** Learns what the whole text is. @returns whether this only opens its list */
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

  /** @returns whether this begins a list of catches */
  #enterList(text: string): boolean {
    const list = listStartingAt(text, this.#lists)
    if (!list) return false
    this.#lists.push(list)
    this.#around = { ...this.#part, text }
    this.#part = NOTHING
    this.#depth = 0
    return true
  }

  /** @returns whether an object goes on behind it */
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

  /** @param end The comma behind it, or the end of the list. */
  *#takeElement(text: string, end: string): Generator<FileRecord> {
    const { line } = this.#part
    this.#part = NOTHING
    if (line > 0) yield withListFields(jsonRecord(line, text), this.#around && this.#lists.at(-1))
    else if (end === ',' || this.#isBehindComma) yield { line: this.#line, problem: INVALID_JSON }
    this.#isBehindComma = end === ','
  }

  *#takeObject(text: string): Generator<FileRecord> {
    const { line } = this.#part
    this.#part = NOTHING
    this.#depth = 0
    this.#root = 'closed'
    if (this.#lists.length === 0) yield jsonRecord(line, text)
    else yield* checkDocument(line, text, this.#lists)
  }
}

/** A list of catches in a JSON object, such as `list --json` prints. */
interface JsonList {
  readonly name: string
  readonly kind: 'fish' | 'crab'
  /** What the object said of all of them before the list. */
  readonly gamemode: unknown
  readonly isRepeated: boolean
}

const NAMES = 'fish|crabs?'

// The name must be a name: behind `{` or `,`, so that no text which holds such a name is taken for one.
const BEGINNING = new RegExp(`[{,]\\s*"(${NAMES})"\\s*:\\s*$`)

// Most characters of a name and the space around it.
const LONGEST_NAME = 200

/**
 * The list of catches that begins behind this text of an object, if one does.
 *
 * @param known Those of the object that began before.
 */
function listStartingAt(text: string, known: readonly JsonList[]): JsonList | undefined {
  const [, name] = BEGINNING.exec(text.slice(-LONGEST_NAME)) ?? []
  if (name === undefined) return undefined
  // An object of thousands of lists must not be parsed for each of them.
  const isRepeated = known.some((list) => list.name === name)
  const gamemode = isRepeated ? undefined : gamemodeOf(`${text}[]}`)
  return { name, kind: name === 'fish' ? 'fish' : 'crab', gamemode, isRepeated }
}

/** A record of a list, with what its object says of all of them. */
function withListFields(record: FileRecord, list: JsonList | undefined): FileRecord {
  if (!list || 'problem' in record) return record
  const { line, fields } = record
  const gamemode = fields.gamemode ?? list.gamemode
  const own = { ...fields, kind: fields.kind ?? list.kind }
  return { line, fields: gamemode === undefined ? own : { ...own, gamemode } }
}

/** What is wrong with an object whose lists were read, told of its first line. */
function* checkDocument(line: number, text: string, lists: readonly JsonList[]): Generator<FileRecord> {
  try {
    JSON.parse(text)
  } catch {
    yield { line, problem: INVALID_JSON }
    return
  }
  if (lists.some(({ isRepeated }) => isRepeated)) {
    yield { line, problem: 'Holds a list twice.' }
    return
  }
  const gamemode = gamemodeOf(text)
  if (lists.some((list) => list.gamemode !== gamemode)) {
    yield { line, problem: 'gamemode: Must stand before the list, and once.' }
  }
}

const BEFORE_LIST = `\\{\\s*(?:"[^"\\\\]*"\\s*:\\s*(?:"[^"\\\\]*"|[^"[\\]{},\\s]+)\\s*,\\s*)*"(?:${NAMES})"\\s*:\\s*\\[`
const DOCUMENT = new RegExp(`^\\s*${BEFORE_LIST}`)

/** Whether a text begins with an object that holds a list of catches, behind nothing but plain values. */
export function startsWithList(text: string): boolean {
  return DOCUMENT.test(text)
}

function gamemodeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly gamemode?: unknown }).gamemode
  } catch {
    return undefined
  }
}

/** The problem of what cannot be parsed. */
const INVALID_JSON = 'Is no JSON.'

/** What `list --json` prints lists under; a catch has none. */
const LISTS = ['fish', 'crab', 'crabs', 'counts'] as const

/** JSON Lines: one object in each line. */
export async function* parseJsonLines(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  for await (const { line, text } of splitLines(pieces)) {
    if (text.trim() !== '') yield jsonRecord(line, text)
  }
}

/** The record in a text of JSON. */
function jsonRecord(line: number, text: string): FileRecord {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { line, problem: 'Must be a JSON object.' }
    }
    const fields = value as Record<string, unknown>
    // Without this it might be taken for one plain crab.
    if (LISTS.some((name) => Array.isArray(fields[name]))) {
      return { line, problem: 'Is no catch, but holds a list.' }
    }
    return { line, fields: withFieldNames(fields) }
  } catch {
    return { line, problem: INVALID_JSON }
  }
}

/** What a field's own name holds wins over what its alias holds; what names no field is kept under its key. */
function withFieldNames(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    const field = fieldOf(key) ?? key
    if (!(field in named) || key === field) named[field] = value
  }
  return named
}
