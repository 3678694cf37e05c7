import { ValidationError } from '@fish-crab/sdk'
import { type Gamemode, isGamemode, type RarityValue, rarityValue } from '@fish-crab/sdk/constants'
import { memoryStore, type NewCatch, openOutbox } from '@fish-crab/sdk/outbox'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { isTsv, parseCsv, parseTsv } from './csv.ts'
import { parseJson, parseJsonLines, startsWithList } from './json.ts'
import type { FileRecord } from './records.ts'
import type { ImportSource } from './source.ts'

const MOST_SHOWN = 20

/** What a file holds. */
export interface FileSummary {
  readonly catches: number
  /** How many go to each gamemode. */
  readonly gamemodes: Readonly<Partial<Record<Gamemode, number>>>
}

/**
 * Reads a file to its end and checks every line of it; changes nothing.
 *
 * @param say Tells of one wrong line, of the first 20. @default the message of the error tells of them
 * @throws CliError `usage` when a line is wrong, or there is none
 */
export async function validateFile(
  source: ImportSource,
  defaults: ImportDefaults,
  say: ((text: string) => void) | undefined,
): Promise<FileSummary> {
  let catches = 0
  const gamemodes = new Map<Gamemode, number>()
  let wrongCount = 0
  const wrong: LineError[] = []
  for await (const group of parseCatches(source, defaults)) {
    catches += group.catches.length
    for (const { gamemode = defaults.gamemode } of group.catches) {
      if (isGamemode(gamemode)) gamemodes.set(gamemode, (gamemodes.get(gamemode) ?? 0) + 1)
    }
    for (const one of group.wrong) {
      wrongCount += 1
      if (wrongCount > MOST_SHOWN) continue
      if (say) say(`fish-cli: line ${one.line}: ${one.problem}`)
      else wrong.push(one)
    }
  }
  if (wrongCount > 0) throw lineErrors(wrongCount, wrong)
  if (catches === 0)
    throw usageError('The file holds no catches.', 'One a line: NAME,RARITY, or JSON with these fields.')
  return { catches, gamemodes: Object.fromEntries(gamemodes) }
}

function lineErrors(count: number, told: readonly LineError[]): CliError {
  const first = count > MOST_SHOWN ? `, of which the first ${MOST_SHOWN} are shown` : ''
  const lines = told.map(({ line, problem }) => ` Line ${line}: ${problem}`).join('')
  return new CliError({
    code: 'wrong_lines',
    message: `${count} ${count === 1 ? 'line is' : 'lines are'} wrong${first}; nothing was changed.${lines}`,
    hint: 'Mend these lines, and give the whole file again.',
    exit: EXIT.usage,
  })
}

/** What holds for records that do not say otherwise. */
export interface ImportDefaults {
  readonly user: string
  readonly gamemode?: Gamemode | undefined
  readonly rarity?: RarityValue | undefined
  readonly kind: NewCatch['kind']
  /** The time zone of times that say none, such as `Europe/Berlin`. @default such times are wrong */
  readonly timeZone?: string | undefined
}

/** A line that cannot be taken. */
interface LineError {
  readonly line: number
  readonly problem: string
}

/** Catches of a file, some at a time: those that are right, and the lines that are not. */
interface CatchChunk {
  readonly catches: readonly NewCatch[]
  readonly wrong: readonly LineError[]
}

const GROUP_SIZE = 500

/** Reads the catches of a file, and checks each as the outbox will. */
export async function* parseCatches(source: ImportSource, defaults: ImportDefaults): AsyncGenerator<CatchChunk> {
  const { user, gamemode } = defaults
  // Takes everything and keeps nothing: all it does is check.
  const store = { ...memoryStore(), add: () => ({ type: 'added', addedIndexes: [] }) as const }
  await using checker = await openOutbox({ user, gamemode, store })
  let group: FileRecord[] = []
  const check = async (): Promise<CatchChunk> => {
    const read = group.map((record) => ('problem' in record ? record : catchOf(record, defaults)))
    group = []
    const right = read.flatMap((one) => ('problem' in one ? [] : [one]))
    const wrong = read.flatMap((one) => ('problem' in one ? [one] : []))
    const found = await problemsOf(right, (catches) => checker.add(catches))
    return {
      catches: right.filter(({ line }) => !found.some((one) => one.line === line)).map((one) => one.entry),
      wrong: [...wrong, ...found].sort((a, b) => a.line - b.line),
    }
  }
  for await (const record of readRecords(source.extension, source.text())) {
    group.push(record)
    if (group.length === GROUP_SIZE) yield await check()
  }
  if (group.length > 0) yield await check()
}

interface ReadCatch {
  readonly line: number
  readonly entry: NewCatch
}

