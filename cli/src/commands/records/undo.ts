import type { Gamemode } from '@fish-crab/sdk'
import { CliError, EXIT } from '../../core/errors.ts'
import { defineCommand } from '../../kit/define.ts'
import { serviceFlags, userFlag, yesFlags } from '../../kit/flags.ts'
import { type AddedRecord, forgetAdded, lastAdded } from '../../session/added.ts'
import { readPlayerPassword } from '../../session/credentials.ts'
import { openLocalOutbox, waitingCatches } from '../../session/outbox.ts'
import type { Session } from '../../session/session.ts'
import { COPYABLE } from '../../terminal/terminal.ts'
import {
  amountText,
  type CatchRecord,
  countOf,
  describeRecords,
  fetchRecords,
  removeRecords,
  resourceOf,
  takeBackHint,
} from './records.ts'
import { undoQueued } from './undo-queued.ts'

export const undoCommand = defineCommand({
  summary: 'Remove the catches that this machine added last.',
  description:
    'The command removes the catches that were added last: by the last add command, from the last file, or in the ' +
    'last batch of watch. Waiting catches are removed from the outbox. Sent catches are removed from the service, ' +
    'which requires your password. The command first saves the catches to a file. To restore the catches, run: ' +
    'fish-cli add --file FILE. Repeat undo to remove earlier catches.',
  examples: ['fish-cli undo', { description: 'In a script:', command: 'fish-cli undo --yes --json' }],
  flags: { ...userFlag, ...serviceFlags, ...yesFlags },

  async run({ session }) {
    const user = session.user()
    await using outbox = await openLocalOutbox(session)
    const queued = outbox && (await waitingCatches(outbox, user)).at(-1)
    for (;;) {
      const sent = lastAdded(session, user)
      const sentAt = sent.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      if (outbox && queued && queued.addedAt >= sentAt) return await undoQueued(session, outbox, user, queued)
      if (sent.length === 0) break
      const status = await undoSent(session, user, sent)
      if (status !== undefined) return status
    }
    const message = `No catches to undo for ${user} on this machine.`
    throw new CliError({
      code: 'nothing_to_undo',
      message,
      hint: 'To remove a record by its id, see the ids: fish-cli list --detail',
      exit: EXIT.notFound,
    })
  },
})

/** Removes the records of the last run from the service. Returns `undefined` if no such record exists anymore. */
async function undoSent(session: Session, named: string, sent: readonly AddedRecord[]): Promise<number | undefined> {
  const { signal, terminal } = session
  const client = await session.client()
  const ids = new Set(sent.map(({ id }) => id))
  const records: CatchRecord[] = []
  let user = named
  for (const gamemode of new Set(sent.map((one) => one.gamemode as Gamemode))) {
    const found = await fetchRecords(client, { user: named, gamemode, signal })
    user = found.user
    for (const record of found.records) if (ids.has(record.id)) records.push(record)
  }
  if (records.length === 0) {
    await forgetAdded(session, ids)
    terminal.note(
      'fish-cli: The last catches of this machine are already moved or removed. undo continues with earlier ' +
        'catches:',
    )
    return undefined
  }
  const gamemodes = [...new Set(records.map(({ gamemode }) => gamemode))].join(', ')
  const from = `${user}, ${gamemodes}`
  await terminal.confirm(`Remove ${amountText(records)} of ${from}`, { about: describeRecords(records) })
  const password = await readPlayerPassword(session, user)
  const { file, removed } = await removeRecords(session, records, {
    run: ({ id, kind, gamemode }) => resourceOf(client, kind).remove(id, { user, gamemode, password, signal }),
  })
  await forgetAdded(session, ids)
  const document = { user, queued: false, removed: removed.map(({ id }) => id), catches: countOf(removed), file }
  const text = [`Removed ${amountText(removed)} of ${from}.`, takeBackHint(session, file, user)]
  return terminal.print(document, () => text, COPYABLE)
}
