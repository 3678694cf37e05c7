import { FishCommand } from '../../base/fish-command.ts'
import { noInputFlag, serviceFlags, userFlag } from '../../base/flags.ts'
import { flushStatus, flushWithProgress } from '../../outbox/flush-with-progress.ts'
import { openPlayerOutbox } from '../../outbox/open-outbox.ts'
import { maxWaitMs, needUser, selection } from '../../service/client.ts'

/** `fish-cli outbox flush` */
export class OutboxFlush extends FishCommand {
  static override summary = 'Send what waits, and show how far it is.'
  static override description =
    'Needs your key: the one that login keeps, FISH_KEY or FISH_KEY_FILE. After too many requests it waits, and counts down.'
  static override examples = ['<%= config.bin %> outbox flush', '<%= config.bin %> outbox flush --max-wait 600']
  static override flags = { ...userFlag, ...serviceFlags, ...noInputFlag }

  async run(): Promise<number> {
    const { flags } = await this.parse(OutboxFlush)
    const user = needUser(this.io, flags.user, 'Add --user USER', flags)
    const limit = maxWaitMs(selection(this.io, flags).maxWait)
    await using outbox = await openPlayerOutbox(this.io, flags, { user })
    const report = await flushWithProgress(this.io, outbox, { maxWaitMs: limit, signal: this.io.interrupted() })
    const status = flushStatus(report, (text) => this.note(flags.json, text))
    const { sent, setAside, left } = report
    this.print(flags.json, { sent, setAside, left }, () => `${sent} sent, ${setAside} set aside, ${left} left.`)
    return status
  }
}
