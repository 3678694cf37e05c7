import { Args } from '@oclif/core'
import { catchesText } from '../../client/flush.ts'
import { countCatches, openLocalOutbox, selectDeadLetters } from '../../client/outbox.ts'
import { resolveTarget } from '../../config/target.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag, serviceFlags } from '../flags.ts'

/** `fish-cli outbox retry` */
export class OutboxRetry extends FishCommand {
  static override summary = 'Let what was set aside wait to be sent again; nothing is stored twice.'
  static override description =
    'What the service refuses for good is set aside, with its reason. ID is the number that outbox status shows. ' +
    'Then send it: fish-cli outbox flush'
  static override examples = ['<%= config.bin %> outbox retry', '<%= config.bin %> outbox retry 3']
  static override args = {
    id: Args.string({ description: 'which ones; all when left out', ignoreStdin: true, multiple: true }),
  }
  static override flags = { ...dryRunFlag, profile: serviceFlags.profile, url: serviceFlags.url }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(OutboxRetry)
    await using outbox = await openLocalOutbox(this.io, resolveTarget(this.io, flags))
    const batches = await selectDeadLetters(outbox, args.id ?? [])
    if (flags['dry-run']) {
      const queued = countCatches(batches)
      return this.print(flags.json, { dryRun: true, queued }, () => `Would queue ${catchesText(queued)} again.`)
    }
    const queued = outbox && batches.length > 0 ? await outbox.retry(batches.map(({ id }) => id)) : 0
    return this.print(flags.json, { queued }, () => `Queued ${queued} again. Send them: fish-cli outbox flush`)
  }
}
