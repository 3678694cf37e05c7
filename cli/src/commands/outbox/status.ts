import { catchesText } from '../../client/flush.ts'
import { openLocalOutbox, outboxPath } from '../../client/outbox.ts'
import type { CommandContext } from '../../command/define.ts'
import { defineCommand } from '../../command/define.ts'
import { addressFlags, outputFlags } from '../../command/flags.ts'
import type { Column } from '../../output/columns.ts'

interface Row {
  readonly kind: string
  readonly user: string
  readonly gamemode: string
  readonly queued: number
  readonly deadLetters: number
}

const COLUMNS: readonly Column<Row>[] = [
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
    'rejects for good becomes a dead letter with the reason.',
  examples: ['fish-cli outbox status', 'fish-cli outbox status --json'],
  flags: { ...outputFlags, ...addressFlags },
  columns: COLUMNS,

  async run(context) {
    const path = outboxPath(context, context.target.url.value)
    const { rows, batches, oldest } = await read(context)
    const total = (field: 'queued' | 'deadLetters') => rows.reduce((sum, row) => sum + row[field], 0)
    for (const { id, count, reason } of batches) {
      context.note(`fish-cli: Dead letter ${id}: ${catchesText(count)}. Reason: ${reason.message}`)
    }
    const document = (collections: readonly object[]) => ({
      path,
      queued: total('queued'),
      deadLetters: total('deadLetters'),
      oldest: oldest?.toISOString() ?? null,
      collections,
      batches,
    })
    return context.printRows({ rows, document, empty: 'The outbox is empty.' })
  },
})

async function read(context: CommandContext) {
  await using outbox = await openLocalOutbox(context, context.target)
  if (!outbox) return EMPTY
  const { collections, oldest } = await outbox.status()
  // A frozen batch without a response counts as queued.
  const rows = collections.map(({ kind, user, gamemode, queued, frozen, dead }) => {
    return { kind, user, gamemode, queued: queued + frozen, deadLetters: dead }
  })
  const batches = (await outbox.deadLetters()).map(({ id, collection, reason, at, count }) => {
    return { id, ...collection, count, reason, at: at.toISOString() }
  })
  return { rows, batches, oldest }
}

const EMPTY = { rows: [], batches: [], oldest: undefined }
