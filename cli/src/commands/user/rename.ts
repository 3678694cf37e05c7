import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { administrationFlags } from '../../kit/flags.ts'
import { administratorWords } from '../../session/target.ts'

export const userRenameCommand = defineCommand({
  summary: 'Change the name of a player, as an administrator.',
  description:
    'The id, the keys, the catches and the links of the player stay. For 90 days, the old name refers to the same ' +
    'player, and nobody else can take it.',
  examples: ['fish-cli user rename Alex AlexTheGreat'],
  args: {
    name: Args.string({ description: 'name of the player', required: true }),
    new: Args.string({ description: 'new name of the player', required: true }),
  },
  flags: administrationFlags,
  completion: { name: { local: 'users' } },
  role: 'administrator',

  async run({ session, terminal, args }) {
    const admin = await session.admin()
    const { name } = await admin.users.rename(args.name, args.new, { signal: session.signal }).catch((error) => {
      const show = commandLine('user', 'show', args.new, ...administratorWords(session.target))
      throw withUnknownOutcome(error, { hint: `Check whether ${args.name} was renamed: ${show}` })
    })
    return terminal.print({ name, oldName: args.name }, () => `${args.name} is now ${name}.`)
  },
})
