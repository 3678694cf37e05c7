import { hash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import type { User } from '@fish-crab/sdk/contract'
import {
  ownerOfEncrypted,
  SECRET_CHECK_KEY,
  SECRETS,
  secretKey,
  USER_NAMES_BASE,
  USERS_BASE,
  userNameItem,
} from '../../app/store/item-keys.ts'
import { secretIdOf } from '../../app/users/encryption.ts'
import { hasSecretId } from '../../app/users/secret-check.ts'
import { MaintenanceError } from './errors.ts'
import {
  type ContentLine,
  countLine,
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportCounts,
  exportHeader,
  exportLine,
  lineCounts,
  lineProblem,
  NO_LINES,
  ownerOf,
} from './export-format.ts'
import type { WorkOptions } from './options.ts'

export interface NumberedLine {
  /** The first line of the file is 1. */
  readonly number: number
  readonly line: ContentLine
}

/** What is known of an export that was read to its end. */
export interface ExportContent {
  readonly counts: ExportCounts
  /** Value of {@link SECRET_CHECK_KEY}; `null` when the store was never served. */
  readonly secretCheck: string | null
}

/**
 * Reads an export to its end, and checks each line and what the lines state about each other.
 * @throws MaintenanceError `invalid_path`, `invalid_line`; errors of the system
 */
export async function checkExport(file: string, { onProgress, signal }: WorkOptions): Promise<ExportContent> {
  checkSource(file)
  const total = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const lines = exportLines(file, (done) => onProgress?.({ step: 'check', unit: 'bytes', done, total }))
  const checks = new LineChecks()
  while (true) {
    signal?.throwIfAborted()
    const step = await lines.next()
    if (step.done) {
      checks.finish(step.value.secretCheck)
      return step.value
    }
    checks.add(step.value)
  }
}

/** An import reads the file twice: to check it, then to write it. Opening a missing file fails by itself. */
function checkSource(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || stat.isFile()) return
  throw stat.isDirectory()
    ? new MaintenanceError('invalid_path', `${file} is a folder.`, { hint: 'Name a file that fish-cli export wrote.' })
    : new MaintenanceError('invalid_path', `${file} is not a regular file, and an import reads it twice.`, {
        hint: 'Save the export to a file and pass that file.',
      })
}

/**
 * Reads an export line by line, each checked on its own; returns what it contains once its last line confirms it.
 * @param onRead called with the number of bytes read so far, for every chunk of the file
 * @throws MaintenanceError `invalid_line`
 */
export async function* exportLines(
  file: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<NumberedLine, ExportContent> {
  let [number, counts] = [0, NO_LINES]
  let secretCheck: string | null = null
  let isEnded = false
  for await (const text of textLines(file, onRead)) {
    number += 1
    if (isEnded) throw invalidLine(number, 'follows the last line')
    if (number === 1) {
      checkHeader(parsed(text))
      continue
    }
    const { data: line } = exportLine.safeParse(parsed(text))
    if (!line) throw invalidLine(number, 'is not a line of an export')
    if ('end' in line) {
      if (JSON.stringify(line.end) !== JSON.stringify(lineCounts(counts))) {
        throw invalidLine(number, 'has other counts than the lines above: lines were removed or added')
      }
      isEnded = true
      continue
    }
    const problem = lineProblem(line)
    if (problem !== undefined) throw invalidLine(number, problem)
    counts = countLine(counts, line)
    if ('item' in line && line.item === SECRET_CHECK_KEY) secretCheck = line.value
    yield { number, line }
  }
  if (!isEnded) throw invalidLine(number + 1, 'is missing: the export was cut off')
  return { counts, secretCheck }
}

/** Says where, and quotes nothing. */
function invalidLine(number: number, what: string): MaintenanceError {
  return new MaintenanceError('invalid_line', `Line ${number} ${what}.`, {
    hint: 'Nothing was written. Use the export as fish-cli export wrote it.',
  })
}

function checkHeader(header: unknown): void {
  if (exportHeader.safeParse(header).success) return
  const { format, version } = Object(header) as { format?: unknown; version?: unknown }
  const isOther = format === EXPORT_FORMAT && typeof version === 'number' && version !== EXPORT_VERSION
  throw invalidLine(
    1,
    isOther ? `has version ${version}, and this program reads ${EXPORT_VERSION}` : 'is not the first line of an export',
  )
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const NEWLINE = 0x0a
/** Far above the size of the largest write. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * The lines of a file. `node:readline` also ends a line at U+2028 and U+2029, which may stand raw in JSON. Bytes that are
 * not UTF-8 make a line that is not JSON.
 */
async function* textLines(file: string, onRead: (bytes: number) => void): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let [number, size, bytes] = [1, 0, 0]
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    onRead(bytes)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield decoded([...parts, chunk.subarray(from, at)])
      parts = []
      size = 0
      number += 1
      from = at + 1
    }
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > MAX_LINE_BYTES) throw invalidLine(number, 'is too long')
  }
  if (size > 0) yield decoded(parts)
}

