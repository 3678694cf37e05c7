import { isUtf8 } from 'node:buffer'
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
import {
  type ContentLine,
  exportLine,
  firstLineProblem,
  lastLine,
  lineProblem,
  ownerOf,
  parsed,
} from './export-format.ts'
import { MaintenanceError, type MaintenanceOptions } from './maintenance.ts'

class ExportContent {
  readonly counts = { items: 0, records: 0, tokens: 0, removedOwners: 0, users: 0, entries: 0 }
  /** Value of {@link SECRET_CHECK_KEY}; `null` when the store was never served. */
  secretCheck: string | null = null

  add(line: ContentLine): void {
    const { counts } = this
    if ('record' in line) {
      counts.records += 1
      counts.entries += line.record.count
    } else if ('item' in line) {
      counts.items += 1
      if (line.item.startsWith(USERS_BASE)) counts.users += 1
      if (line.item === SECRET_CHECK_KEY) this.secretCheck = line.value
    } else if ('token' in line) counts.tokens += 1
    else counts.removedOwners += 1
  }
}

/** Checks each line and the consistency of all lines. @throws MaintenanceError `invalid_path`, `invalid_line` */
export async function checkExport(file: string, { onProgress, signal }: MaintenanceOptions): Promise<ExportContent> {
  checkSource(file)
  const total = statSync(file).size
  const checks = new LineChecks()
  const checkLine = (line: ContentLine, number: number) => {
    signal?.throwIfAborted()
    checks.add(line, number)
  }
  const content = await readExport(file, checkLine, (done) =>
    onProgress?.({ step: 'check', unit: 'bytes', done, total }),
  )
  checks.finish(content.secretCheck)
  return content
}

/** An import reads the file twice: to check it, then to write it. */
function checkSource(file: string): void {
  const stat = statSync(file)
  if (stat.isFile()) return
  const [what, hint] = stat.isDirectory()
    ? ['is a folder', 'Name a file that fish-cli export wrote.']
    : ['is not a regular file, and an import reads it twice', 'Save the export to a file and pass that file.']
  throw new MaintenanceError('invalid_path', `${file} ${what}.`, { hint })
}

/** Checks each line on its own. The first line of the file is 1; `onRead` receives the number of bytes read so far. */
export async function readExport(
  file: string,
  onLine: (line: ContentLine, number: number) => unknown,
  onRead: (bytes: number) => void = () => {},
): Promise<ExportContent> {
  const content = new ExportContent()
  let number = 0
  let isEnded = false
  for await (const text of textLines(file, onRead)) {
    number += 1
    if (isEnded) throw invalidLine(number, 'follows the last line')
    if (number === 1) {
      const problem = firstLineProblem(parsed(text))
      if (problem !== undefined) throw invalidLine(number, problem)
      continue
    }
    const { data: line } = exportLine.safeParse(parsed(text))
    if (!line) throw invalidLine(number, 'is not a line of an export')
    if ('end' in line) {
      if (JSON.stringify(line) !== JSON.stringify(lastLine(content.counts))) {
        throw invalidLine(number, 'has other counts than the lines above: lines were removed or added')
      }
      isEnded = true
      continue
    }
    const problem = lineProblem(line)
    if (problem !== undefined) throw invalidLine(number, problem)
    content.add(line)
    await onLine(line, number)
  }
  if (!isEnded) throw invalidLine(number + 1, 'is missing: the export was cut off')
  return content
}

/** Quotes nothing of the line. */
function invalidLine(number: number, what: string): MaintenanceError {
  return new MaintenanceError('invalid_line', `Line ${number} ${what}.`, {
    hint: 'Nothing was written. Use the export as fish-cli export wrote it.',
  })
}

/** Far above the size of the largest write. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/**
 * The lines of a file. `node:readline` also ends a line at U+2028 and U+2029, which may be unescaped in JSON. Bytes that are
 * not UTF-8 make a line that is not JSON.
 */
async function* textLines(file: string, onRead: (bytes: number) => void): AsyncGenerator<string> {
  // In latin1, every byte is a character.
  let rest = ''
  let [bytes, number] = [0, 1]
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    onRead(bytes)
    const [last = '', ...lines] = (rest + chunk.toString('latin1')).split('\n').reverse()
    for (const line of lines.reverse()) yield decoded(line)
    number += lines.length
    rest = last
    if (rest.length > MAX_LINE_BYTES) throw invalidLine(number, 'is too long')
  }
  if (rest !== '') yield decoded(rest)
}

