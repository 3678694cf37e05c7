import type { RotateSecretReport } from '@fish-crab/server'
import { EXIT } from '../core/errors.ts'
import { defineCommand, Flags } from './define.ts'
import { dryRunFlag } from './flags.ts'
import { runMaintenance, storageFlag, storageSource } from './maintenance.ts'

/** `fish-cli rotate-secret` */
export const rotateSecretCommand = defineCommand({
  summary: 'Encrypt the keys of all players with a new secret of the server.',
  description:
    'FISH_SECRET is the new secret, FISH_SECRET_PREVIOUS the one before it, which still opens what it sealed. Where ' +
    'FISH_SECRET is not set, the secret that is kept beside the data is taken. Stop the server of a data folder ' +
    'first. Servers on Redis may go on, once all of them have the new secret. Interrupted, it is simply run again. ' +
    '--dry-run opens every key, and tells whose no secret opens.',
  examples: [
    {
      description: 'A new secret beside the data, in place of the one that was made before:',
      command: 'fish-cli rotate-secret --new --storage file:./data',
    },
    'fish-cli rotate-secret --new --dry-run',
    {
      description: 'Redis, with FISH_SECRET, FISH_SECRET_PREVIOUS and FISH_STORAGE set:',
      command: 'fish-cli rotate-secret',
    },
  ],
  flags: {
    new: Flags.boolean({ summary: 'Make a new secret beside the data first.' }),
    ...dryRunFlag,
    ...storageFlag,
  },

  async run(context) {
    const { flags } = context
    const source = storageSource(context.env, flags)
    const work = { makeNew: flags.new, dryRun: flags['dry-run'], signal: context.interrupted() }
    const report = await runMaintenance(context, flags, (server, told) =>
      server.rotateSecret({ ...source, ...told, ...work }),
    )
    const { seen, unopened, ...rest } = report
    const status = context.print({ keys: seen, ...rest, unopened }, () => reportText(report, flags))
    if (unopened.length === 0) return status
    context.note(`No secret opens the keys of these user ids: ${unopened.join(', ')}.`)
    context.note('Reset or delete these users, then run it again. Until then, keep the other secrets.')
    return EXIT.partly
  },
})

function reportText(
  { seen, resealed, unopened, dryRun }: RotateSecretReport,
  flags: { readonly new: boolean },
): string {
  if (dryRun) {
    const first = flags.new ? 'make a new secret beside the data, and ' : ''
    return `Would ${first}seal ${resealed} of ${seen} keys anew.`
  }
  return unopened.length === 0
    ? `Keys sealed under the first secret: ${seen}, ${resealed} of them anew. The other secrets are no longer needed.`
    : `Keys sealed under the first secret: ${seen - unopened.length} of ${seen}.`
}
