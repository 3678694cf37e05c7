import type { Outbox } from '@fish-crab/sdk/outbox'
import { hintForCode, rejectionText } from '../client/describe-error.ts'
import { catchesText, flushStatus, flushWithProgress } from '../client/flush.ts'
import { openLocalOutbox, openPlayerOutbox, unsentElsewhere } from '../client/outbox.ts'
import { outboxPath } from '../client/outbox-path.ts'
import { maxWaitOf, requireUser } from '../config/target.ts'
import { EXIT } from '../core/errors.ts'
import { type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import { serviceFlags, userFlag, yesFlags } from '../kit/flags.ts'
import type { Column } from '../output/columns.ts'
import { confirm } from '../output/prompt.ts'
import { printable } from '../output/text.ts'

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

  async run(context) {
    const { flags } = context
    if (flags.send || flags.retry) return send(context)
    await using outbox = await openLocalOutbox(context, context.target)
    if (flags.drop) return await drop(context, outbox)
    return await (flags.cancel ? cancel(context, outbox) : show(context, outbox))
  },
})

async function show(context: CommandContext, outbox: Outbox | undefined): Promise<number> {
  const url = context.target.url.value
  const others = await unsentElsewhere(context, url)
  const status = await outbox?.status()
  const rows = (status?.collections ?? []).map(({ kind, user, gamemode, pending, rejected }) => {
    return { kind, user, gamemode, waiting: pending, rejected }
  })
  const batches = ((await outbox?.deadLetters()) ?? []).map(({ id, collection, reason, at, count }) => {
    return { id, ...collection, count, reason, at: at.toISOString() }
  })
  for (const { count, reason } of batches) {
    const why = `${rejectionText(reason)} ${hintForCode(reason.code) ?? ''}`.trimEnd()
    context.note(`fish-cli: ${catchesText(count)} rejected: ${why}`)
  }
  if (batches.length > 0) context.note('fish-cli: To send rejected catches again: fish-cli outbox --retry')
  for (const { result, fix } of others) context.note(`fish-cli: ${result} ${fix}`)
  const document = {
    path: outboxPath(context, url),
    waiting: status?.pending ?? 0,
    rejected: status?.rejected ?? 0,
    oldest: status?.oldest?.toISOString() ?? null,
    collections: rows,
    batches,
    otherServices: others.flatMap(({ service }) => service ?? []),
  }
  return context.printRows({ rows, columns: COLUMNS, document, empty: 'The outbox is empty.' })
}

async function send(context: CommandContext): Promise<number> {
  const { flags, target } = context
  const user = requireUser(target)
  const maxWaitMs = maxWaitOf(target)
  await using outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'] })
  if (flags.retry) {
    const retried = await outbox.retry()
    context.note(`fish-cli: Sending rejected catches again: ${catchesText(retried)}.`)
  }
  const report = await flushWithProgress(context, outbox, { maxWaitMs, signal: context.interrupted(), target })
  const status = flushStatus(context, report, target)
  const { delivered: sent, rejected, remaining: waiting } = report
  context.print({ sent, rejected, waiting }, () => `${sent} sent, ${rejected} rejected, ${waiting} waiting.`)
  return status
}

async function drop(context: CommandContext, outbox: Outbox | undefined): Promise<number> {
  const batches = (await outbox?.deadLetters()) ?? []
  const rejected = batches.reduce((sum, { count }) => sum + count, 0)
  if (rejected > 0)
    await confirm(context, { ...context.flags, question: `Delete ${catchesText(rejected)} that the service rejected` })
  const dropped = (await outbox?.drop(batches.map(({ id }) => id))) ?? 0
  return context.print({ dropped }, () => `Deleted ${catchesText(dropped)}.`)
}

async function cancel(context: CommandContext, outbox: Outbox | undefined): Promise<number> {
  const user = requireUser(context.target)
  const planned = (await outbox?.cancel({ user, dryRun: true })) ?? NOTHING
  if (planned.cancelled > 0) {
    const question = `Delete ${catchesText(planned.cancelled)} of ${printable(user)} from the outbox`
    await confirm(context, { ...context.flags, question })
  }
  const { cancelled, frozen: underWay } = (await outbox?.cancel({ user })) ?? NOTHING
  const rest = underWay > 0 ? ` Not deleted, because sending has started: ${catchesText(underWay)}.` : ''
  context.print({ cancelled, underWay }, () => `Deleted ${catchesText(cancelled)}.${rest}`)
  return underWay > 0 ? EXIT.partly : EXIT.ok
}

const NOTHING = { cancelled: 0, frozen: 0 }
