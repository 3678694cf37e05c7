import { openLocalOutbox, selectDeadLetters } from '../../client/outbox.ts'
import { Args, defineCommand } from '../define.ts'
import { serviceFlags } from '../flags.ts'

/** `fish-cli outbox retry` */
export const outboxRetryCommand = defineCommand({
  summary: 'Let what was set aside wait to be sent again; nothing is stored twice.',
  description:
    'What the service refuses for good is set aside, with its reason. ID is the number that outbox status shows. ' +
    'Then send it: fish-cli outbox flush',
  examples: ['fish-cli outbox retry', 'fish-cli outbox retry 3'],
  args: {
    id: Args.string({ description: 'which ones; all when left out', ignoreStdin: true, multiple: true }),
  },
  flags: { profile: serviceFlags.profile, url: serviceFlags.url },

  async run(context) {
    const { args } = context
    await using outbox = await openLocalOutbox(context, context.target)
    const batches = await selectDeadLetters(outbox, args.id ?? [])
    const queued = outbox && batches.length > 0 ? await outbox.retry(batches.map(({ id }) => id)) : 0
    return context.print({ queued }, () => `Queued ${queued} again. Send them: fish-cli outbox flush`)
  },
})
