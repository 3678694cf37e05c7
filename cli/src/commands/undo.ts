import type { Gamemode } from '@fish-crab/sdk'
import { RARITIES } from '@fish-crab/sdk/constants'
import type { Outbox, StoredCatch } from '@fish-crab/sdk/outbox'
import { groupOfKey } from '../add-file/keys.ts'
import { type AddedRecord, forgetAdded, lastAdded } from '../client/added.ts'
import { openClient } from '../client/client.ts'
import { catchesText } from '../client/flush.ts'
import { openLocalOutbox, waitingCatches } from '../client/outbox.ts'
import { outboxPath } from '../client/outbox-path.ts'
import {
  amountText,
  type CatchRecord,
  COPYABLE,
  countOf,
  describeRecords,
  fetchRecords,
  readPlayerPassword,
  removeRecords,
  resourceOf,
  saveRecords,
  takeBackHint,
} from '../client/records.ts'
import { requireUser } from '../config/target.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { type CommandContext, defineCommand } from '../kit/define.ts'
import { serviceFlags, userFlag, yesFlags } from '../kit/flags.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

export const undoCommand = defineCommand({
  summary: 'Remove the catches that this machine added last.',
  description:
    'The command removes the catches that were added last: by the last add command, from the last file, or in the ' +
    'last batch of watch. Waiting catches are removed from the outbox. Sent catches are removed from the service, ' +
    'which requires your password. The command first saves the catches to a file. To restore the catches, run: ' +
    'fish-cli add --file FILE. Repeat undo to remove earlier catches.',
  examples: ['fish-cli undo', { description: 'In a script:', command: 'fish-cli undo --yes --json' }],
  flags: { ...userFlag, ...serviceFlags, ...yesFlags },

  async run(context) {
    const { target } = context
    const user = requireUser(target)
    const path = outboxPath(context, target.url.value)
    await using outbox = await openLocalOutbox(context, target)
    const queued = outbox && (await waitingCatches(outbox, user)).at(-1)
    for (;;) {
      const sent = lastAdded(path, user)
      const sentAt = sent.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      if (outbox && queued && queued.addedAt >= sentAt) return await undoQueued(context, outbox, user, queued)
      if (sent.length === 0) break
      const status = await undoSent(context, user, path, sent)
      if (status !== undefined) return status
    }
    const message = `No catches to undo for ${printable(user)} on this machine.`
    throw new CliError({
      code: 'nothing_to_undo',
      message,
      hint: 'To remove a record by its id, see the ids: fish-cli list --detail',
      exit: EXIT.notFound,
    })
  },
})

/** Removes one catch from the outbox, or all catches of the file that contained it. */
async function undoQueued(context: CommandContext, outbox: Outbox, user: string, last: StoredCatch): Promise<number> {
  const groupOf = ({ seq, key }: StoredCatch) => (key === undefined ? seq : groupOfKey(key))
  const catches = (await waitingCatches(outbox, user)).filter((one) => groupOf(one) === groupOf(last))
  const group = { user, seqs: catches.map(({ seq }) => seq) }
  const planned = await outbox.cancel({ ...group, dryRun: true })
  if (planned.cancelled === 0 || planned.cancelled + planned.frozen !== catches.length) {
    throw new CliError({
      code: 'catches_under_way',
      message: 'The last catches are being sent and may already be stored.',
      hint: 'Send the catches, then undo: fish-cli outbox --send && fish-cli undo',
      exit: EXIT.conflict,
    })
  }
  const records = catches.map(({ kind, gamemode, entry }): Omit<CatchRecord, 'id'> => {
    const label = RARITIES.find(({ value }) => 'rarity' in entry && value === entry.rarity)?.label
    const name = { name: entry.name ?? 'crab', caughtAt: entry.caughtAt }
    return { kind, gamemode, catches: [label === undefined ? name : { ...name, rarity: label }] }
  })
  context.note(describeRecords(records))
  const what = `${catchesText(planned.cancelled)} of ${printable(user)} from the outbox`
  await confirm(context, { ...context.flags, question: `Remove ${what}` })
  const file = saveRecords(context, records)
  const { cancelled, frozen } = await outbox.cancel(group)
  const underWay = frozen > 0 ? ` Not removed, because sending has started: ${catchesText(frozen)}.` : ''
  const done = `Removed ${catchesText(cancelled)} of ${printable(user)} from the outbox.${underWay}`
  const document = { user, queued: true, removed: [], catches: cancelled, underWay: frozen, file }
  context.print(document, () => `${done}\n${takeBackHint(file, user, context.target)}`, COPYABLE)
  return frozen > 0 ? EXIT.partly : EXIT.ok
}

/** Removes the records of the last run from the service. Returns `undefined` if no such record exists anymore. */
async function undoSent(
  context: CommandContext,
  named: string,
  path: string,
  sent: readonly AddedRecord[],
): Promise<number | undefined> {
  const client = await openClient(context, context.target)
  const signal = context.interrupted()
  const ids = new Set(sent.map(({ id }) => id))
  const records: CatchRecord[] = []
  let user = named
  for (const gamemode of new Set(sent.map((one) => one.gamemode as Gamemode))) {
    const found = await fetchRecords(client, { user: named, gamemode, signal })
    user = found.user
    for (const record of found.records) if (ids.has(record.id)) records.push(record)
  }
  if (records.length === 0) {
    await forgetAdded(context, path, ids)
    context.note(
      'fish-cli: The last catches of this machine are already moved or removed. undo continues with earlier ' +
        'catches:',
    )
    return undefined
  }
  context.note(describeRecords(records))
  const gamemodes = [...new Set(records.map(({ gamemode }) => gamemode))].join(', ')
  const from = `${printable(user)}, ${gamemodes}`
  await confirm(context, { ...context.flags, question: `Remove ${amountText(records)} of ${from}` })
  const password = await readPlayerPassword(context, user, context.flags['no-input'])
  const { file, removed } = await removeRecords(context, records, {
    signal,
    run: ({ id, kind, gamemode }) => resourceOf(client, kind).remove(id, { user, gamemode, password, signal }),
  })
  await forgetAdded(context, path, ids)
  const document = { user, queued: false, removed: removed.map(({ id }) => id), catches: countOf(removed), file }
  const text = `Removed ${amountText(removed)} of ${from}.\n${takeBackHint(file, user, context.target)}`
  return context.print(document, () => text, COPYABLE)
}
