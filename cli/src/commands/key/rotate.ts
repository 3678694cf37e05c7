import { openAdminClient } from '../../client/admin.ts'
import { Args, defineCommand, Flags } from '../../command/define.ts'
import { adminFlag, outputFlags, secretFileFlags, serviceFlags, yesFlags } from '../../command/flags.ts'
import { checkDestination, findStoredSecret, outputSecret } from '../../command/player-secret.ts'
import { administratorWords, requireUser, resolveTarget } from '../../config/target.ts'
import { commandLine } from '../../core/command-line.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { KEY_COLUMNS } from './get.ts'

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
    const user = requireUser(target, 'Pass one: fish-cli key rotate USER')
    const stored = await findStoredSecret(context, target, user, 'fernetKey')
    const isShown = await checkDestination(context, 'key', stored)
    await confirm(context, { question: `Replace the key of ${printable(user)}`, ...flags })
    const admin = await openAdminClient(context, target, { noInput: flags['no-input'] })
    await stored?.check()
    return outputSecret(context, {
      user,
      title: 'key',
      about: { user },
      field: 'fernetKey',
      isShown,
      stored,
      request: async () => (await admin.users.reset(user, 'fernet', { signal: context.interrupted() })).fernetKey,
      unsaved: {
        done: `The service replaced the key of ${printable(user)}`,
        next: `Replace it again with another FILE: ${commandLine('key', 'rotate', printable(user), '--out', 'FILE', ...administratorWords(target))}`,
      },
    })
  },
})
