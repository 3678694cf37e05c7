import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { EJSON, ObjectId, serialize } from 'bson'

/**
 * The documents of a database by collection, in order. The documents are generated on demand, since a database may be
 * large.
 */
export type Database = ReadonlyMap<string, () => Iterable<object>>

/** Makes an ObjectId from a Unix time in seconds and a distinguishing number. */
export function objectId(seconds: number, number: number): ObjectId {
  return new ObjectId(seconds.toString(16).padStart(8, '0') + number.toString(16).padStart(16, '0'))
}

interface DumpOptions {
  readonly gzip?: boolean
}

function writer(path: string, gzip: boolean) {
  const file = createWriteStream(path)
  const stream = gzip ? createGzip({ level: 1 }) : undefined
  stream?.pipe(file)
  const out = stream ?? file
  return {
    async write(bytes: Uint8Array | string) {
      if (!out.write(bytes)) await once(out, 'drain')
    },
    async end() {
      out.end()
      await finished(file)
    },
  }
}

/** Writes a dump like `mongodump --out`. @returns the folder of the database */
export async function writeDumpFolder(folder: string, database: Database, { gzip = false }: DumpOptions = {}) {
  const path = join(folder, 'fishtracker')
  await mkdir(path, { recursive: true })
  const end = gzip ? '.gz' : ''
  for (const [name, documents] of database) {
    const file = encodeURIComponent(name)
    const metadata = writer(join(path, `${file}.metadata.json${end}`), gzip)
    await metadata.write(JSON.stringify({ indexes: [], uuid: '', collectionName: name, type: 'collection' }))
    await metadata.end()
    const out = writer(join(path, `${file}.bson${end}`), gzip)
    for (const document of documents()) await out.write(serialize(document))
    await out.end()
  }
  return path
}

const MAGIC = Buffer.from('6de29981', 'hex')
const END = Buffer.from('ffffffff', 'hex')

interface ArchiveOptions extends DumpOptions {
  /** The names of the databases that contain all collections. @default only `fishtracker` */
  readonly databases?: readonly string[]
  /** Databases that contain only some of the collections: names of collections by name of the database. */
  readonly others?: Readonly<Record<string, readonly string[]>>
  /** The metadata of each collection. */
  readonly metadata?: string
}

/** Writes a dump like `mongodump --archive`, with interleaved blocks of two collections at a time. */
export async function writeArchive(
  path: string,
  database: Database,
  { gzip = false, databases = ['fishtracker'], others = {}, metadata = '{}' }: ArchiveOptions = {},
) {
  const out = writer(path, gzip)
  const all = [...databases.map((db) => [db, [...database.keys()]] as const), ...Object.entries(others)]
  const namespaces = all.flatMap(([db, names]) => names.map((collection) => ({ db, collection })))
  await out.write(MAGIC)
  await out.write(serialize({ concurrent_collections: 2, version: '0.1', server_version: '7.0', tool_version: '100' }))
  for (const namespace of namespaces) {
    await out.write(serialize({ ...namespace, metadata, size: 0, type: 'collection' }))
  }
  await out.write(END)
  const queue = [...namespaces]
  const open: { readonly db: string; readonly collection: string; readonly documents: Iterator<object> }[] = []
  while (queue.length > 0 || open.length > 0) {
    while (open.length < 2 && queue.length > 0) {
      const namespace = queue.shift() as (typeof queue)[number]
      open.push({ ...namespace, documents: (database.get(namespace.collection)?.() ?? [])[Symbol.iterator]() })
    }
    for (const one of [...open]) {
      const { db, collection, documents } = one
      await out.write(serialize({ db, collection, EOF: false, CRC: 0n }))
      let isEnd = false
      for (let count = 0; count < 1000 && !isEnd; count += 1) {
        const { value, done } = documents.next()
        isEnd = done === true
        if (!isEnd) await out.write(serialize(value))
      }
      await out.write(END)
      if (!isEnd) continue
      await out.write(serialize({ db, collection, EOF: true, CRC: 0n }))
      await out.write(END)
      open.splice(open.indexOf(one), 1)
    }
  }
  await out.end()
}

interface ExportOptions {
  readonly gzip?: boolean
  readonly jsonArray?: boolean
  /** Whether to write canonical extended JSON instead of relaxed. */
  readonly canonical?: boolean
}

/** Writes each collection like `mongoexport`. @returns the paths of the files */
export async function writeExports(
  folder: string,
  database: Database,
  { gzip = false, jsonArray = false, canonical = false }: ExportOptions = {},
) {
  await mkdir(folder, { recursive: true })
  const paths: string[] = []
  for (const [name, documents] of database) {
    const path = join(folder, `${name}.json${gzip ? '.gz' : ''}`)
    paths.push(path)
    const out = writer(path, gzip)
    if (jsonArray) await out.write('[')
    let isFirst = true
    for (const document of documents()) {
      await out.write(
        `${jsonArray && !isFirst ? ',' : ''}${EJSON.stringify(document, { relaxed: !canonical })}${jsonArray ? '' : '\n'}`,
      )
      isFirst = false
    }
    if (jsonArray) await out.write(']\n')
    await out.end()
  }
  return paths
}
