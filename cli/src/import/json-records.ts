import { endOfDocument, type JsonList, listThatBegins, recordOf } from './json-list.ts'
import { checkLength, type FileRecord, jsonRecord, NO_JSON } from './records.ts'

/**
 * The objects of a JSON array, those of the lists in one object, such as `list --json` prints, or that one object
 * itself. They are read in pieces: the text is never held as a whole. A broken one is reported with its line, and the
 * others are still read.
 */
export async function* jsonRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
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
    checkLength(this.#part.text.length, this.#part.line)
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
    const list = listThatBegins(text, this.#lists)
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
    if (line > 0) yield recordOf(jsonRecord(line, text), this.#around && this.#lists.at(-1))
    else if (end === ',' || this.#isBehindComma) yield { line: this.#line, problem: NO_JSON }
    this.#isBehindComma = end === ','
  }

  *#takeObject(text: string): Generator<FileRecord> {
    const { line } = this.#part
    this.#part = NOTHING
    this.#depth = 0
    this.#root = 'closed'
    if (this.#lists.length === 0) yield jsonRecord(line, text)
    else yield* endOfDocument(line, text, this.#lists)
  }
}
