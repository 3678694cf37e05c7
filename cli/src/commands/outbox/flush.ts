import { catchesText, flushStatus, flushWithProgress } from '../../client/flush.ts'
import { openPlayerOutbox, planFlush } from '../../client/outbox.ts'
import { maxWaitOf, requireUser, resolveTarget } from '../../config/target.ts'
import { printable } from '../../output/text.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag, noInputFlag, serviceFlags, userFlag } from '../flags.ts'

/** `fish-cli outbox flush` */
export class OutboxFlush extends FishCommand {
  static override summary = 'Send what waits, and show how far it is.'
  static override description =
    'Needs your key: the one that login keeps, FISH_KEY or FISH_KEY_FILE. After too many requests it waits, and counts down. --dry-run needs it too, asks nobody for it, and sends nothing.'
  static override examples = [
    '<%= config.bin %> outbox flush',
    '<%= config.bin %> outbox flush --max-wait 600',
    '<%= config.bin %> outbox flush --dry-run',
  ]
  static override flags = { ...userFlag, ...serviceFlags, ...noInputFlag, ...dryRunFlag }

  async run(): Promise<number> {
    const { flags } = await this.parse(OutboxFlush)
    const target = resolveTarget(this.io, flags)
    const user = requireUser(target, 'Add --user USER')
    const maxWaitMs = maxWaitOf(target)
    const dryRun = flags['dry-run']
    if (dryRun) {
      const { url, catches, left } = await planFlush(this.io, target, user)
      const others = left === 0 ? '' : `; ${left} of others would stay`
      const told = `Would send ${catchesText(catches)} of ${printable(user)} to ${printable(url)}${others}.`
      return this.print(flags.json, { dryRun, url, user, catches, left }, () => told)
    }
    await using outbox = await openPlayerOutbox(this.io, target, { user, noInput: flags['no-input'] })
    const report = await flushWithProgress(this.io, outbox, { maxWaitMs, signal: this.io.interrupted() })
    const status = flushStatus(report, (text) => this.note(flags.json, text))
    const { sent, dead, left } = report
    this.print(flags.json, { sent, setAside: dead, left }, () => `${sent} sent, ${dead} set aside, ${left} left.`)
    return status
  }
}
