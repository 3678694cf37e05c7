import type { AdminRole } from '@fish-crab/sdk/admin'
import { userNameKey } from '@fish-crab/sdk/constants'
import { ADMIN_ROLES } from '@fish-crab/sdk/contract'
import { Args, Flags } from '@oclif/core'
import { checkNewPassword, readNewPassword } from '../../auth/read-secret.ts'
import { expectedRefusal } from '../../client/describe-error.ts'
import type { Role } from '../../core/context.ts'
import { usageError } from '../../core/errors.ts'
import { printable } from '../../output/text.ts'
import { type Administration, AdministrationCommand, administrationFlags, parseAdminName } from '../admin-command.ts'
import { administrationDryRunFlag, outputFlags } from '../flags.ts'
import { ADMIN_COLUMNS } from './list.ts'

/** `fish-cli admin create` */
export class AdminCreate extends AdministrationCommand {
  static override summary = 'Create an administrator, as a superadmin.'
  static override description =
    'The password of the new one is asked for twice, or comes from FISH_NEW_ADMIN_PASSWORD, ' +
    'FISH_NEW_ADMIN_PASSWORD_FILE or --password-stdin; your own as ever, from FISH_ADMIN_PASSWORD or a kept session.'
  static override examples = [
    '<%= config.bin %> admin create mia',
    '<%= config.bin %> admin create mia --role superadmin --dry-run',
    {
      description: 'In a script:',
      command: 'pass fish/mia | <%= config.bin %> admin create mia --password-stdin --no-input',
    },
  ]
  static override args = {
    name: Args.string({ description: 'name to log in with', required: true, ignoreStdin: true }),
  }
  static override flags = {
    role: Flags.string({
      summary: `What the new one may do: ${ADMIN_ROLES.join(', ')}.`,
      helpValue: 'ROLE',
      default: 'admin',
    }),
    'password-stdin': Flags.boolean({ summary: 'Read the password of the new administrator from stdin.' }),
    ...administrationFlags,
    ...administrationDryRunFlag,
    ...outputFlags,
  }

  override needs: Role = 'superadmin'

  async run(): Promise<number> {
    const { args, flags } = await this.parse(AdminCreate)
    const name = parseAdminName(args.name)
    const role = roleOf(flags.role)
    this.checkOutput(flags, ADMIN_COLUMNS)
    const dryRun = flags['dry-run']
    const administration = await this.administration(flags)
    const { admin, options } = administration
    if (dryRun) {
      await checkNewPassword(this.io, name, flags)
      await requireFree(administration, name)
      const told = `Would create the ${role} ${printable(name)}.`
      return this.print(flags.json, { username: name, role, dryRun }, () => told)
    }
    const password = await readNewPassword(this.io, name, flags)
    const created = await admin.admins.create({ username: name, password, role }, options)
    const { username, createdAt } = created
    return this.printRows(flags, {
      rows: [{ username, role: created.role, createdAt }],
      columns: ADMIN_COLUMNS,
      document: ([only]) => only,
    })
  }
}

function roleOf(text: string): AdminRole {
  const role = ADMIN_ROLES.find((each) => each === text.toLowerCase())
  if (role) return role
  throw usageError(`--role must be one of ${ADMIN_ROLES.join(', ')}.`)
}

async function requireFree({ admin, options }: Administration, name: string): Promise<void> {
  const { admins } = await admin.admins.list(options)
  if (!admins.some(({ username }) => userNameKey(username) === userNameKey(name))) return
  throw expectedRefusal('admin_exists', 'superadmin')
}
