import type { Outbox } from '@fish-crab/sdk/outbox'
import { catchesText } from '../../core/amounts.ts'
import { hintForCode, rejectionText } from '../../core/describe-error.ts'
import { EXIT } from '../../core/errors.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { serviceFlags, userFlag, yesFlags } from '../../kit/flags.ts'
import { flushStatus, flushWithProgress } from '../../session/delivery.ts'
import { openLocalOutbox, unsentElsewhere } from '../../session/outbox.ts'
import type { Session } from '../../session/session.ts'
import { suggestOutbox } from '../../session/target.ts'
import type { Column } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'

const COLUMNS: readonly Column[] = [
  { field: 'kind' },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'waiting', align: 'right' },
  { field: 'rejected', align: 'right' },
]

const ACTIONS = ['send', 'retry', 'drop', 'cancel']
const exclusive = (name: string) => ({ exclusive: ACTIONS.filter((other) => other !== name) })

export const outboxCommand = defineCommand({
  summary: 'Show, send or delete the catches that wait on this machine.',
  description:
    'The catches of watch and add --file wait in the outbox until the service has stored them. The service ' +
    'rejects a catch if, for example, your key has changed. A rejected catch stays in the outbox with the reason, ' +
    'until you retry or drop it.',
  examples: [
    'fish-cli outbox',
    'fish-cli outbox --send',
    { description: 'Send rejected catches again, after a new login:', command: 'fish-cli outbox --retry' },
    { description: 'Delete rejected catches:', command: 'fish-cli outbox --drop' },
    { description: 'Delete all of your waiting catches:', command: 'fish-cli outbox --cancel --yes' },
  ],
  flags: {
    send: Flags.boolean({ summary: 'Send your waiting catches now.', ...exclusive('send') }),
    retry: Flags.boolean({ summary: 'Send rejected catches again. No catch is stored twice.', ...exclusive('retry') }),
    drop: Flags.boolean({ summary: 'Delete the rejected catches.', ...exclusive('drop') }),
    cancel: Flags.boolean({
      summary: 'Delete your waiting catches. A batch that is being sent stays, because it may have been stored.',
      ...exclusive('cancel'),
    }),
    ...userFlag,
    ...serviceFlags,
    ...yesFlags,
  },

  async run({ session, terminal, flags }) {
    if (flags.send || flags.retry) return send(session, flags.retry)
    await using outbox = await openLocalOutbox(session)
    if (flags.drop) return await drop(terminal, outbox)
    return await (flags.cancel ? cancel(session, outbox) : show(session, outbox))
  },
})

async function show(session: Session, outbox: Outbox | undefined): Promise<number> {
  const { terminal } = session
  const others = await unsentElsewhere(session)
  const status = await outbox?.status()
  const rows = (status?.collections ?? []).map(({ kind, user, gamemode, pending, rejected }) => {
    return { kind, user, gamemode, waiting: pending, rejected }
  })
  const batches = ((await outbox?.deadLetters()) ?? []).map(({ id, collection, reason, at, count }) => {
    return { id, ...collection, count, reason, at: at.toISOString() }
  })
  for (const { count, reason } of batches) {
    const why = `${rejectionText(reason)} ${hintForCode(reason.code) ?? ''}`.trimEnd()
    terminal.note(`fish-cli: ${catchesText(count)} rejected: ${why}`)
  }
  if (batches.length > 0)
    terminal.note(`fish-cli: To send rejected catches again: ${suggestOutbox(session.target, '--retry')}`)
  for (const { result, fix } of others) terminal.note(`fish-cli: ${result} ${fix}`)
  const document = {
    path: session.outboxPath,
    waiting: status?.pending ?? 0,
    rejected: status?.rejected ?? 0,
    oldest: status?.oldest?.toISOString() ?? null,
    collections: rows,
    batches,
    otherServices: others.flatMap(({ service }) => service ?? []),
  }
  return terminal.printRows({ rows, columns: COLUMNS, document, empty: 'The outbox is empty.' })
}

async function send(session: Session, withRejected: boolean): Promise<number> {
  const { terminal } = session
  await using outbox = await session.outbox({ user: session.user() })
  if (withRejected) {
    const retried = await outbox.retry()
    terminal.note(`fish-cli: Sending rejected catches again: ${catchesText(retried)}.`)
  }
  const report = await flushWithProgress(session, outbox)
  const status = flushStatus(session, report)
  const { delivered: sent, rejected, remaining: waiting } = report
  terminal.print({ sent, rejected, waiting }, () => `${sent} sent, ${rejected} rejected, ${waiting} waiting.`)
  return status
}

async function drop(terminal: Terminal, outbox: Outbox | undefined): Promise<number> {
  const batches = (await outbox?.deadLetters()) ?? []
  const rejected = batches.reduce((sum, { count }) => sum + count, 0)
  if (rejected > 0) await terminal.confirm(`Delete ${catchesText(rejected)} that the service rejected`)
  const dropped = (await outbox?.drop(batches.map(({ id }) => id))) ?? 0
  return terminal.print({ dropped }, () => `Deleted ${catchesText(dropped)}.`)
}

async function cancel(session: Session, outbox: Outbox | undefined): Promise<number> {
  const { terminal } = session
  const user = session.user()
  const planned = (await outbox?.cancel({ user, dryRun: true })) ?? NOTHING
  if (planned.cancelled > 0) {
    const question = `Delete ${catchesText(planned.cancelled)} of ${user} from the outbox`
    await terminal.confirm(question)
  }
  const { cancelled, frozen: underWay } = (await outbox?.cancel({ user })) ?? NOTHING
  const rest = underWay > 0 ? ` Not deleted, because sending has started: ${catchesText(underWay)}.` : ''
  terminal.print({ cancelled, underWay }, () => `Deleted ${catchesText(cancelled)}.${rest}`)
  return underWay > 0 ? EXIT.partly : EXIT.ok
}

const NOTHING = { cancelled: 0, frozen: 0 }
