import { catchesText } from '../../client/flush.ts'
import { countCatches, openLocalOutbox, selectDeadLetters } from '../../client/outbox.ts'
import { Args, defineCommand } from '../../command/define.ts'
import { addressFlags, yesFlags } from '../../command/flags.ts'
import { confirm } from '../../output/prompt.ts'

export const outboxDropCommand = defineCommand({
  summary: 'Delete dead letters: catches that the service rejected. Queued catches stay.',
  description:
    'A batch that the service rejects for good becomes a dead letter with the reason. ID is its number in outbox status.',
  examples: ['fish-cli outbox drop 3', 'fish-cli outbox drop --yes'],
  args: { id: Args.string({ description: 'dead letters by number (default: all)', multiple: true }) },
  flags: { ...yesFlags, ...addressFlags },

  async run(context) {
    const { args, flags } = context
    await using outbox = await openLocalOutbox(context, context.target)
    const batches = await selectDeadLetters(outbox, args.id ?? [])
    const count = countCatches(batches)
    const { pending = 0 } = (await outbox?.status()) ?? {}
    if (count === 0 && pending > 0) {
      context.note('fish-cli: There are no dead letters. To delete queued catches: fish-cli outbox cancel --all')
    }
    if (count > 0)
      await confirm(context, { ...flags, question: `Delete ${catchesText(count)} that could not be stored` })
    const dropped = outbox && count > 0 ? await outbox.drop(batches.map(({ id }) => id)) : 0
    return context.print({ dropped }, () => `Deleted ${dropped}.`)
  },
})
