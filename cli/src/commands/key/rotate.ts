import { openAdminClient } from '../../client/admin.ts'
import { findStoredSecret, printsSecret } from '../../client/new-secret.ts'
import { requireUser, resolveTarget } from '../../config/target.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { Args, defineCommand, Flags } from '../define.ts'
import { adminFlag, administrationDryRunFlag, outputFlags, secretFileFlags, serviceFlags, yesFlags } from '../flags.ts'
import { checkHandOver, handOver, KEY_COLUMNS } from '../key-command.ts'

/** `fish-cli key rotate` */
export const keyRotateCommand = defineCommand({
  summary: 'Give a player a new key, as an administrator. The old one ends at once.',
  description:
    'Every client of the player needs the new key. Catches that were stored stay; what was encrypted with the old key ' +
    'and not sent is refused. Where the key of this player is kept for the profile, the new one takes its place. Else it ' +
    'is shown this once on a terminal, and a script names --out or --show.',
  examples: ['fish-cli key rotate Alex --out alex.key', 'fish-cli key rotate Alex --yes --show'],
  args: { user: Args.string({ description: 'whose key (FISH_USER)', ignoreStdin: true }) },
  flags: {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    ...secretFileFlags,
    ...adminFlag,
    ...serviceFlags,
    ...yesFlags,
    ...administrationDryRunFlag,
    ...outputFlags,
  },
  role: 'administrator',
  columns: KEY_COLUMNS,

  async run(context) {
    const { args, flags } = context
    const target = resolveTarget(context, { ...flags, user: args.user })
    const named = requireUser(target, 'Name one: fish-cli key rotate USER')
    const dryRun = flags['dry-run']
    const file = await checkHandOver(context)
    const stored = await findStoredSecret(context, target, named, 'fernetKey')
    const show = !dryRun && printsSecret(context, { flags, title: 'key', file, stored })
    if (!dryRun) await confirm(context, { question: `End the key of ${printable(named)} and make a new one`, ...flags })
    const admin = await openAdminClient(context, target, { noInput: flags['no-input'] })
    const signal = context.interrupted()
    if (dryRun) {
      const { name } = await admin.users.get(named, { signal })
      return context.print({ user: name, file, dryRun }, () => `Would give ${printable(name)} a new key.`)
    }
    await stored?.check()
    return handOver(
      context,
      {
        get: async () => {
          const { fernetKey } = await admin.users.reset(named, 'fernet', { signal })
          return { user: named, fernetKey }
        },
        unsaved: (user) => ({
          done: `The old key of ${printable(user)} has ended and the service made a new one`,
          next: `Do it again with another FILE: fish-cli key rotate ${printable(user)} --out FILE`,
        }),
        stored,
      },
      show,
    )
  },
})
