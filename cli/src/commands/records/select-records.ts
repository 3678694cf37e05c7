import type { Crab, Fish } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseMoment } from '../../core/parse-values.ts'
import { Args, Flags, type Run } from '../../kit/define.ts'
import { adminFlag, dryRunFlag, serviceFlags, userFlag, yesFlags } from '../../kit/flags.ts'
import { readPlayerPassword } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'
import { suggestList } from '../../session/target.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import {
  type CatchRecord,
  describeRecords,
  fetchRecords,
  fetchRecordsAsAdmin,
  resourceOf,
  selectRecords,
} from './records.ts'

export const recordArgs = {
  id: Args.string({ description: 'ids of the records, or the ends of the ids', multiple: true }),
}

/** The flags of `remove` and `move`, which select the records, the player and the login. */
export const recordFlags = {
  since: Flags.string({
    summary: 'Only catches since WHEN: a local date or time (2026-01-31, 2026-01-31T12:00), or how long ago (90m, 7d).',
    helpValue: 'WHEN',
  }),
  until: Flags.string({ summary: 'Only catches before WHEN, which has the format of --since.', helpValue: 'WHEN' }),
  name: Flags.string({ summary: 'Only catches with this name, ignoring case.', helpValue: 'NAME' }),
  ...userFlag,
  ...adminFlag,
  ...serviceFlags,
  ...yesFlags,
  ...dryRunFlag,
}

/** @param selection the catches that `--since`, `--until` and `--name` select */
export const describeSelection = (selection: string) =>
  'A record contains the catches that one add command or one batch stored. ID is the end of the record id, as shown by list --detail. ' +
  `${selection} To confirm such a selection, type the name of the player. The command needs your password. ` +
  'Administrators pass --user and use their own login.'

/** The records that a command line selects, and the function that authorizes changes. */
export interface SelectedRecords {
  /** The name of the player, in the spelling that the service uses. */
  readonly user: string
  readonly records: readonly CatchRecord[]
  /** Prompts for confirmation, then for the password. */
  authorize(question: string): Promise<RecordChanges>
}

interface RecordChanges {
  remove(record: CatchRecord): PromiseLike<unknown>
  move(record: CatchRecord, to: Gamemode): PromiseLike<unknown>
}

/** @param options.isSplit whether `--since`, `--until` and `--name` may select some catches of a record */
export async function findRecords(
  session: Session,
  { args, flags }: Pick<Run, 'args' | 'flags'>,
  { gamemode, isSplit }: { readonly gamemode: Gamemode; readonly isSplit: boolean },
): Promise<SelectedRecords> {
  const { clock, signal, terminal } = session
  const { ids, matches } = parseSelection(args.id ?? [], flags, clock.now())
  const collection = { user: session.user(), gamemode, signal }
  const admin = flags.user !== undefined && session.isAdministrator ? await session.admin() : undefined
  const client = await session.client()
  // The collections of a hidden player are visible only to administrators, whose requests are not counted as public.
  const found = admin ? await fetchRecordsAsAdmin(admin, collection) : await fetchRecords(client, collection)
  const { user } = found
  const records = matches
    ? matching(terminal, found.records, { matches, isSplit })
    : selectRecords(found.records, ids, gamemode)
  if (records.length === 0) {
    const message = `No record of ${user} in ${gamemode} matches.`
    throw new CliError({
      code: 'record_not_found',
      message,
      hint: `See the records: ${suggestList(session.target, { user, gamemode })}`,
      exit: EXIT.notFound,
    })
  }
  return {
    user,
    records,
    async authorize(question) {
      await terminal.confirm(question, { typed: matches && user, about: describeRecords(records) })
      if (admin) {
        const of = ({ kind }: CatchRecord) => (kind === 'fish' ? admin.fish : admin.crabs)
        const options = { gamemode, signal, maxRetries: 2 }
        return {
          remove: (record) => of(record).delete(user, record.id, { ...options, entry: record.entry }),
          move: (record, to) => of(record).move(user, record.id, { ...options, to }),
        }
      }
      const options = { user, gamemode, signal, password: await readPlayerPassword(session, user) }
      return {
        remove: ({ id, kind, entry }) => resourceOf(client, kind).remove(id, { ...options, entry }),
        move: ({ id, kind }, to) => resourceOf(client, kind).move(id, { ...options, to }),
      }
    },
  }
}

type Match = (one: Fish | Crab) => boolean

function matching(
  terminal: Terminal,
  records: readonly CatchRecord[],
  { matches, isSplit }: { readonly matches: Match; readonly isSplit: boolean },
): readonly CatchRecord[] {
  let skipped = 0
  const selected = records.flatMap((record) => {
    const catches = record.catches.filter(matches)
    if (catches.length === record.catches.length) return [record]
    // Without its index, removing a catch would remove the whole record.
    if (isSplit && catches.every(({ entry }) => entry !== undefined)) {
      return catches.map((one) => ({ ...record, entry: one.entry, catches: [one] }))
    }
    if (catches.length > 0) skipped += 1
    return []
  })
  if (skipped > 0) {
    const some =
      skipped === 1
        ? '1 record also contains other catches and was skipped'
        : `${skipped} records also contain other catches and were skipped`
    terminal.note(`fish-cli: ${some}. To change a whole record, name its ID.`)
  }
  return selected
}

interface RangeFlags {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly name?: string | undefined
}

/** @throws CliError `usage` if ids and a range are both given or both missing */
function parseSelection(ids: readonly string[], { since, until, name }: RangeFlags, now: number) {
  const hasRange = since !== undefined || until !== undefined || name !== undefined
  if (ids.length > 0 && hasRange) throw usageError('ID cannot be used together with --since, --until or --name.')
  if (ids.length > 0) return { ids }
  if (!hasRange) throw usageError('The ID of the record is missing.', 'See the ids: fish-cli list --detail')
  const from = since === undefined ? Number.NEGATIVE_INFINITY : parseMoment(since, now, '--since')
  const to = until === undefined ? Number.POSITIVE_INFINITY : parseMoment(until, now, '--until')
  const isBounded = since !== undefined || until !== undefined
  const matches: Match = (one) => {
    const time = Date.parse(one.caughtAt ?? '')
    const isNamed = name === undefined || one.name.toLowerCase() === name.toLowerCase()
    return isNamed && (!isBounded || (time >= from && time < to))
  }
  return { ids, matches }
}
