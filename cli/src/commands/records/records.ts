import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, type Crab, type Fish, FishCrabError, type Gamemode } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import { catchesText, recordsText } from '../../core/amounts.ts'
import { commandLine } from '../../core/argv.ts'
import { describeError } from '../../core/describe-error.ts'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { localTime } from '../../core/time.ts'
import { replaceFile } from '../../session/files.ts'
import { folders } from '../../session/paths.ts'
import type { Session } from '../../session/session.ts'
import { targetWords } from '../../session/target.ts'
import { type CatchKind, fetchCatches } from '../list/catch-list.ts'

/** The catches that one request added, or only one of them. */
export interface CatchRecord {
  readonly id: string
  /** The index of the only catch to remove. @default all catches of the record */
  readonly entry?: number | undefined
  readonly kind: CatchKind
  readonly gamemode: Gamemode
  /** Contains at least one catch. */
  readonly catches: readonly (Fish | Crab)[]
}

/** Groups catches by the id of their record, oldest first. */
function recordsOf(kind: CatchKind, gamemode: Gamemode, catches: readonly (Fish | Crab)[]): readonly CatchRecord[] {
  const byId = new Map<string, (Fish | Crab)[]>()
  for (const one of catches) {
    const { id = '' } = one
    const known = byId.get(id)
    if (known) known.push(one)
    else byId.set(id, [one])
  }
  return Array.from(byId, ([id, entries]) => ({ id, kind, gamemode, catches: entries }))
}

export function resourceOf({ fish, crabs }: Client, kind: CatchKind) {
  return kind === 'fish' ? fish : crabs
}

interface RecordsTarget {
  readonly user: string
  readonly gamemode: Gamemode
  readonly signal: AbortSignal
}

interface FoundRecords {
  /** The name of the player in the spelling that the service uses. */
  readonly user: string
  readonly records: readonly CatchRecord[]
}

/** Reads all records of a player in one gamemode. */
export async function fetchRecords(client: Client, { user, gamemode, signal }: RecordsTarget): Promise<FoundRecords> {
  const options = { user, gamemode, signal, detail: 'full' } as const
  const [fish, crabs] = [await fetchCatches(client, 'fish', options), await fetchCatches(client, 'crab', options)]
  const records = [...recordsOf('fish', gamemode, fish.catches), ...recordsOf('crab', gamemode, crabs.catches)]
  return { user: fish.user, records }
}

/** Works like {@link fetchRecords} for an administrator. */
export async function fetchRecordsAsAdmin(
  { fish, crabs }: AdminClient,
  { user, gamemode, signal }: RecordsTarget,
): Promise<FoundRecords> {
  const caught = await fish.list(user, { gamemode, signal })
  const { crab } = await crabs.list(user, { gamemode, signal })
  return {
    user: caught.user,
    records: [...recordsOf('fish', gamemode, caught.fish), ...recordsOf('crab', gamemode, crab)],
  }
}

/** `list --detail` shows the last 8 characters of an id. */
const SHORTEST_END = 8
const ID_FORM = /^[\da-f]{1,12}$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Lists the ids. Returns `records` if a text is not an id, because such a text may be a secret. */
export function idsText(ids: readonly string[]): string {
  return ids.length > 0 && ids.every((id) => ID_FORM.test(id)) ? ids.join(', ') : 'records'
}

/**
 * Finds records of a gamemode by whole ids or by unique ends of ids.
 * @throws CliError for an unknown or ambiguous id
 */
export function selectRecords(
  records: readonly CatchRecord[],
  ids: readonly string[],
  gamemode: Gamemode,
): readonly CatchRecord[] {
  const hint = `See the ids (of crabs with list crabs): ${commandLine('list', '--detail', '-g', gamemode)}`
  const selected = ids.map((text, index) => {
    const end = text.replace(/^(…|\.\.\.)/, '')
    const found = records.filter(({ id }) => id === end || (end.length >= SHORTEST_END && id.endsWith(end)))
    if (found.length > 1)
      throw usageError(
        `Several records end with ${end}.`,
        `See the whole ids: ${commandLine('list', '--detail', '--gamemode', gamemode, '--json')}`,
      )
    const [record] = found
    if (record) return record
    // The error quotes only text that looks like an id, because other text may be a secret.
    const which = ids.length === 1 ? 'ID' : `ID ${index + 1}`
    const rule = end.length < SHORTEST_END ? ` The end of an ID has at least ${SHORTEST_END} characters.` : ''
    const message = ID_FORM.test(end)
      ? `No record "${end}" in ${gamemode}.${rule}`
      : `${which} is not a record in ${gamemode}.`
    throw new CliError({ code: 'record_not_found', message, hint, exit: EXIT.notFound })
  })
  return [...new Set(selected)]
}

export function countOf(records: readonly CatchRecord[]): number {
  return records.reduce((sum, { catches }) => sum + catches.length, 0)
}

const SHOWN_RECORDS = 10
const SHOWN_NAMES = 5

