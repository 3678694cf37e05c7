import { catchesText, flushStatus, flushWithProgress } from '../../client/flush.ts'
import { openPlayerOutbox, planFlush } from '../../client/outbox.ts'
import { maxWaitOf, requireUser } from '../../config/target.ts'
import { printable } from '../../output/text.ts'
import { defineCommand } from '../define.ts'
import { dryRunFlag, noInputFlag, serviceFlags, userFlag } from '../flags.ts'

/** `fish-cli outbox flush` */
export const outboxFlushCommand = defineCommand({
  summary: 'Send what waits, and show how far it is.',
  description:
    'Needs your key: the one that login keeps, FISH_KEY or FISH_KEY_FILE. After too many requests it waits, and counts down. --dry-run needs it too, asks nobody for it, and sends nothing.',
  examples: ['fish-cli outbox flush', 'fish-cli outbox flush --max-wait 600', 'fish-cli outbox flush --dry-run'],
  flags: { ...userFlag, ...serviceFlags, ...noInputFlag, ...dryRunFlag },

  async run(context) {
    const { flags } = context
    const { target } = context
    const user = requireUser(target, 'Add --user USER')
    const maxWaitMs = maxWaitOf(target)
    const dryRun = flags['dry-run']
    if (dryRun) {
      const { url, catches, left } = await planFlush(context, target, user)
      const others = left === 0 ? '' : `; ${left} of others would stay`
      const told = `Would send ${catchesText(catches)} of ${printable(user)} to ${printable(url)}${others}.`
      return context.print({ dryRun, url, user, catches, left }, () => told)
    }
    await using outbox = await openPlayerOutbox(context, target, { user, noInput: flags['no-input'] })
    const report = await flushWithProgress(context, outbox, { maxWaitMs, signal: context.interrupted() })
    const status = flushStatus(report, (text) => context.note(text))
    const { sent, dead, left } = report
    context.print({ sent, setAside: dead, left }, () => `${sent} sent, ${dead} set aside, ${left} left.`)
    return status
  },
})
