import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import { MaintenanceError, namedPath } from '../core/maintenance.ts'

/** A document of a dump, with BSON types converted to JavaScript values. */
export type DumpDocument = Readonly<Record<string, unknown>>

/**
 * Reads all documents of the wanted collections. The documents of a collection keep the order of the dump. Each call
 * reads the dump again.
 */
export type Dump = (isWanted: (collection: string) => boolean) => AsyncIterable<{
  readonly collection: string
  readonly document: DumpDocument
}>

const HINT =
  'Name a folder or an --archive file of mongodump, or the files of mongoexport, each with the name of its collection.'

export function invalidDump(message: string, cause?: unknown): MaintenanceError {
  return new MaintenanceError('invalid_dump', `${message} Nothing was changed.`, { hint: HINT, cause })
}

/**
 * Opens the dump of a database: a folder or an archive of `mongodump`, or files of `mongoexport`. Files may be gzipped.
 * @throws MaintenanceError `invalid_dump`, `invalid_path`, `no_store`
 */
export async function openDump(paths: readonly string[], signal?: AbortSignal): Promise<Dump> {
  const { deserialize, EJSON } = await import('bson')
  const files = paths
    .map(namedPath)
    .flatMap((path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? filesIn(path) : [file(path)]))
  const sources = (await Promise.all(files.map(sourceOf))).filter((source) => source !== undefined)
  refuseRepeated(sources)
  const reading: Reading = {
    bson: (bytes) => deserialize(bytes),
    json: (text) => EJSON.parse(text),
    signal,
  }
  return async function* documents(isWanted) {
    for (const source of sources) {
      if (source.kind === 'archive') yield* readArchive(source.path, isWanted, reading)
      else if (isWanted(source.collection)) {
        for await (const document of readFile(source, reading)) yield { collection: source.collection, document }
      }
    }
  }
}

interface Reading {
  readonly bson: (bytes: Uint8Array) => DumpDocument
  readonly json: (text: string) => DumpDocument
  /** The signal is checked at each chunk of a file, because many chunks may contain no wanted document. */
  readonly signal: AbortSignal | undefined
}

type Source =
  | { readonly kind: 'archive'; readonly path: string }
  | { readonly kind: 'bson' | 'json'; readonly path: string; readonly collection: string }

const USERS = 'users'
const USERS_FILE = /^users\.(?:bson|json|jsonl|ndjson)(?:\.gz)?$/

/**
 * The files of a folder, or of its only subfolder that contains users: `mongodump` creates a folder for each database.
 */
function filesIn(folder: string): readonly string[] {
  const paths = readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (paths.some((path) => USERS_FILE.test(basename(path)))) return paths.filter((path) => !isFolder(path)).map(file)
  const databases = paths.filter((path) => isFolder(path) && readdirSync(path).some((name) => USERS_FILE.test(name)))
  const [only, another] = databases
  if (another !== undefined) throw invalidDump(`${folder} has several databases: ${databases.join(', ')}. Name one.`)
  if (only === undefined) throw invalidDump(`${folder} has no collection "users".`)
  return filesIn(only)
}

/** Rejects anything except a regular file: a pipe cannot be read twice. */
function file(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new MaintenanceError('no_store', `${path} does not exist. Nothing was changed.`, { hint: HINT })
  if (!stat.isFile()) throw invalidDump(`${path} is neither a file nor a folder.`)
  return path
}

/** Rejects duplicate collections, such as a BSON and a JSON file of one collection: neither is authoritative. */
function refuseRepeated(sources: readonly Source[]): void {
  const paths = new Map<string, string>()
  for (const source of sources) {
    const name = source.kind === 'archive' ? ARCHIVE_NAME : source.collection
    const other = paths.get(name)
    if (other !== undefined) throw invalidDump(`${other} and ${source.path} have the same collections.`)
    paths.set(name, source.path)
  }
}

const ARCHIVE_NAME = ''

/** Returns `undefined` for files of a dump that contain no collection, such as `prelude.json`. */
async function sourceOf(path: string): Promise<Source | undefined> {
  const name = basename(path).replace(/\.gz$/, '')
  if (/\.metadata\.json$/.test(name) || name === 'prelude.json' || name === 'oplog.bson') return undefined
  const [, base = '', kind] = /^(.+)\.(bson|json|jsonl|ndjson)$/.exec(name) ?? []
  if (kind === undefined) {
    if (await isArchive(path)) return { kind: 'archive', path }
    throw invalidDump(`${path} is not a file of a dump.`)
  }
  if (kind !== 'bson') return { kind: 'json', path, collection: base }
  return { kind, path, collection: nameInMetadata(path) ?? decoded(base) }
}