/** Describes the first records, each on an indented line. */
export function describeRecords(
  records: readonly (Pick<CatchRecord, 'catches' | 'entry'> & { readonly id?: string })[],
): readonly string[] {
  const lines = records.slice(0, SHOWN_RECORDS).map(({ id, entry, catches }) => {
    const names = catches
      .slice(0, SHOWN_NAMES)
      .map((one) => ('rarity' in one ? `${one.name} · ${one.rarity}` : one.name))
    const others = catches.length > SHOWN_NAMES ? `, and ${catches.length - SHOWN_NAMES} more` : ''
    const time = catches[0]?.caughtAt
    const before = time === undefined ? '' : `${localTime(time)}  `
    const end = id === undefined ? '' : `  (${id.slice(-SHORTEST_END)}${entry === undefined ? '' : `, entry ${entry}`})`
    return `  ${before}${names.join(', ')}${others}${end}`
  })
  const rest = records.length - SHOWN_RECORDS
  if (rest > 0) lines.push(`  and ${rest} more record${rest === 1 ? '' : 's'}`)
  return lines
}

/**
 * Saves records in the format of `add --file`, so that removed catches can be added again with their original times.
 * @param replaced the path of a file to replace @default a new file
 * @returns the path
 */
export function saveRecords(session: Session, records: readonly Omit<CatchRecord, 'id'>[], replaced?: string): string {
  const removedAt = new Date(session.clock.now()).toISOString()
  const path = replaced ?? join(folders(session).state, `removed-${removedAt.replace(/[:.]/g, '-')}.jsonl`)
  // The removal time makes each file unique. Otherwise, `add --file` would skip a second file with the same catches.
  const lines = records.flatMap(({ kind, gamemode, catches }) =>
    catches.map(({ id: _, entry: __, ...one }) => JSON.stringify({ kind, ...one, gamemode, removedAt })),
  )
  replaceFile(path, `${lines.join('\n')}\n`)
  return path
}

/**
 * Saves records to a file, then removes the records. If the service certainly removed nothing, the file is deleted,
 * because adding the file would store the catches twice.
 */
export async function removeRecords(
  session: Session,
  records: readonly CatchRecord[],
  options: Omit<ChangeOptions, 'done'>,
): Promise<{ readonly file: string; readonly removed: readonly CatchRecord[] }> {
  const file = saveRecords(session, records)
  try {
    return { file, removed: await changeRecords(session, records, { ...options, done: 'removed' }) }
  } catch (error) {
    if (error instanceof FishCrabError && !error.mayHaveChanged) rmSync(file)
    else session.terminal.note(`fish-cli: If catches were removed, they are in ${file}.`)
    throw error
  }
}

export function takeBackHint({ target }: Session, path: string, user: string): string {
  const words = targetWords({ ...target, admin: undefined, user: { value: user, from: 'flag' } })
  return `To add the catches again: ${commandLine('add', '--file', path, ...words)}`
}

interface ChangeOptions {
  /** The verb in messages, such as `removed`. */
  readonly done: string
  run(record: CatchRecord): PromiseLike<unknown>
}

/**
 * Changes records one after another, with progress. If a request fails or the user interrupts, changed records stay
 * changed. The error reports the number of changed catches. Repeating the command changes the remaining records.
 */
export async function changeRecords(
  session: Session,
  records: readonly CatchRecord[],
  { done, run }: ChangeOptions,
): Promise<readonly CatchRecord[]> {
  const { signal, terminal } = session
  const changed: CatchRecord[] = []
  const progress = terminal.progress({ unit: 'catches', total: countOf(records) })
  const missing: CatchRecord[] = []
  try {
    for (const record of records) {
      if (signal.aborted) throw signal.reason
      try {
        await run(record)
        changed.push(record)
      } catch (error) {
        // Another client or an earlier run has already removed or moved the record.
        if (!['record_not_found', 'entry_not_found'].includes(describeError(error).code)) throw error
        missing.push(record)
      }
      progress.update(countOf(changed) + countOf(missing))
    }
  } catch (error) {
    if (changed.length === 0 && !signal.aborted) throw error
    const described = signal.aborted
      ? { code: 'interrupted', message: 'Interrupted.', exit: EXIT.interrupted }
      : describeError(error)
    throw new CliError({
      ...described,
      message: `${described.message} ${countOf(changed)} of ${catchesText(countOf(records))} ${done}.`,
      hint: 'To continue, repeat the command.',
    })
  } finally {
    progress.end()
  }
  if (missing.length > 0) terminal.note(`fish-cli: Already moved or removed: ${catchesText(countOf(missing))}.`)
  return changed
}

/** Returns a text such as `3 catches in 2 records`. */
export function amountText(records: readonly CatchRecord[]): string {
  const catches = countOf(records)
  const count = new Set(records.map(({ id }) => id)).size
  return catches === count ? catchesText(catches) : `${catchesText(catches)} in ${recordsText(count)}`
}

/** Names removed records in a JSON document: whole records by their ids, and single catches of others as `entries`. */
export function recordIds(records: readonly CatchRecord[]) {
  return {
    ids: records.filter(({ entry }) => entry === undefined).map(({ id }) => id),
    entries: records.flatMap(({ id, entry, catches }) =>
      entry === undefined ? [] : [{ id, entry, name: catches[0]?.name }],
    ),
  }
}
