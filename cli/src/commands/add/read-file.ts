import { ValidationError } from '@fish-crab/sdk'
import { type Gamemode, userNameKey } from '@fish-crab/sdk/constants'
import { type NewCatch, type Outbox, openOutbox } from '@fish-crab/sdk/outbox'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseJsonText } from '../../core/parse-values.ts'
import { catchOf, type FileCatch, type FileDefaults, notValue } from './catches.ts'
import { parseCsv } from './csv.ts'
import { parseJson, parseJsonLines } from './json.ts'
import { type FileRecord, FORMAT_HINT, type Problem } from './records.ts'
import type { FileSource } from './source.ts'

const READERS = { csv: parseCsv, json: parseJson, jsonl: parseJsonLines, ndjson: parseJsonLines }

export async function* readRecords(source: FileSource): AsyncGenerator<FileRecord> {
  const { extension } = source
  const format = Object.hasOwn(READERS, extension) ? (extension as keyof typeof READERS) : await detectFormat(source)
  yield* READERS[format](source)
}

async function detectFormat({ text }: FileSource): Promise<keyof typeof READERS> {
  const { value = '' } = await text().next()
  const beginning = value.trimStart()
  if (beginning.startsWith('[')) return 'json'
  if (!beginning.startsWith('{')) return 'csv'
  const [first = '', ...others] = beginning.trimEnd().split('\n')
  return others.length > 0 && parseJsonText(first) !== undefined ? 'jsonl' : 'json'
}

const CHUNK_SIZE = 500

/** Reads in chunks, because a file may be larger than the memory. */
export async function* readCatches(
  source: FileSource,
  defaults: FileDefaults,
): AsyncGenerator<readonly (FileCatch | Problem)[]> {
  let chunk: (FileCatch | Problem)[] = []
  for await (const record of readRecords(source)) {
    if (!isWanted(record, defaults)) continue
    chunk.push(catchOf(record, defaults))
    if (chunk.length < CHUNK_SIZE) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/** @throws CliError `usage` for a catch of another player, unless a player is selected */
function isWanted(record: FileRecord, { player, user }: FileDefaults): boolean {
  if ('problem' in record) return true
  const owner = record.fields.player
  const key = typeof owner === 'string' ? userNameKey(owner.trim()) : undefined
  if (player !== undefined) return key === player
  if (key === undefined || key === userNameKey(user)) return true
  throw usageError(
    `${record.at} is a catch of another player than ${user}; nothing was changed.`,
    'To add only the catches of one player in the file, add --player NAME.',
  )
}

/** A collection, and the ids of its records that occur in a file. */
export interface NamedRecords {
  readonly kind: NewCatch['kind']
  readonly gamemode: Gamemode | undefined
  readonly ids: Set<string>
}

/** Maximum number of problems that are reported. */
export const MAX_REPORTED = 20

/** @param report Receives the first 20 problems. @default the thrown error lists the problems */
export async function validateFile(
  source: FileSource,
  defaults: FileDefaults,
  report: ((text: string) => void) | undefined,
): Promise<{ readonly catches: number; readonly named: readonly NamedRecords[] }> {
  const { user, gamemode } = defaults
  // This outbox only validates catches. Nothing is sent.
  await using validator = await openOutbox({ user, gamemode, path: ':memory:' })
  let catches = 0
  let problemCount = 0
  const problems: string[] = []
  const named = new Map<string, NamedRecords>()
  for await (const chunk of readCatches(source, defaults)) {
    const valid = chunk.filter((one) => 'entry' in one)
    catches += valid.length
    const invalid = await problemsOf(validator, valid)
    for (const one of chunk) {
      const problem = 'problem' in one ? one.problem : invalid.get(one.at)
      if (problem !== undefined && ++problemCount <= MAX_REPORTED) problems.push(`${one.at}: ${problem}`)
    }
    for (const { id, entry } of valid) {
      if (id === undefined) continue
      const collection = { kind: entry.kind, gamemode: entry.gamemode ?? gamemode }
      const key = `${collection.kind} ${collection.gamemode}`
      const records = named.get(key) ?? { ...collection, ids: new Set() }
      named.set(key, records)
      records.ids.add(id)
    }
  }
  if (problemCount > 0) throw wrongLines(problemCount, problems, report)
  if (catches === 0) {
    if (defaults.player !== undefined) throw usageError('The file contains no catches of the player in --player.')
    throw usageError('The file contains no catches.', FORMAT_HINT)
  }
  return { catches, named: [...named.values()] }
}

/** Maps the position of each invalid catch to its problems. */
async function problemsOf(validator: Outbox, catches: readonly FileCatch[]): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  try {
    await validator.add(catches.map(({ entry }) => entry))
    await validator.cancel()
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    for (const { path, message } of error.issues) {
      const [, index = '0', field = 'record'] = /^catches\.(\d+)\.?(.*)/s.exec(path) ?? []
      const { at, entry } = catches[Number(index)] ?? { at: '', entry: {} }
      const value = (entry as Readonly<Record<string, unknown>>)[field]
      const problem = `${field}: ${message.replace(/\.$/, '')}${notValue(value)}.`
      problems.set(at, problems.has(at) ? `${problems.get(at)} ${problem}` : problem)
    }
  }
  return problems
}

/** @param report receives the problems @default the returned error lists the problems */
export function wrongLines(
  count: number,
  problems: readonly string[],
  report: ((text: string) => void) | undefined,
): CliError {
  for (const problem of problems) report?.(`fish-cli: ${problem}`)
  const listed = report ? [] : problems
  const mistakes = `${count} ${count === 1 ? 'mistake' : 'mistakes'}`
  const first = count > MAX_REPORTED ? `, of which the first ${MAX_REPORTED} are shown` : ''
  return new CliError({
    code: 'wrong_lines',
    message: [`The file has ${mistakes}${first}; nothing was changed.`, ...listed].join(' '),
    hint: 'Correct the file, then repeat the command.',
    exit: EXIT.usage,
  })
}
