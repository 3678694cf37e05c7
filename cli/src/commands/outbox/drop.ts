import { Args } from '@oclif/core'
import { catchesText } from '../../client/flush.ts'
import { countCatches, openLocalOutbox, selectDeadLetters } from '../../client/outbox.ts'
import { resolveTarget } from '../../config/target.ts'
import { confirm } from '../../output/prompt.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag, serviceFlags, yesFlags } from '../flags.ts'

/** `fish-cli outbox drop` */
export class OutboxDrop extends FishCommand {
  static override summary = 'Delete for good what was set aside. What waits to be sent stays.'
  static override description =
    'What the service refuses for good is set aside, with its reason. ID is the number that outbox status shows.'
  static override examples = ['<%= config.bin %> outbox drop 3', '<%= config.bin %> outbox drop --yes']
  static override args = {
    id: Args.string({ description: 'which ones; all when left out', ignoreStdin: true, multiple: true }),
  }
  static override flags = { ...yesFlags, ...dryRunFlag, profile: serviceFlags.profile, url: serviceFlags.url }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(OutboxDrop)
    await using outbox = await openLocalOutbox(this.io, resolveTarget(this.io, flags))
    const batches = await selectDeadLetters(outbox, args.id ?? [])
    const count = countCatches(batches)
    const { queued = 0 } = (await outbox?.status()) ?? {}
    if (count === 0 && queued > 0) {
      this.note(flags.json, `fish-cli: Nothing is set aside. What waits to be sent: fish-cli outbox cancel --all`)
    }
    if (flags['dry-run']) {
      return this.print(flags.json, { dryRun: true, dropped: count }, () => `Would delete ${catchesText(count)}.`)
    }
    if (count > 0)
      await confirm(this.io, { ...flags, question: `Delete for good ${catchesText(count)} that could not be stored` })
    const dropped = outbox && count > 0 ? await outbox.drop(batches.map(({ id }) => id)) : 0
    return this.print(flags.json, { dropped }, () => `Deleted ${dropped}.`)
  }
}
