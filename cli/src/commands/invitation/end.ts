import { Args, defineCommand } from '../../kit/define.ts'
import { administrationFlags } from '../../kit/flags.ts'

export const invitationEndCommand = defineCommand({
  summary: 'End an invitation, as an administrator.',
  description: 'The link stops working. The players who used it keep their accounts.',
  examples: ['fish-cli invitation end ID'],
  args: { id: Args.string({ description: 'id of the invitation, from invitation list', required: true }) },
  flags: administrationFlags,
  role: 'administrator',

  async run({ session, terminal, args }) {
    const admin = await session.admin()
    await admin.invitations.end(args.id, { signal: session.signal })
    return terminal.print({ id: args.id, ended: true }, () => `Ended the invitation ${args.id}.`)
  },
})