function decoded(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : ''
}

/**
 * Checks that the lines of an export are consistent, in any order. An interrupted creation or deletion of a user leaves
 * items without a user, which are valid.
 */
class LineChecks {
  readonly #stated = new TextSet()
  readonly #users = new Map<string, { readonly number: number; readonly name: string }>()
  /** First line of each owner of records and tokens. */
  readonly #owners = new Map<string, number>()
  /** First key that is encrypted under each secret. */
  readonly #encrypted = new Map<string | undefined, number>()

  add(line: ContentLine, number: number): void {
    const owner = ownerOf(line)
    if ('removedOwner' in line) {
      this.#stated.add(removalOf(line.removedOwner))
      return
    }
    const isRemoved = owner !== undefined && this.#stated.has(removalOf(owner))
    if (isRemoved || !statementsOf(line).every((statement) => this.#stated.add(statement))) {
      throw invalidLine(number, 'repeats what a line above states')
    }
    if (owner !== undefined) this.#owners.set(owner, this.#owners.get(owner) ?? number)
    if (!('item' in line)) return
    if (ownerOfEncrypted(line.item) !== undefined) {
      const secretId = secretIdOf(line.value)
      this.#encrypted.set(secretId, this.#encrypted.get(secretId) ?? number)
    }
    if (!line.item.startsWith(USERS_BASE)) return
    const { id, name } = JSON.parse(line.value) as User
    this.#users.set(id, { number, name })
  }

  /** @throws MaintenanceError `invalid_line` */
  finish(secretCheck: string | null): void {
    for (const [secretId, number] of this.#encrypted) {
      if (secretCheck === null) {
        const what = `has an encrypted key, and ${SECRET_CHECK_KEY}, which identifies its secret, is missing`
        throw invalidLine(number, what)
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
      if (!this.#stated.has(nameOf(nameItem, name))) {
        throw invalidLine(number, `has a user, and ${nameItem} is missing or names another`)
      }
      const missing = SECRETS.map((secret) => secretKey(id, secret)).find((item) => !this.#stated.has(itemOf(item)))
      if (missing !== undefined) throw invalidLine(number, `has a user, and ${missing} is missing`)
    }
  }
}

// What at most one line may contain. No two kinds have the same text: an item has one part, a token two, the others
// three.
const itemOf = (item: string) => JSON.stringify([item])
const tokenOf = (owner: string, dedupeKey: string) => JSON.stringify([owner, dedupeKey])
const recordOf = (owner: string, id: string) => JSON.stringify([owner, 'record', id])
const nameOf = (item: string, name: string) => JSON.stringify([item, 'name', name])
/** Nothing of a removed owner may follow. */
const removalOf = (owner: string) => JSON.stringify([owner, 'removed', ''])

function statementsOf(line: Exclude<ContentLine, { removedOwner: string }>): readonly string[] {
  if ('token' in line) return [tokenOf(line.token.owner, line.token.dedupeKey)]
  if ('item' in line) {
    const { item, value } = line
    return item.startsWith(USER_NAMES_BASE) ? [itemOf(item), nameOf(item, value)] : [itemOf(item)]
  }
  const { owner, id, dedupeKey } = line.record
  return dedupeKey === null ? [recordOf(owner, id)] : [recordOf(owner, id), tokenOf(owner, dedupeKey)]
}

const DIGEST_BYTES = 12

/** A set of any number of texts: of each it stores a part of a digest, in shards, since a `Set` ends at 16 million. */
class TextSet {
  readonly #shards = Array.from({ length: 256 }, () => new Set<string>())

  add(text: string): boolean {
    const { digest, shard } = this.#find(text)
    const { size } = shard
    return shard.add(digest).size > size
  }

  has(text: string): boolean {
    const { digest, shard } = this.#find(text)
    return shard.has(digest)
  }

  #find(text: string) {
    const bytes = hash('sha256', text, 'buffer')
    const shard = this.#shards[bytes.readUInt8(DIGEST_BYTES)] as Set<string>
    return { digest: bytes.toString('latin1', 0, DIGEST_BYTES), shard }
  }
}
