import { openAdminClient } from '../../client/admin.ts'
import { findStoredSecret, printsSecret } from '../../client/new-secret.ts'
import { requireUser, resolveTarget } from '../../config/target.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { Args, defineCommand, Flags } from '../define.ts'
import { adminFlag, outputFlags, secretFileFlags, serviceFlags, yesFlags } from '../flags.ts'
import { checkHandOver, handOver, KEY_COLUMNS } from '../key-command.ts'

export const keyRotateCommand = defineCommand({
  summary: 'Replace the key of a player, as an administrator. The old key stops working.',
  description:
    'Every client of the player needs the new key. Stored catches stay; catches encrypted with the old key and not yet ' +
    'sent are rejected. If the profile stores the key of this player, it is updated. Otherwise the new key is shown once ' +
    'on a terminal; in a script, add --out or --show.',
  examples: ['fish-cli key rotate Alex --out alex.key', 'fish-cli key rotate Alex --yes --show'],
  args: { user: Args.string({ description: 'player whose key to replace (FISH_USER)' }) },
  flags: {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    ...secretFileFlags,
    ...adminFlag,
    ...serviceFlags,
    ...yesFlags,
    ...outputFlags,
  },
  role: 'administrator',
  columns: KEY_COLUMNS,

  async run(context) {
    const { args, flags } = context
    const target = resolveTarget(context, { ...flags, user: args.user })
    const named = requireUser(target, 'Name one: fish-cli key rotate USER')
    const file = await checkHandOver(context)
    const stored = await findStoredSecret(context, target, named, 'fernetKey')
    const show = printsSecret(context, { flags, title: 'key', file, stored })
    await confirm(context, { question: `Replace the key of ${printable(named)}`, ...flags })
    const admin = await openAdminClient(context, target, { noInput: flags['no-input'] })
    const signal = context.interrupted()
    await stored?.check()
    return handOver(
      context,
      {
        get: async () => {
          const { fernetKey } = await admin.users.reset(named, 'fernet', { signal })
          return { user: named, fernetKey }
        },
        unsaved: (user) => ({
          done: `The service replaced the key of ${printable(user)}`,
          next: `Replace it again with another FILE: fish-cli key rotate ${printable(user)} --out FILE`,
        }),
        stored,
      },
      show,
    )
  },
})
