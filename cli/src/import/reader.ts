import { ValidationError } from '@fish-crab/sdk'
import type { Gamemode, RarityValue } from '@fish-crab/sdk/constants'
import { type NewCatch, openOutbox } from '@fish-crab/sdk/outbox'
import { startsWithDate } from '../../../sdk/src/internal/calendar.ts'
import { rarityList } from '../client/catch-query.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { parseJsonText, parseRarity } from '../core/parse-values.ts'
import { printable } from '../output/text.ts'
import { parseJson, parseJsonLines, startsWithList } from './json.ts'
import { isTsv, parseCsv, parseTsv } from './parse-csv.ts'
import type { FileRecord } from './records.ts'
import type { ImportSource } from './source.ts'

const MAX_REPORTED = 20

/** Changes nothing. `report` gets the first 20 errors; without it, the thrown error lists them. @returns how many catches */
export async function validateFile(
  source: ImportSource,
  defaults: ImportDefaults,
  report: ((text: string) => void) | undefined,
): Promise<ValidFile> {
  let catches = 0
  const named = new Map<string, NamedRecords>()
  const idsOf = (kind: NewCatch['kind'], gamemode: Gamemode | undefined) => {
    const key = `${kind} ${gamemode}`
    const records = named.get(key) ?? { kind, gamemode, ids: new Set() }
    named.set(key, records)
    return records.ids
  }
  let errorCount = 0
  const errors: LineError[] = []
  for await (const chunk of parseCatches(source, defaults)) {
    catches += chunk.catches.length
    for (const { id, entry } of chunk.catches) {
      if (id !== undefined) idsOf(entry.kind, entry.gamemode ?? defaults.gamemode).add(id)
    }
    for (const one of chunk.errors) {
      errorCount += 1
      if (errorCount > MAX_REPORTED) continue
      if (report) report(`fish-cli: line ${one.line}: ${one.problem}`)
      else errors.push(one)
    }
  }
  if (errorCount > 0) throw lineErrors(errorCount, errors)
  if (catches === 0)
    throw usageError('The file contains no catches.', 'Use one line per catch: NAME,RARITY, or JSON with these fields.')
  return { catches, named: [...named.values()] }
}

/** The collection of some catches, and the ids of its records that the rows of a file name. */
export interface NamedRecords {
  readonly kind: NewCatch['kind']
  readonly gamemode: Gamemode | undefined
  readonly ids: Set<string>
}

interface ValidFile {
  readonly catches: number
  readonly named: readonly NamedRecords[]
}

function lineErrors(count: number, listed: readonly LineError[]): CliError {
  const first = count > MAX_REPORTED ? `, of which the first ${MAX_REPORTED} are shown` : ''
  const lines = listed.map(({ line, problem }) => ` Line ${line}: ${problem}`).join('')
  return new CliError({
    code: 'wrong_lines',
    message: `${count} ${count === 1 ? 'line is' : 'lines are'} wrong${first}; nothing was changed.${lines}`,
    hint: 'Fix these lines, then import the whole file again.',
    exit: EXIT.usage,
  })
}

export interface ImportDefaults {
  readonly user: string
  readonly gamemode?: Gamemode | undefined
  readonly rarity?: RarityValue | undefined
  readonly kind: NewCatch['kind']
  /** Time zone of times without one, such as `Europe/Berlin`. @default such times are errors */
  readonly timeZone?: string | undefined
}

interface LineError {
  readonly line: number
  readonly problem: string
}

/** A catch of a file. `id` is the id of the record that its row was printed from. */
export interface FileCatch {
  readonly entry: NewCatch
  readonly id: string | undefined
}

interface CatchChunk {
  readonly catches: readonly FileCatch[]
  readonly errors: readonly LineError[]
}

const CHUNK_SIZE = 500

export async function* parseCatches(source: ImportSource, defaults: ImportDefaults): AsyncGenerator<CatchChunk> {
  const { user, gamemode } = defaults
  // It only validates.
  await using validator = await openOutbox({ user, gamemode, path: ':memory:' })
  let group: FileRecord[] = []
  const check = async (): Promise<CatchChunk> => {
    const read = group.map((record) => ('problem' in record ? record : catchOf(record, defaults)))
    group = []
    const right = read.flatMap((one) => ('problem' in one ? [] : [one]))
    const wrong = read.flatMap((one) => ('problem' in one ? [one] : []))
    const invalid = await errorsOf(right, (catches) => validator.add(catches))
    await validator.cancel()
    return {
      catches: right.filter(({ line }) => !invalid.some((one) => one.line === line)),
      errors: [...wrong, ...invalid].sort((a, b) => a.line - b.line),
    }
  }
  for await (const record of readRecords(source.extension, source.text())) {
    group.push(record)
    if (group.length === CHUNK_SIZE) yield await check()
  }
  if (group.length > 0) yield await check()
}

interface ReadCatch extends FileCatch {
  readonly line: number
}

