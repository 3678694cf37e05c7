import { ADMIN_ROLES } from '@fish-crab/sdk/contract'
import { withUnknownOutcome } from '../../client/describe-error.ts'
import { readNewPassword } from '../../client/read-secret.ts'
import { administratorWords } from '../../config/target.ts'
import { commandLine } from '../../core/command-line.ts'
import { parseChoice } from '../../core/parse-values.ts'
import { administrationFlags, openAdministration, parseAdminName } from '../../kit/administration.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { fieldLines } from '../../output/rows.ts'
import { ADMIN_COLUMNS } from './list.ts'

export const adminCreateCommand = defineCommand({
  summary: 'Create an administrator, as a superadmin.',
  description:
    'The command prompts twice for the password of the new administrator, or reads it from FISH_NEW_ADMIN_PASSWORD, ' +
    'FISH_NEW_ADMIN_PASSWORD_FILE or --password-stdin. You authenticate with FISH_ADMIN_PASSWORD or a stored ' +
    'session.',
  examples: [
    'fish-cli admin create mia',
    'fish-cli admin create mia --role superadmin',
    { description: 'In a script:', command: 'pass fish/mia | fish-cli admin create mia --password-stdin --no-input' },
  ],
  args: { name: Args.string({ description: 'login name', required: true }) },
  flags: {
    role: Flags.string({
      summary: `Role of the new administrator: ${ADMIN_ROLES.join(', ')}.`,
      helpValue: 'ROLE',
      default: 'admin',
    }),
    'password-stdin': Flags.boolean({ summary: 'Read the password of the new administrator from stdin.' }),
    ...administrationFlags,
  },
  role: 'superadmin',
  completion: { role: words(ADMIN_ROLES) },

  async run(context) {
    const { args, flags } = context
    const name = parseAdminName(args.name)
    const role = parseChoice('--role', flags.role, ADMIN_ROLES)
    const { admin, options } = await openAdministration(context)
    const password = await readNewPassword(context, name, flags)
    const creating = admin.admins.create({ username: name, password, role }, options)
    const created = await creating.catch((error) => {
      const list = commandLine('admin', 'list', ...administratorWords(context.target))
      throw withUnknownOutcome(error, { hint: `Check whether ${name} was created: ${list}` })
    })
    const { username, createdAt } = created
    const row = { username, role: created.role, createdAt }
    return context.print(row, () => fieldLines(row, ADMIN_COLUMNS))
  },
})
