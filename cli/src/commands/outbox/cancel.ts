import { catchesText } from '../../client/flush.ts'
import { openLocalOutbox } from '../../client/outbox.ts'
import { type CommandContext, defineCommand, Flags } from '../../command/define.ts'
import { addressFlags, yesFlags } from '../../command/flags.ts'
import { EXIT, usageError } from '../../core/errors.ts'
import { cancellation, countOfOtherFiles, keyPrefixOf } from '../../import/checkpoint.ts'
import { openSource } from '../../import/source.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'

export const outboxCancelCommand = defineCommand({
  summary: 'Remove unsent catches from the queue, such as a wrong import.',
  description:
    'This cannot be undone, but the same catches can be added again. A batch that is being sent may have reached the ' +
    'service: it stays, is reported, and the command exits with 7. Once it is sent, adding a cancelled file again is a new import. Dead ' +
    'letters stay too; delete them with fish-cli outbox drop.',
  examples: [
    'fish-cli outbox cancel --file catches.csv',
    { description: 'In a script:', command: 'fish-cli outbox cancel --all --yes --json' },
  ],
  flags: {
    file: Flags.string({
      summary: 'Catches that add --file queued from this unchanged file; - for stdin.',
      helpValue: 'FILE',
      exclusive: ['all'],
    }),
    all: Flags.boolean({ summary: 'All queued catches for this service, of every player.' }),
    ...yesFlags,
    ...addressFlags,
  },

  async run(context) {
    const { flags } = context
    const { file, all } = flags
    if (file === undefined && !all)
      throw usageError('Missing --file or --all.', 'Choose the catches to cancel: --file FILE, or --all.')
    const content = file === undefined ? undefined : await contentOf(context, file)
    await using outbox = await openLocalOutbox(context, context.target)
    const keyPrefix = content === undefined ? undefined : keyPrefixOf(content)
    const planned = (await outbox?.cancel({ keyPrefix, dryRun: true })) ?? NOTHING
    if (planned.cancelled > 0) {
      const from = file === undefined ? '' : ` of ${printable(file)}`
      await confirm(context, { ...flags, question: `Cancel ${catchesText(planned.cancelled)}${from}` })
    }
    const done = (await outbox?.cancel({ keyPrefix, checkpoint: cancellation(content) })) ?? NOTHING
    const others =
      outbox && content !== undefined && done.cancelled === 0 ? await countOfOtherFiles(outbox, content) : 0
    if (others > 0) context.note(`fish-cli: ${catchesText(others)} of other files queued; has this file changed since?`)
    const text = `Cancelled ${catchesText(done.cancelled)}.${underWayText(done.frozen)}`
    context.print({ cancelled: done.cancelled, underWay: done.frozen }, () => text)
    return done.frozen > 0 ? EXIT.partly : EXIT.ok
  },
})

async function contentOf(context: CommandContext, file: string): Promise<string> {
  await using source = await openSource(context, file, context.interrupted())
  return source.hash
}

const NOTHING = { cancelled: 0, frozen: 0 }

function underWayText(count: number): string {
  if (count === 0) return ''
  const are = count === 1 ? 'is' : 'are'
  return ` ${catchesText(count)} ${are} in a batch being sent, which may have been stored: it stays and is sent.`
}