function catchOf(
  { line, fields }: Extract<FileRecord, { fields: unknown }>,
  defaults: ImportDefaults,
): ReadCatch | LineError {
  const kind = lowerCase(fields.kind) ?? defaults.kind
  const { name } = fields
  const gamemode = lowerCase(fields.gamemode)
  if (gamemode === undefined && !defaults.gamemode) {
    return { line, problem: 'gamemode: Missing; set one for all with --gamemode.' }
  }
  const caughtAt = parseTime(fields.caughtAt, defaults.timeZone) ?? undefined
  if (caughtAt === NO_ZONE) {
    const problem = `caughtAt: No time zone; set one for all with --timezone, such as --timezone ${EXAMPLE_ZONE}.`
    return { line, problem }
  }
  const given = Object.entries({ name, gamemode, caughtAt }).filter(([, value]) => value !== undefined)
  const about = Object.fromEntries(given)
  const id = typeof fields.id === 'string' ? fields.id : undefined
  if (kind === 'crab') {
    if ((fields.rarity ?? undefined) !== undefined) return { line, problem: 'rarity: A crab has no rarity.' }
    return { line, id, entry: { kind, ...about } as NewCatch }
  }
  if (kind !== 'fish') return { line, problem: `kind: Must be fish or crab${notValue(kind)}.` }
  const rarity = fields.rarity ?? defaults.rarity
  if (rarity === undefined) return { line, problem: 'rarity: Missing; set one for all with --rarity, or add --crab.' }
  const value = ['number', 'string'].includes(typeof rarity) ? parseRarity(String(rarity)) : undefined
  if (value === undefined) return { line, problem: `rarity: Must be one of ${rarityList()}${notValue(rarity)}.` }
  return { line, id, entry: { kind, rarity: value, ...about } as NewCatch }
}

const MAX_QUOTED = 40

/** Quotes a wrong value at the end of a sentence. */
function notValue(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return `, not "${printable(text.slice(0, MAX_QUOTED))}${text.length > MAX_QUOTED ? '…' : ''}"`
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : (value ?? undefined)
}

async function errorsOf(
  read: readonly ReadCatch[],
  check: (catches: readonly NewCatch[]) => Promise<unknown>,
): Promise<readonly LineError[]> {
  try {
    await check(read.map(({ entry }) => entry))
    return []
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const problems = new Map<number, string>()
    for (const { path, message } of error.issues) {
      const [, index = '0', field = 'record'] = /^catches\.(\d+)\.?(.*)$/.exec(path) ?? []
      const { line, entry } = read[Number(index)] ?? { line: 0, entry: {} }
      const value = (entry as Readonly<Record<string, unknown>>)[field]
      const problem = `${field}: ${message.replace(/\.$/, '')}${notValue(value)}.`
      problems.set(line, [problems.get(line), problem].filter((one) => one !== undefined).join(' '))
    }
    return [...problems].map(([line, problem]) => ({ line, problem }))
  }
}

const READERS = { csv: parseCsv, tsv: parseTsv, json: parseJson, jsonl: parseJsonLines }

type FileFormat = keyof typeof READERS

export function detectFormat(extension: string, beginning: string): FileFormat {
  const known = extension === 'ndjson' ? 'jsonl' : extension
  if (Object.hasOwn(READERS, known)) return known as FileFormat
  const text = beginning.trimStart()
  if (text.startsWith('[') || startsWithList(text)) return 'json'
  if (!text.startsWith('{')) return isTsv(text) ? 'tsv' : 'csv'
  if (parseJsonText(text.split('\n', 1)[0] ?? '') !== undefined) return 'jsonl'
  // An object over several lines, or the start of a long line.
  return text.includes('\n') && !/^\{.*\}\s*$/m.test(text) ? 'json' : 'jsonl'
}

export async function* readRecords(extension: string, chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const iterator = chunks[Symbol.asyncIterator]()
  // Leading space may exceed the memory; only its lines are counted.
  let blankLines = 0
  for (;;) {
    const { done, value: chunk } = await iterator.next()
    if (done) return
    if (chunk.trim() === '') {
      blankLines += chunk.split('\n').length - 1
      continue
    }
    for await (const record of READERS[detectFormat(extension, chunk)](prepend(chunk, iterator))) {
      yield { ...record, line: record.line + blankLines }
    }
    return
  }
}

async function* prepend(chunk: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield chunk
  yield* { [Symbol.asyncIterator]: () => rest }
}

const EXAMPLE_ZONE = 'Europe/Berlin'

const NO_ZONE = Symbol('a local time without a zone')

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

export function parseTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw usageError('Unknown time zone.', `Set --timezone to a name such as ${EXAMPLE_ZONE} or UTC.`)
  }
}

/** To ISO 8601, from Unix seconds or milliseconds, or a date. Other values stay as they are, for validation to reject. */
function parseTime(value: unknown, timeZone: string | undefined): unknown {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return value
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000).toISOString()
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString()
  const [, date, time = '00:00', zone] = DATE_TIME.exec(text.trim()) ?? []
  if (date === undefined || !startsWithDate(date)) return value
  if (zone !== undefined) return `${date}T${time}${zone}`
  if (timeZone === undefined) return NO_ZONE
  const asUtc = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(asUtc) ? value : new Date(localToUtc(asUtc, timeZone)).toISOString()
}

/** The earlier one when clocks show the time twice. */
function localToUtc(local: number, timeZone: string): number {
  const before = local - offsetAt(local - DAY_MS, timeZone)
  // A time that clocks skip takes the offset before the jump.
  return (
    [before, local - offsetAt(local + DAY_MS, timeZone)].find((at) => at + offsetAt(at, timeZone) === local) ?? before
  )
}

const DAY_MS = 86_400_000

function offsetAt(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
