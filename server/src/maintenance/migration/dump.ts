import { existsSync, readdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
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
  const files = paths
    .map(namedPath)
    .flatMap((path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? filesIn(path) : [file(path)]))
  const sources = new Map<string, { readonly path: string; readonly isBson: boolean }>()
  for (const path of files) {
    const name = basename(path).replace(/\.gz$/, '')
    // These files of a dump contain no collection.
    if (name.endsWith('.metadata.json') || name === 'prelude.json' || name === 'oplog.bson') continue
    const [, base = ARCHIVE_NAME, type = 'bson'] = /^(.+)\.(bson|json|jsonl|ndjson)$/.exec(name) ?? []
    const isBson = type === 'bson'
    const collection = isBson ? ((await nameInMetadata(path)) ?? decoded(base)) : base
    const other = sources.get(collection)
    // Neither of two files of one collection is authoritative, such as a BSON and a JSON file.
    if (other) throw invalidDump(`${other.path} and ${path} have the same collections.`)
    sources.set(collection, { path, isBson })
  }
  return async function* documents(isWanted) {
    for (const [collection, { path, isBson }] of sources) {
      if (collection === ARCHIVE_NAME) yield* readArchive(path, isWanted, signal)
      else if (isWanted(collection)) {
        for await (const document of (isBson ? readBson : readJson)(path, signal)) yield { collection, document }
      }
    }
  }
}

/** Stands for the collections of an archive, whose names are inside. */
const ARCHIVE_NAME = ''
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

/** The metadata contains the full name: `mongodump` truncates long file names. */
async function nameInMetadata(path: string): Promise<string | undefined> {
  const metadata = path.replace(/\.bson(\.gz)?$/, '.metadata.json$1')
  if (metadata === path || !existsSync(metadata)) return undefined
  for await (const { collectionName } of readJson(file(metadata))) {
    if (typeof collectionName === 'string' && collectionName !== '') return collectionName
  }
  return undefined
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

/**
 * An archive begins with a list of its collections. Blocks follow, each with documents of one collection. Blocks of
 * different collections may alternate. The last block of a collection has the field `EOF`.
 */
async function* readArchive(path: string, isWanted: (collection: string) => boolean, signal?: AbortSignal) {
  const bytes = await openBytes(path, signal)
  try {
    if (!(await bytes.take(ARCHIVE.length, true))?.equals(ARCHIVE))
      throw invalidDump(`${path} is not a file of a dump.`)
    // Skip the header, which contains no names of collections.
    await readFrame(bytes, 'block')
    // Store only the names from the metadata, because metadata may be as large as documents.
    const databases = new Map<string, Set<string>>()
    for (let frame = await readFrame(bytes, 'block'); frame !== undefined; frame = await readFrame(bytes, 'block')) {
      const { type, ...rest } = bytes.parse(frame)
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
      const block = bytes.parse(header)
      const { db, collection: name } = namesOf(block, bytes)
      const isBlockRead = db === source && isWanted(name)
      for (let frame = await readFrame(bytes, 'block'); frame !== undefined; frame = await readFrame(bytes, 'block')) {
        if (isBlockRead) yield { collection: name, document: bytes.parse(frame) }
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

async function* readBson(path: string, signal?: AbortSignal): AsyncGenerator<DumpDocument> {
  const bytes = await openBytes(path, signal)
  try {
    for (let frame = await readFrame(bytes, 'file'); frame !== undefined; frame = await readFrame(bytes, 'file')) {
      yield bytes.parse(frame)
    }
  } finally {
    await bytes.close()
  }
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

type ByteReader = Awaited<ReturnType<typeof openBytes>>

async function openBytes(path: string, signal?: AbortSignal) {
  const { deserialize } = await import('bson')
  const chunks = bytesOf(path, signal)
  let rest: Buffer = Buffer.alloc(0)
  let read = 0
  return {
    /** @returns `undefined` at the end of the file, if `mayEnd` is set */
    async take(count: number, mayEnd = false): Promise<Buffer | undefined> {
      while (rest.length < count) {
        const { value, done } = await chunks.next()
        if (done) break
        rest = Buffer.concat([rest, value])
      }
      if (rest.length === 0 && mayEnd) return undefined
      if (rest.length < count) throw invalidDump(`${path} ends in the middle of a document.`)
      const taken = rest.subarray(0, count)
      rest = rest.subarray(count)
      read += count
      return taken
    },
    parse(frame: Buffer): DumpDocument {
      try {
        return deserialize(frame)
      } catch {
        // The new error has no `cause`, because the caught error may quote the document.
        throw invalidDump(`${path}, at byte ${read}, is damaged.`)
      }
    },
    place: () => `${path}, at byte ${read},`,
    close: () => chunks.return(undefined),
  }
}

/** The bytes of a file, decompressed if it is gzipped. */
async function* bytesOf(path: string, signal?: AbortSignal): AsyncGenerator<Buffer, undefined> {
  const opened = await open(path)
  try {
    const { buffer: magic } = await opened.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)
    const stored = opened.createReadStream({ start: 0, autoClose: false })
    for await (const bytes of magic.equals(GZIP) ? pipeline(stored, createGunzip(), () => {}) : stored) {
      // Many chunks may contain no wanted document.
      signal?.throwIfAborted()
      yield bytes
    }
    return undefined
  } catch (error) {
    if (signal?.aborted) throw error
    const { code, name } = error as NodeJS.ErrnoException
    throw invalidDump(`${path} cannot be read (${code ?? name}).`, error)
  } finally {
    await opened.close()
  }
}

/** The first two bytes of a gzipped file (RFC 1952). */
const GZIP = Buffer.from('1f8b', 'hex')

/**
 * Separates the documents of lines or of an array. A string contains no match, because JSON escapes line breaks and
 * quotation marks. Subdocuments may match, so an incomplete document is joined with the next part.
 */
const SEPARATOR = /(?<=\})(?:[\r\n]+(?=\{)|,\s*(?=\{\s*"_id"))/

/** Reads JSON documents: one per line, in one array, or indented. */
async function* readJson(path: string, signal?: AbortSignal): AsyncGenerator<DumpDocument> {
  const { EJSON } = await import('bson')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, incomplete, count, isArray] = ['', '', 0, false]
  const damaged = () => invalidDump(`${path}, at document ${count + 1}, is damaged or truncated.`)
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw damaged()
    }
  }
  const parse = (part: string): DumpDocument | undefined => {
    incomplete = incomplete === '' ? part.replace(/^\[\s*/, '') : `${incomplete},${part}`
    if (!incomplete.startsWith('{') || incomplete.length > MAX_DOCUMENT) throw damaged()
    try {
      const document = EJSON.parse(incomplete)
      incomplete = ''
      count += 1
      return document
    } catch {
      // The caught error quotes the text, so the caller reports only the position.
      return undefined
    }
  }
  for await (const chunk of bytesOf(path, signal)) {
    text = (text + decode(chunk)).trimStart()
    isArray ||= text.startsWith('[')
    const parts = text.split(SEPARATOR)
    text = parts.pop() ?? ''
    for (const part of parts) {
      const document = parse(part)
      if (document) yield document
    }
    if (text.length > MAX_DOCUMENT) throw damaged()
  }
  text = (text + decode()).trim()
  if (isArray && !text.endsWith(']')) throw damaged()
  if (isArray ? /^\[?\s*\]$/.test(text) : text === '') return
  const last = parse(isArray ? text.slice(0, -1) : text)
  if (!last) throw damaged()
  yield last
}
