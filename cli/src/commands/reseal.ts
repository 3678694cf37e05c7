import type { RotateSecretReport } from '@fish-crab/server'
import { Flags } from '@oclif/core'
import { EXIT } from '../core/errors.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { dryRunFlag } from './flags.ts'
import { maintainTold, storageFlag, storageSource } from './maintenance.ts'

/** `fish-cli reseal` */
export class Reseal extends FishCommand {
  static override summary = 'Encrypt the keys of all players with a new secret of the server.'
  static override description =
    'FISH_SECRET is the new secret, FISH_SECRET_PREVIOUS the one before it, which still opens what it sealed. Where ' +
    'FISH_SECRET is not set, the secret that is kept beside the data is taken. Stop the server of a data folder ' +
    'first. Servers on Redis may go on, once all of them have the new secret. Interrupted, it is simply run again. ' +
    '--dry-run opens every key, and tells whose no secret opens.'
  static override examples = [
    {
      description: 'A new secret beside the data, in place of the one that was made before:',
      command: '<%= config.bin %> reseal --new --storage file:./data',
    },
    '<%= config.bin %> reseal --new --dry-run',
    {
      description: 'Redis, with FISH_SECRET, FISH_SECRET_PREVIOUS and FISH_STORAGE set:',
      command: '<%= config.bin %> reseal',
    },
  ]
  static override flags = {
    new: Flags.boolean({ summary: 'Make a new secret beside the data first.' }),
    ...dryRunFlag,
    ...storageFlag,
  }

  async run(): Promise<number> {
    const { flags } = await this.parse(Reseal)
    const source = storageSource(this.io.env, flags)
    const work = { makeNew: flags.new, dryRun: flags['dry-run'], signal: this.io.interrupted() }
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.rotateSecret({ ...source, ...told, ...work }),
    )
    const { seen, unopened, ...rest } = report
    const status = this.print(flags.json, { keys: seen, ...rest, unopened }, () => told(report, flags))
    if (unopened.length === 0) return status
    this.note(flags.json, `No secret opens the keys of these user ids: ${unopened.join(', ')}.`)
    this.note(flags.json, 'Reset or delete these users, then run it again. Until then, keep the other secrets.')
    return EXIT.partly
  }
}

function told({ seen, resealed, unopened, dryRun }: RotateSecretReport, flags: { readonly new: boolean }): string {
  if (dryRun) {
    const first = flags.new ? 'make a new secret beside the data, and ' : ''
    return `Would ${first}seal ${resealed} of ${seen} keys anew.`
  }
  return unopened.length === 0
    ? `Keys sealed under the first secret: ${seen}, ${resealed} of them anew. The other secrets are no longer needed.`
    : `Keys sealed under the first secret: ${seen - unopened.length} of ${seen}.`
}
