import { RARITIES } from '@fish-crab/sdk/constants'
import type { Outbox, StoredCatch } from '@fish-crab/sdk/outbox'
import { catchesText } from '../../core/amounts.ts'
import { commandLine } from '../../core/argv.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import { waitingCatches } from '../../session/outbox.ts'
import type { Session } from '../../session/session.ts'
import { suggestOutbox, targetWords } from '../../session/target.ts'
import { COPYABLE } from '../../terminal/terminal.ts'
import { groupOfKey } from '../add/keys.ts'
import { type CatchRecord, describeRecords, saveRecords, takeBackHint } from './records.ts'

/** Removes one catch from the outbox, or all catches of the file that contained it. */
export async function undoQueued(session: Session, outbox: Outbox, user: string, last: StoredCatch): Promise<number> {
  const { terminal } = session
  const groupOf = ({ seq, key }: StoredCatch) => (key === undefined ? seq : groupOfKey(key))
  const catches = (await waitingCatches(outbox, user)).filter((one) => groupOf(one) === groupOf(last))
  const group = { user, seqs: catches.map(({ seq }) => seq) }
  const planned = await outbox.cancel({ ...group, dryRun: true })
  if (planned.cancelled === 0 || planned.cancelled + planned.frozen !== catches.length) {
    throw new CliError({
      code: 'catches_under_way',
      message: 'The last catches are being sent and may already be stored.',
      hint: [
        `Send the catches: ${suggestOutbox(session.target, '--send')}`,
        `Then undo: ${commandLine('undo', ...targetWords(session.target))}`,
      ],
      exit: EXIT.conflict,
    })
  }
  const records = recordsOf(catches)
  const what = `${catchesText(planned.cancelled)} of ${user} from the outbox`
  await terminal.confirm(`Remove ${what}`, { about: describeRecords(records) })
  const file = saveRecords(session, records)
  const { cancelled, frozen } = await outbox.cancel(group)
  if (frozen > 0) {
    // Catches that are still sent are not in the file, because adding them again would store them twice.
    const sending = new Set((await waitingCatches(outbox, user)).map(({ seq }) => seq))
    saveRecords(session, recordsOf(catches.filter(({ seq }) => !sending.has(seq))), file)
  }
  const underWay = frozen > 0 ? ` Not removed, because sending has started: ${catchesText(frozen)}.` : ''
  const done = `Removed ${catchesText(cancelled)} of ${user} from the outbox.${underWay}`
  const document = { user, queued: true, removed: [], catches: cancelled, underWay: frozen, file }
  terminal.print(document, () => [done, takeBackHint(session, file, user)], COPYABLE)
  return frozen > 0 ? EXIT.partly : EXIT.ok
}

function recordsOf(catches: readonly StoredCatch[]): readonly Omit<CatchRecord, 'id'>[] {
  return catches.map(({ kind, gamemode, entry }) => {
    const label = RARITIES.find(({ value }) => 'rarity' in entry && value === entry.rarity)?.label
    const name = { name: entry.name ?? 'crab', caughtAt: entry.caughtAt }
    return { kind, gamemode, catches: [label === undefined ? name : { ...name, rarity: label }] }
  })
}
