import { ADMIN_ROLES } from '@fish-crab/sdk/contract'
import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { parseChoice } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { administrationFlags } from '../../kit/flags.ts'
import { readNewPassword } from '../../session/credentials.ts'
import { administratorWords } from '../../session/target.ts'
import { fieldLines } from '../../terminal/table.ts'
import { ADMIN_COLUMNS } from './list.ts'
import { parseAdminName } from './name.ts'

export const adminCreateCommand = defineCommand({
  summary: 'Create an administrator, as a superadmin.',
  description:
    'The command prompts twice for the password of the new administrator, or reads it from FISH_NEW_PASSWORD, ' +
    'FISH_NEW_PASSWORD_FILE or --password-stdin. You authenticate with FISH_ADMIN_PASSWORD or a stored ' +
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

  async run({ session, terminal, args, flags }) {
    const name = parseAdminName(args.name)
    const role = parseChoice('--role', flags.role, ADMIN_ROLES)
    const admin = await session.admin()
    const password = await readNewPassword(session, name, flags['password-stdin'])
    const creating = admin.admins.create({ username: name, password, role }, { signal: session.signal })
    const created = await creating.catch((error) => {
      const list = commandLine('admin', 'list', ...administratorWords(session.target))
      throw withUnknownOutcome(error, { hint: `Check whether ${name} was created: ${list}` })
    })
    const { username, createdAt } = created
    const row = { username, role: created.role, createdAt }
    return terminal.print(row, () => fieldLines(row, ADMIN_COLUMNS))
  },
})
