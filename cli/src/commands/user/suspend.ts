import type { Suspension } from '@fish-crab/sdk/contract'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags } from '../../kit/flags.ts'

const args = { name: Args.string({ description: 'name of the player', required: true }) }

export const userSuspendCommand = defineCommand({
  summary: 'Suspend a player, as an administrator.',
  description:
    'A suspended player can neither log in nor add, remove or move catches. Nothing is removed, and the collection ' +
    'stays visible. With --hide, the player also disappears from pages, reads and leaderboards. To change whether a ' +
    'suspended player is hidden, repeat the command with or without --hide. To end the suspension: fish-cli user ' +
    'unsuspend NAME',
  examples: ['fish-cli user suspend Alex', 'fish-cli user suspend Alex --hide'],
  args,
  flags: {
    hide: Flags.boolean({ summary: 'Also hide the player from everybody but administrators.' }),
    ...administrationFlags,
  },
  completion: { name: { local: 'users' } },
  role: 'administrator',

  async run({ session, terminal, args, flags }) {
    const admin = await session.admin()
    const row = rowOf(await admin.users.suspend(args.name, { hide: flags.hide === true }, { signal: session.signal }))
    return terminal.print(row, () => `${row.name} is suspended${row.hidden ? ' and hidden' : ''}.`)
  },
})

export const userUnsuspendCommand = defineCommand({
  summary: 'End the suspension of a player, as an administrator.',
  examples: ['fish-cli user unsuspend Alex'],
  args,
  flags: administrationFlags,
  completion: { name: { local: 'users' } },
  role: 'administrator',

  async run({ session, terminal, args }) {
    const admin = await session.admin()
    const row = rowOf(await admin.users.unsuspend(args.name, { signal: session.signal }))
    return terminal.print(row, () => `${row.name} is no longer suspended.`)
  },
})

function rowOf({ name, suspended, hidden }: Suspension): Suspension {
  return { name, suspended, hidden }
}