/** The metadata contains the full name: `mongodump` truncates long file names. */
function nameInMetadata(path: string): string | undefined {
  const metadata = path.replace(/\.bson(\.gz)?$/, '.metadata.json$1')
  if (!existsSync(metadata)) return undefined
  const bytes = readFileSync(file(metadata))
  try {
    const { collectionName } = JSON.parse(
      (metadata.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_DOCUMENT }) : bytes).toString('utf8'),
    )
    return typeof collectionName === 'string' && collectionName !== '' ? collectionName : undefined
  } catch (cause) {
    throw invalidDump(`${metadata} is damaged.`, cause)
  }
}

/** `mongodump` escapes characters that file names cannot contain. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The first four bytes of an archive. */
const ARCHIVE = Buffer.from('6de29981', 'hex')
/** The mark at the end of a block of an archive, where another document would begin with its length. */
const END_OF_BLOCK = 0xffff_ffff

async function isArchive(path: string): Promise<boolean> {
  const bytes = createByteReader(path)
  try {
    return (await bytes.take(ARCHIVE.length))?.equals(ARCHIVE) ?? false
  } finally {
    await bytes.close()
  }
}

/**
 * An archive begins with a list of its collections. Blocks follow, each with documents of one collection. Blocks of
 * different collections may alternate. The last block of a collection has the field `EOF`.
 */
async function* readArchive(path: string, isWanted: (collection: string) => boolean, { bson, signal }: Reading) {
  const bytes = createByteReader(path, signal)
  try {
    await bytes.take(ARCHIVE.length)
    // Skip the header, which contains no names of collections.
    await readFrame(bytes, 'block')
    // Store only the names from the metadata, because metadata may be as large as documents.
    const databases = new Map<string, Set<string>>()
    for (let frame = await readFrame(bytes, 'block'); frame !== undefined; frame = await readFrame(bytes, 'block')) {
      const { type, ...rest } = parseFrame(frame, bytes, bson)
      const { db, collection } = namesOf(rest, bytes)
      const collections = databases.get(db) ?? new Set()
      if (type !== 'view') databases.set(db, collections.add(collection))
    }
    const [source, ...others] = [...databases].filter(([, collections]) => collections.has(USERS)).map(([db]) => db)
    if (others.length > 0) {
      throw invalidDump(`${path} has several databases with users: ${[source, ...others].join(', ')}.`)
    }
    const incomplete = new Set([...(databases.get(source ?? '') ?? [])].filter(isWanted))
    for (let header = await readFrame(bytes, 'file'); header !== undefined; header = await readFrame(bytes, 'file')) {
      const block = parseFrame(header, bytes, bson)
      const { db, collection: name } = namesOf(block, bytes)
      const isBlockRead = db === source && isWanted(name)
      for (let frame = await readFrame(bytes, 'block'); frame !== undefined; frame = await readFrame(bytes, 'block')) {
        if (isBlockRead) yield { collection: name, document: parseFrame(frame, bytes, bson) }
      }
      if (isBlockRead && block.EOF === true) incomplete.delete(name)
    }
    const [first] = incomplete
    if (first !== undefined) throw invalidDump(`${path} ends before the end of the collection ${first}.`)
  } finally {
    await bytes.close()
  }
}

/** Maximum length of a MongoDB namespace, in bytes of UTF-8. */
const MAX_NAME = 255

/** @throws MaintenanceError `invalid_dump` for a name that is not valid in MongoDB */
function namesOf({ db, collection }: DumpDocument, bytes: ByteReader): { db: string; collection: string } {
  const isName = (name: unknown) => typeof name === 'string' && Buffer.byteLength(name) <= MAX_NAME
  if (!isName(db) || !isName(collection)) throw invalidDump(`${bytes.place()} names a collection wrongly.`)
  return { db: String(db), collection: String(collection) }
}

async function* readFile({ kind, path }: Exclude<Source, { readonly kind: 'archive' }>, reading: Reading) {
  if (kind === 'json') return yield* readJson(path, reading)
  const bytes = createByteReader(path, reading.signal)
  try {
    for (let frame = await readFrame(bytes, 'file'); frame !== undefined; frame = await readFrame(bytes, 'file')) {
      yield parseFrame(frame, bytes, reading.bson)
    }
  } finally {
    await bytes.close()
  }
  return undefined
}

const LENGTH_BYTES = 4
/** Maximum size of a document: MongoDB stores up to 16 MiB, and dumps add a few KiB. */
const MAX_DOCUMENT = 17 * 1024 * 1024

