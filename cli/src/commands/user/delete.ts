import type { Gamemode } from '@fish-crab/sdk/constants'
import { readGamemodes } from '../../client/counts.ts'
import { expectedRefusal } from '../../client/describe-error.ts'
import { rememberGamemodes } from '../../config/gamemodes.ts'
import { type Administration, administrationFlags, openAdministration } from '../../kit/administration.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { dryRunFlag, yesFlags } from '../../kit/flags.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'

export const userDeleteCommand = defineCommand({
  summary: 'Delete a player and all catches of that player, as a superadmin.',
  description:
    'You can restore a deleted player only from a backup or an export. --dry-run shows the data that would be deleted.',
  examples: ['fish-cli user delete Alex --dry-run', 'fish-cli user delete Alex', 'fish-cli user delete Alex --yes'],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: { ...administrationFlags, ...yesFlags, ...dryRunFlag },
  role: 'superadmin',
  completion: { name: { local: 'users' } },

  async run(context) {
    const { args, flags } = context
    const named = printable(args.name)
    const dryRun = flags['dry-run']
    if (!dryRun) await confirm(context, { question: `Delete the player ${named} and all its catches`, ...flags })
    const administration = await openAdministration(context)
    if (dryRun) {
      const remember = (listed?: readonly Gamemode[]) => rememberGamemodes(context, context.target.url.value, listed)
      const plan = await planDeletion(administration, args.name, remember)
      const text = `Would delete ${printable(plan.user)}: ${plan.fish} fish and ${plan.crab} crab${plan.crab === 1 ? '' : 's'}.`
      return context.print({ ...plan, dryRun }, () => text)
    }
    await administration.admin.users.delete(args.name, administration.options)
    return context.print({ user: args.name, deleted: true }, () => `Deleted ${named}.`)
  },
})

async function planDeletion(
  { admin, options }: Administration,
  named: string,
  remember: (listed?: readonly Gamemode[]) => readonly Gamemode[],
) {
  const { role, gamemodes } = await admin.me(options)
  if (role !== 'superadmin') throw expectedRefusal('forbidden', 'superadmin')
  const { name } = await admin.users.get(named, options)
  const counts = await readGamemodes(remember(gamemodes), options.signal, async (gamemode, signal) => {
    const ofGamemode = { ...options, gamemode, signal }
    const [{ fish }, { crab }] = await Promise.all([
      admin.fish.list(name, ofGamemode),
      admin.crabs.list(name, ofGamemode),
    ])
    return { fish: fish.length, crab: crab.length }
  })
  const sum = (kind: 'fish' | 'crab') => counts.reduce((total, one) => total + one[kind], 0)
  return { user: name, fish: sum('fish'), crab: sum('crab') }
}
