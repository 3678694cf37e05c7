import { hintForCode } from '../../client/describe-error.ts'
import { catchesText } from '../../client/flush.ts'
import { openLocalOutbox, unsentElsewhere } from '../../client/outbox.ts'
import { outboxPath } from '../../client/outbox-path.ts'
import { defineCommand } from '../../command/define.ts'
import { addressFlags, outputFlags } from '../../command/flags.ts'
import type { Column } from '../../output/columns.ts'

const COLUMNS: readonly Column[] = [
  { field: 'kind' },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'queued', align: 'right' },
  { field: 'deadLetters', align: 'right' },
]

export const outboxStatusCommand = defineCommand({
  summary: 'Show queued catches and dead letters.',
  description:
    'The outbox holds the catches of watch and add --file until the service has stored them. A batch that the service ' +
    'rejects for good becomes a dead letter with the reason. An outbox belongs to one address; what is queued for other addresses is reported too.',
  examples: ['fish-cli outbox status', 'fish-cli outbox status --json'],
  flags: { ...outputFlags, ...addressFlags },
  columns: COLUMNS,

  async run(context) {
    const url = context.target.url.value
    const path = outboxPath(context, url)
    const others = await unsentElsewhere(context, url)
    await using outbox = await openLocalOutbox(context, context.target)
    const status = await outbox?.status()
    const rows = (status?.collections ?? []).map(({ kind, user, gamemode, pending, rejected }) => {
      return { kind, user, gamemode, queued: pending, deadLetters: rejected }
    })
    const batches = ((await outbox?.deadLetters()) ?? []).map(({ id, collection, reason, at, count }) => {
      return { id, ...collection, count, reason, at: at.toISOString() }
    })
    const total = (field: 'queued' | 'deadLetters') => rows.reduce((sum, row) => sum + row[field], 0)
    for (const { id, count, reason } of batches) {
      const why = `Reason: ${reason.message} ${hintForCode(reason.code) ?? ''}`.trimEnd()
      context.note(`fish-cli: Dead letter ${id}: ${catchesText(count)}. ${why}`)
    }
    if (batches.length > 0) context.note('fish-cli: When the reason is gone, send them: fish-cli outbox retry')
    for (const { result, fix } of others) context.note(`fish-cli: ${result} ${fix}`)
    const document = (collections: readonly object[]) => ({
      path,
      queued: total('queued'),
      deadLetters: total('deadLetters'),
      oldest: status?.oldest?.toISOString() ?? null,
      collections,
      batches,
      otherServices: others.flatMap(({ service }) => service ?? []),
    })
    return context.printRows({ rows, document, empty: 'The outbox is empty.' })
  },
})