/** Reads the bytes of a document, or returns `undefined` at the end of the block or file. */
async function readFrame(bytes: ByteReader, within: 'block' | 'file'): Promise<Buffer | undefined> {
  const head = await bytes.take(LENGTH_BYTES, within === 'file')
  if (head === undefined) return undefined
  const length = head.readUInt32LE()
  if (length === END_OF_BLOCK && within === 'block') return undefined
  if (length < LENGTH_BYTES + 1 || length > MAX_DOCUMENT) throw invalidDump(`${bytes.place()} is damaged.`)
  const rest = await bytes.take(length - LENGTH_BYTES)
  return Buffer.concat([head, rest ?? Buffer.alloc(0)])
}

function parseFrame(frame: Buffer, bytes: ByteReader, parse: Reading['bson']): DumpDocument {
  try {
    return parse(frame)
  } catch {
    // The new error has no `cause`, because the caught error may quote the document.
    throw invalidDump(`${bytes.place()} is damaged.`)
  }
}

type ByteReader = ReturnType<typeof createByteReader>

function createByteReader(path: string, signal?: AbortSignal) {
  const chunks = bytesOf(path, signal)
  let rest: Buffer = Buffer.alloc(0)
  let read = 0
  return {
    /** @returns `undefined` at the end of the file, if `mayEnd` is set */
    async take(count: number, mayEnd = false): Promise<Buffer | undefined> {
      if (rest.length < count) {
        const parts = [rest]
        let length = rest.length
        while (length < count) {
          const { value, done } = await chunks.next()
          if (done) break
          parts.push(value)
          length += value.length
        }
        rest = Buffer.concat(parts)
      }
      if (rest.length === 0 && mayEnd) return undefined
      if (rest.length < count) throw invalidDump(`${path} ends in the middle of a document.`)
      const taken = rest.subarray(0, count)
      rest = rest.subarray(count)
      read += count
      return taken
    },
    place: () => `${path}, at byte ${read},`,
    close: () => chunks.return(undefined),
  }
}

/** The bytes of a file, decompressed if it is gzipped. */
async function* bytesOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer, undefined> {
  const stream = createReadStream(path)
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    const { value: first, done } = await chunks.next()
    if (done) return undefined
    const all = (async function* () {
      yield first
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    })()
    const isGzipped = first[0] === 0x1f && first[1] === 0x8b
    for await (const bytes of isGzipped ? gunzip(all) : all) {
      signal?.throwIfAborted()
      yield bytes
    }
    return undefined
  } catch (error) {
    if (error instanceof MaintenanceError || signal?.aborted) throw error
    const { code, name } = error as NodeJS.ErrnoException
    throw invalidDump(`${path} cannot be read (${code ?? name}).`, error)
  } finally {
    stream.destroy()
  }
}

async function* gunzip(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(bytes)
  const unzipped = createGunzip()
  source.once('error', (error) => unzipped.destroy(error))
  yield* source.pipe(unzipped)
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [...'"\\{}'].map((character) => character.charCodeAt(0))

/** Reads JSON documents: one per line, in one array, or spread over several lines. */
async function* readJson(path: string, { json, signal }: Reading): AsyncGenerator<DumpDocument> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const damaged = () => invalidDump(`${path}, at document ${count + 1}, is damaged.`)
  let [text, at, start, depth, count, lists] = ['', 0, -1, 0, 0, 0]
  let [isInString, isEscaped] = [false, false]
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw damaged()
    }
  }
  for await (const chunk of bytesOf(path, signal)) {
    text += decode(chunk)
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) isInString = false
      } else if (code === OPEN) {
        if (depth === 0) start = at
        depth += 1
      } else if (depth === 0) {
        const character = text.charAt(at)
        lists += character === '[' ? 1 : character === ']' ? -1 : 0
        if (!/[\s,[\]\uFEFF]/.test(character)) throw damaged()
      } else if (code === QUOTE) isInString = true
      else if (code === CLOSE) {
        depth -= 1
        if (depth > 0) continue
        const document = parseJson(text.slice(start, at + 1), json)
        if (document === undefined) throw damaged()
        yield document
        count += 1
        start = -1
      }
    }
    text = start < 0 ? '' : text.slice(start)
    at = text.length
    if (start > 0) start = 0
    if (text.length > MAX_DOCUMENT) throw damaged()
  }
  decode()
  if (depth > 0 || lists !== 0) throw invalidDump(`${path} ends in the middle of a document.`)
}

function parseJson(text: string, parse: Reading['json']): DumpDocument | undefined {
  try {
    return parse(text)
  } catch {
    // The caught error quotes the text, so the caller reports only the position.
    return undefined
  }
}