function decoded(parts: readonly Buffer[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts))
  } catch {
    return ''
  }
}

/**
 * Checks what the lines of an export state about each other, in any order. Where the creation or deletion of a user was
 * interrupted, the service leaves items behind: these need no user.
 */
class LineChecks {
  readonly #stated = new TextSet()
  readonly #users = new Map<string, { readonly number: number; readonly name: string }>()
  /** Names of users by the items that contain them. */
  readonly #names = new Map<string, string>()
  /** First line of each owner of records and tokens. */
  readonly #owners = new Map<string, number>()
  /** First key that is encrypted under each secret. */
  readonly #encrypted = new Map<string | undefined, number>()

  /** Adds a line that was checked on its own. */
  add({ number, line }: NumberedLine): void {
    if ('removedOwner' in line) {
      this.#stated.add(removalOf(line.removedOwner))
      return
    }
    const owner = ownerOf(line)
    const isRemoved = owner !== undefined && this.#stated.has(removalOf(owner))
    if (isRemoved || !statementsOf(line).every((statement) => this.#stated.add(statement))) {
      throw invalidLine(number, 'repeats what a line above states')
    }
    if (owner !== undefined) setIfAbsent(this.#owners, owner, number)
    if (!('item' in line)) return
    const { item, value } = line
    if (item.startsWith(USER_NAMES_BASE)) this.#names.set(item, value)
    if (ownerOfEncrypted(item) !== undefined) setIfAbsent(this.#encrypted, secretIdOf(value), number)
    if (!item.startsWith(USERS_BASE)) return
    const { id, name } = JSON.parse(value) as User
    this.#users.set(id, { number, name })
  }

  /** @throws MaintenanceError `invalid_line` */
  finish(secretCheck: string | null): void {
    for (const [secretId, number] of this.#encrypted) {
      if (secretCheck === null) {
        throw invalidLine(
          number,
          `has an encrypted key, and ${SECRET_CHECK_KEY}, which identifies its secret, is missing`,
        )
      }
      if (!hasSecretId(secretCheck, secretId)) {
        throw invalidLine(number, `has a key that is encrypted under a secret unknown to ${SECRET_CHECK_KEY}`)
      }
    }
    for (const [owner, number] of this.#owners) {
      if (!this.#users.has(owner)) throw invalidLine(number, 'belongs to a user that is not in the export')
    }
    for (const [id, { number, name }] of this.#users) {
      // Its deletion may have been interrupted.
      if (this.#stated.has(removalOf(id))) continue
      const nameItem = userNameItem(id)
      if (this.#names.get(nameItem) !== name) {
        throw invalidLine(number, `has a user, and ${nameItem} is missing or names another`)
      }
      const missing = SECRETS.map((secret) => secretKey(id, secret)).find((item) => !this.#stated.has(itemOf(item)))
      if (missing !== undefined) throw invalidLine(number, `has a user, and ${missing} is missing`)
    }
  }
}

function setIfAbsent<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  if (!map.has(key)) map.set(key, value)
}

// What only one line may state. No two kinds have the same text: an item has one part, a token two, the others three.
const itemOf = (item: string) => JSON.stringify([item])
const tokenOf = (owner: string, dedupeKey: string) => JSON.stringify([owner, dedupeKey])
const recordOf = (owner: string, id: string) => JSON.stringify([owner, 'record', id])
/** Nothing of a removed owner may follow. */
const removalOf = (owner: string) => JSON.stringify([owner, 'removed', ''])

function statementsOf(line: ContentLine): readonly string[] {
  if ('item' in line) return [itemOf(line.item)]
  if ('token' in line) return [tokenOf(line.token.owner, line.token.dedupeKey)]
  if (!('record' in line)) return []
  const { owner, id, dedupeKey } = line.record
  return dedupeKey === null ? [recordOf(owner, id)] : [recordOf(owner, id), tokenOf(owner, dedupeKey)]
}

const DIGEST_BYTES = 12

/** A set of any number of texts: of each it stores a part of a digest, in shards, since a `Set` ends at 16 million. */
class TextSet {
  readonly #shards = Array.from({ length: 256 }, () => new Set<string>())

  /** Returns whether the text was new. */
  add(text: string): boolean {
    const { digest, shard } = this.#find(text)
    if (shard?.has(digest)) return false
    shard?.add(digest)
    return true
  }

  has(text: string): boolean {
    const { digest, shard } = this.#find(text)
    return shard?.has(digest) ?? false
  }

  #find(text: string) {
    const bytes = hash('sha256', text, 'buffer')
    return { digest: bytes.toString('latin1', 0, DIGEST_BYTES), shard: this.#shards[bytes.readUInt8(DIGEST_BYTES)] }
  }
}
