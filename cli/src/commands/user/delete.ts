import type { AdminClient } from '@fish-crab/sdk/admin'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { expectedRefusal } from '../../core/describe-error.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { administrationFlags, dryRunFlag, yesFlags } from '../../kit/flags.ts'
import { rememberGamemodes } from '../../session/gamemodes.ts'

export const userDeleteCommand = defineCommand({
  summary: 'Delete a player and all catches of that player, as a superadmin.',
  description:
    'You can restore a deleted player only from a backup or an export. --dry-run shows the data that would be deleted.',
  examples: ['fish-cli user delete Alex --dry-run', 'fish-cli user delete Alex', 'fish-cli user delete Alex --yes'],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: { ...administrationFlags, ...yesFlags, ...dryRunFlag },
  role: 'superadmin',
  completion: { name: { local: 'users' } },

  async run({ session, terminal, args, flags }) {
    const dryRun = flags['dry-run']
    if (!dryRun) await terminal.confirm(`Delete the player ${args.name} and all its catches`)
    const admin = await session.admin()
    const options = { signal: session.signal }
    if (dryRun) {
      const remember = (listed?: readonly Gamemode[]) => rememberGamemodes(session, session.url, listed)
      const plan = await planDeletion(admin, args.name, { ...options, remember })
      const text = `Would delete ${plan.user}: ${plan.fish} fish and ${plan.crab} crab${plan.crab === 1 ? '' : 's'}.`
      return terminal.print({ ...plan, dryRun }, () => text)
    }
    await admin.users.delete(args.name, options)
    return terminal.print({ user: args.name, deleted: true }, () => `Deleted ${args.name}.`)
  },
})

async function planDeletion(
  admin: AdminClient,
  named: string,
  {
    signal,
    remember,
  }: {
    readonly signal: AbortSignal
    readonly remember: (listed?: readonly Gamemode[]) => readonly Gamemode[]
  },
) {
  const options = { signal }
  const { role, gamemodes } = await admin.me(options)
  if (role !== 'superadmin') throw expectedRefusal('forbidden', 'superadmin')
  const { name } = await admin.users.get(named, options)
  const counts = await readGamemodes(remember(gamemodes), signal, async (gamemode, signal) => {
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

/**
 * Reads all gamemodes in parallel.
 * @throws the first error, which aborts the other reads
 */
function readGamemodes<Result>(
  gamemodes: readonly Gamemode[],
  interrupted: AbortSignal,
  read: (gamemode: Gamemode, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const ending = new AbortController()
  const signal = AbortSignal.any([interrupted, ending.signal])
  const reading = gamemodes.map((gamemode) => read(gamemode, signal))
  // Aborts requests that still wait for the rate limit, because waiting requests keep the process alive.
  return Promise.all(reading).finally(() => ending.abort())
}
