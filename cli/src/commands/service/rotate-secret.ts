import type { RotateSecretReport } from '@fish-crab/server/maintenance'
import { EXIT } from '../../core/errors.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { runMaintenance, storageFlag } from './maintenance.ts'

export const rotateSecretCommand = defineCommand({
  summary: 'Encrypt the keys of all players with a new secret of the server.',
  description:
    'FISH_SECRET is the new secret. FISH_SECRET_PREVIOUS is the previous secret, which decrypts the existing ' +
    'keys. Without FISH_SECRET, the command uses the secret stored beside the data. Stop the server of a data ' +
    'folder first. Servers on Redis can keep running if all servers have both secrets. After an interruption, run ' +
    'the command again.',
  examples: [
    {
      description: 'Generate a new secret beside the data:',
      command: 'fish-cli rotate-secret --new --storage file:./data',
    },
    {
      description: 'Use Redis, with FISH_SECRET, FISH_SECRET_PREVIOUS and FISH_STORAGE set:',
      command: 'fish-cli rotate-secret',
    },
  ],
  flags: {
    new: Flags.boolean({ summary: 'First replace both secrets beside the data. Administrators have to log in again.' }),
    ...storageFlag,
  },

  async run({ session, terminal, flags }) {
    const work = { makeNew: flags.new, signal: session.signal }
    const report = await runMaintenance(session, flags.storage, (maintenance, source) =>
      maintenance.rotateSecret({ ...source, ...work }),
    )
    const { seen, undecryptable, ...rest } = report
    const status = terminal.print({ keys: seen, ...rest, undecryptable }, () => reportText(report, flags))
    if (undecryptable.length === 0) return status
    terminal.note(`No secret decrypts the keys of these user ids: ${undecryptable.join(', ')}.`)
    terminal.note('Reset or delete these users, then run rotate-secret again. Until then, keep the other secrets.')
    return EXIT.partly
  },
})

function reportText(
  { seen, reencrypted, undecryptable }: RotateSecretReport,
  flags: { readonly new: boolean },
): string {
  const keys = `${reencrypted} of ${seen} keys again.`
  const done = flags.new ? `Generated a new secret beside the data and encrypted ${keys}` : `Encrypted ${keys}`
  return undecryptable.length > 0
    ? done
    : `${done} All keys use the current secret. The other secrets are no longer needed.`
}
