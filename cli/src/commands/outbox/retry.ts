import { openLocalOutbox, selectDeadLetters } from '../../client/outbox.ts'
import { Args, defineCommand } from '../../command/define.ts'
import { addressFlags } from '../../command/flags.ts'

export const outboxRetryCommand = defineCommand({
  summary: 'Queue dead letters again; nothing is stored twice.',
  description:
    'A batch that the service rejects for good becomes a dead letter with the reason. ID is its number in outbox ' +
    'status. To send the batches afterwards: fish-cli outbox flush',
  examples: ['fish-cli outbox retry', 'fish-cli outbox retry 3'],
  args: { id: Args.string({ description: 'dead letters by number (default: all)', multiple: true }) },
  flags: { ...addressFlags },

  async run(context) {
    const { args } = context
    await using outbox = await openLocalOutbox(context, context.target)
    const batches = await selectDeadLetters(outbox, args.id ?? [])
    const queued = outbox && batches.length > 0 ? await outbox.retry(batches.map(({ id }) => id)) : 0
    return context.print({ queued }, () => `Queued ${queued} again. To send them: fish-cli outbox flush`)
  },
})
