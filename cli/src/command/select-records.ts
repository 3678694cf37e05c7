import type { AdminClient } from '@fish-crab/sdk/admin'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { parseMoment } from '../client/catch-query.ts'
import { type CatchRecord, describeRecords, recordsOf, selectRecords } from '../client/records.ts'
import type { Context, Notes } from '../core/context.ts'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { confirm, confirmTyped } from '../output/prompt.ts'
import { printable } from '../output/text.ts'
import { Flags } from './define.ts'

/** Which records of a player an administrator changes: by id, or by time and name. */
export const recordFlags = {
  since: Flags.string({
    summary: 'Only catches since a local date or time, or how long ago: 2026-01-31, 2026-01-31T12:00, 90m, 7d.',
    helpValue: 'WHEN',
  }),
  until: Flags.string({ summary: 'Only catches before a time, as in --since.', helpValue: 'WHEN' }),
  added: Flags.boolean({ summary: 'Let --since and --until mean when a record was added, not when it was caught.' }),
  name: Flags.string({ summary: 'Only catches with this name, ignoring case.', helpValue: 'NAME' }),
}

interface RecordFlags {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly added?: boolean | undefined
  readonly name?: string | undefined
  readonly yes?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

export interface RecordSelection {
  readonly ids: readonly string[]
  /** All records of which every catch matches; absent with ids. */
  readonly matches?: (record: CatchRecord) => 'all' | 'some' | 'none'
}

/** @throws CliError `usage` unless either ids or a range are given */
export function parseSelection(ids: readonly string[], flags: RecordFlags, now: number): RecordSelection {
  const { since, until, added = false, name } = flags
  const hasRange = since !== undefined || until !== undefined || name !== undefined
  if (ids.length > 0 && (hasRange || added)) throw usageError('Name IDs, or use --since, --until and --name, not both.')
  if (ids.length > 0) return { ids }
  if (!hasRange) throw usageError('Missing ID.', 'Name the records, or choose them by --since, --until and --name.')
  const from = since === undefined ? Number.NEGATIVE_INFINITY : parseMoment(since, now, '--since')
  const to = until === undefined ? Number.POSITIVE_INFINITY : parseMoment(until, now, '--until')
  const wanted = name?.toLowerCase()
  const isWithin = (time: number) => time >= from && time < to
  const isBounded = since !== undefined || until !== undefined
  return {
    ids,
    matches({ id, catches }) {
      const matching = catches.filter(
        (one) =>
          (wanted === undefined || one.name.toLowerCase() === wanted) &&
          (!isBounded || isWithin(added ? addedAt(id) : Date.parse(one.caughtAt ?? ''))),
      )
      return matching.length === catches.length ? 'all' : matching.length > 0 ? 'some' : 'none'
    },
  }
}

const UUID_V7 = /^([\da-f]{8})-([\da-f]{4})-7/

/** Ids begin with their time (RFC 9562, 5.7). `NaN` for others, which no range includes. */
function addedAt(id: string): number {
  const [, high = '', low = ''] = UUID_V7.exec(id) ?? []
  return Number.parseInt(high + low, 16)
}

interface PlayerCollection {
  readonly name: string
  readonly gamemode: Gamemode
  readonly signal: AbortSignal
}

/** The selected records of a player in one gamemode; says which it leaves. */
export async function findRecords(
  context: Notes,
  admin: AdminClient,
  { name, gamemode, signal }: PlayerCollection,
  { ids, matches }: RecordSelection,
): Promise<{ readonly user: string; readonly records: readonly CatchRecord[] }> {
  const { user, fish } = await admin.fish.list(name, { gamemode, signal })
  const { crab } = await admin.crabs.list(name, { gamemode, signal })
  const all = [...recordsOf('fish', gamemode, fish), ...recordsOf('crab', gamemode, crab)]
  if (!matches) return { user, records: selectRecords(all, ids, gamemode) }
  const partly = all.filter((record) => matches(record) === 'some').length
  if (partly > 0) {
    const what = partly === 1 ? '1 record has' : `${partly} records have`
    context.note(`fish-cli: ${what} other catches, too, and stays as it is. Name its ID to change all of it.`)
  }
  const records = all.filter((record) => matches(record) === 'all')
  if (records.length > 0) return { user, records }
  const message = `No record of ${printable(user)} in ${gamemode} matches.`
  throw new CliError({ code: 'record_not_found', message, hint: 'Choose another range.', exit: EXIT.notFound })
}

/** A whole range is confirmed by typing the name of the player. */
export async function confirmRecords(
  context: Context & Notes,
  records: readonly CatchRecord[],
  { question, user, flags, isRange }: { question: string; user: string; flags: RecordFlags; isRange: boolean },
): Promise<void> {
  context.note(describeRecords(records))
  const { yes, 'no-input': noInput } = flags
  const asked = { question, yes, 'no-input': noInput }
  await (isRange ? confirmTyped(context, { ...asked, typed: user }) : confirm(context, asked))
}