function catchOf(
  { line, fields }: Extract<FileRecord, { fields: unknown }>,
  defaults: ImportDefaults,
): ReadCatch | LineError {
  const kind = typeof fields.kind === 'string' ? fields.kind.toLowerCase() : (fields.kind ?? defaults.kind)
  const { name } = fields
  const gamemode = typeof fields.gamemode === 'string' ? fields.gamemode.toLowerCase() : fields.gamemode
  if ((gamemode === undefined || gamemode === null) && !defaults.gamemode) {
    return { line, problem: 'gamemode: Is missing; give one for all with --gamemode.' }
  }
  const caughtAt = parseTime(fields.caughtAt, defaults.timeZone)
  if (caughtAt === NO_ZONE) {
    return {
      line,
      problem: `caughtAt: Has no time zone; give one for all with --timezone, such as --timezone ${EXAMPLE_ZONE}.`,
    }
  }
  const about = {
    ...(name === undefined ? {} : { name }),
    ...(gamemode === undefined || gamemode === null ? {} : { gamemode }),
    ...(caughtAt === undefined || caughtAt === null ? {} : { caughtAt }),
  }
  if (kind === 'crab') {
    if (fields.rarity !== undefined && fields.rarity !== null) return { line, problem: 'rarity: A crab has none.' }
    return { line, entry: { kind, ...about } as NewCatch }
  }
  if (kind !== 'fish') return { line, problem: 'kind: Must be fish or crab.' }
  const rarity = fields.rarity ?? defaults.rarity
  if (rarity === undefined)
    return { line, problem: 'rarity: Is missing; give one for all with --rarity, or say --crab.' }
  const value = rarityOf(rarity)
  if (value === undefined) return { line, problem: 'rarity: There is no such rarity.' }
  return { line, entry: { kind, rarity: value, ...about } as NewCatch }
}

function rarityOf(rarity: unknown): RarityValue | undefined {
  if (typeof rarity === 'number') return rarityValue(rarity)
  if (typeof rarity !== 'string') return undefined
  return rarityValue(/^\d+$/.test(rarity) ? Number(rarity) : rarity)
}

async function problemsOf(
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
      const line = read[Number(index)]?.line ?? 0
      problems.set(line, [problems.get(line), `${field}: ${message}`].filter((one) => one !== undefined).join(' '))
    }
    return [...problems].map(([line, problem]) => ({ line, problem }))
  }
}

/** The forms that a file may have. */
type FileFormat = 'csv' | 'tsv' | 'json' | 'jsonl'

const BY_EXTENSION: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
}

/**
 * The form of a file: what its extension says, else what it begins with. An array is JSON, and so is an object that
 * holds a list; an object in a line of its own is a line of JSON; a line with tabs is TSV, anything else CSV.
 */
export function detectFormat(extension: string, beginning: string): FileFormat {
  const known = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined
  if (known) return known
  const text = beginning.trimStart()
  if (text.startsWith('[') || startsWithList(text)) return 'json'
  if (!text.startsWith('{')) return isTsv(text) ? 'tsv' : 'csv'
  try {
    JSON.parse(text.split('\n', 1)[0] ?? '')
    return 'jsonl'
  } catch {
    // An object over several lines, or a long line of which only the beginning is here.
    return text.includes('\n') && !/^\{.*\}\s*$/m.test(text) ? 'json' : 'jsonl'
  }
}

const READERS: Readonly<Record<FileFormat, (pieces: AsyncIterable<string>) => AsyncGenerator<FileRecord>>> = {
  csv: parseCsv,
  tsv: parseTsv,
  json: parseJson,
  jsonl: parseJsonLines,
}

/** The records of a file, whatever its form. */
export async function* readRecords(extension: string, pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const iterator = pieces[Symbol.asyncIterator]()
  // Space before the content may be longer than the memory; only its lines count.
  let blankLines = 0
  for (;;) {
    const { done, value: piece } = await iterator.next()
    if (done) return
    if (piece.trim() === '') {
      blankLines += piece.split('\n').length - 1
      continue
    }
    const rest = { [Symbol.asyncIterator]: () => iterator }
    yield* READERS[detectFormat(extension, piece)](following(blankLines, piece, rest))
    return
  }
}

async function* following(blankLines: number, piece: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  for (let left = blankLines; left > 0; left -= BLANK_LINES) yield '\n'.repeat(Math.min(left, BLANK_LINES))
  yield piece
  yield* rest
}

const BLANK_LINES = 64 * 1024

/** A time zone by its name in the IANA database. */
const EXAMPLE_ZONE = 'Europe/Berlin'

/** Stands for a local time that nobody gave a zone. */
const NO_ZONE = Symbol('a local time without a zone')

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/** @throws CliError `usage` when the platform knows no such zone */
export function parseTimeZone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw usageError('There is no such time zone.', `Give --timezone a name such as ${EXAMPLE_ZONE} or UTC.`)
  }
}

/**
 * When a catch was made, as ISO 8601: from unix seconds or milliseconds, from a date with or without a time, with `T` or
 * space between, in its own zone or the one given for all. Anything else is left as it is, to be refused as any wrong
 * value.
 */
function parseTime(value: unknown, timeZone: string | undefined): unknown {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return value
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000).toISOString()
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString()
  const [, date, time = '00:00', zone] = DATE_TIME.exec(text.trim()) ?? []
  if (date === undefined) return value
  if (zone !== undefined) return `${date}T${time}${zone}`
  if (timeZone === undefined) return NO_ZONE
  const asUtc = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(asUtc) ? value : new Date(localToUtc(asUtc, timeZone)).toISOString()
}

/** The moment at which clocks of a zone show a time: the earlier one where they show it twice. */
function localToUtc(shown: number, timeZone: string): number {
  const before = shown - offsetAt(shown - DAY_MS, timeZone)
  // Where no clock ever shows it, the offset before the jump counts.
  return (
    [before, shown - offsetAt(shown + DAY_MS, timeZone)].find((at) => at + offsetAt(at, timeZone) === shown) ?? before
  )
}

const DAY_MS = 86_400_000

/** What clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
