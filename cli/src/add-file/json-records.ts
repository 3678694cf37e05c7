import { checkLength, type FileRecord, jsonRecord } from './records.ts'

/**
 * The objects of a JSON array, or one object, read in pieces: the text is never held as a whole. A broken one is
 * reported with its line, and the others are still read.
 */
export async function* jsonRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const scanner = new Scanner()
  for await (const piece of pieces) yield* scanner.scan(piece)
  yield* scanner.end()
}

class Scanner {
  #line = 1
  /** What the whole text is; nothing while only space was read. */
  #root: 'array' | 'object' | 'closed' | undefined
  #depth = 0
  #inString = false
  #escaped = false
  #element = ''
  #elementLine = 0

  #readString(character: string): void {
    if (this.#escaped) this.#escaped = false
    else if (character === '\\') this.#escaped = true
    else if (character === '"') this.#inString = false
  }

  *scan(piece: string): Generator<FileRecord> {
    let from = this.#elementLine > 0 ? 0 : -1
    for (let index = 0; index < piece.length; index += 1) {
      const character = piece[index] ?? ''
      if (character === '\n') this.#line += 1
      if (this.#inString) {
        this.#readString(character)
        continue
      }
      if (/\s/.test(character)) continue
      if (this.#root === undefined && character === '[') {
        this.#root = 'array'
        continue
      }
      this.#root ??= 'object'
      const isBase = this.#depth === 0
      if (this.#root === 'array' && isBase && (character === ',' || character === ']')) {
        yield* this.#take(from === -1 ? '' : piece.slice(from, index))
        from = -1
        if (character === ']') this.#root = 'closed'
        continue
      }
      if (this.#elementLine === 0) {
        this.#elementLine = this.#line
        from = index
      }
      if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') this.#depth += 1
      else if (character === '}' || character === ']') this.#depth = Math.max(0, this.#depth - 1)
    }
    if (from !== -1) this.#element += piece.slice(from)
    checkLength(this.#element.length, this.#elementLine)
  }

  *end(): Generator<FileRecord> {
    if (this.#root === 'array') {
      yield { line: this.#elementLine || this.#line, problem: 'The JSON array does not end.' }
      return
    }
    if (this.#root === 'closed' && this.#elementLine > 0) {
      yield { line: this.#elementLine, problem: 'Stands behind the end of the JSON array.' }
      return
    }
    yield* this.#take('')
  }

  *#take(rest: string): Generator<FileRecord> {
    if (this.#elementLine > 0) yield jsonRecord(this.#elementLine, this.#element + rest)
    this.#element = ''
    this.#elementLine = 0
  }
}
