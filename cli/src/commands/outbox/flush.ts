import { flushStatus, flushWithProgress } from '../../client/flush.ts'
import { openPlayerOutbox } from '../../client/outbox.ts'
import { defineCommand } from '../../command/define.ts'
import { noInputFlag, serviceFlags, userFlag } from '../../command/flags.ts'
import { maxWaitOf, requireUser } from '../../config/target.ts'

export const outboxFlushCommand = defineCommand({
  summary: 'Send queued catches and show the progress.',
  description: 'Needs your key: from login, FISH_KEY or FISH_KEY_FILE. When rate limited, waits and shows a countdown.',
  examples: ['fish-cli outbox flush', 'fish-cli outbox flush --max-wait 600'],
  flags: { ...userFlag, ...serviceFlags, ...noInputFlag },

  async run(context) {
    const { flags, target } = context
    const user = requireUser(target, 'Add --user USER')
    const maxWaitMs = maxWaitOf(target)
    await using outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'] })
    const report = await flushWithProgress(context, outbox, { maxWaitMs, signal: context.interrupted(), target })
    const status = flushStatus(context, report, target)
    const { delivered: sent, rejected, remaining: left } = report
    context.print(
      { sent, deadLetters: rejected, left },
      () => `${sent} sent, ${rejected} in dead letters, ${left} left.`,
    )
    return status
  },
})
