import { Args, Flags } from '@oclif/core'
import { checkNewPassword, readNewPassword } from '../../auth/read-secret.ts'
import { printable } from '../../output/text.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { parseAdminName } from '../admin-command.ts'
import { dryRunFlag, noInputFlag } from '../flags.ts'
import { maintainTold, storageFlag, storageSource } from '../maintenance.ts'

/** `fish-cli admin reset-password` */
export class AdminResetPassword extends FishCommand {
  static override summary = 'Give an administrator a new password beside the data, when the old one is lost.'
  static override description =
    'It works on the data itself, and through no service: whoever may write the data may do this. Stop the server of a ' +
    'data folder first. The new password is asked for twice, or comes from FISH_NEW_ADMIN_PASSWORD, ' +
    'FISH_NEW_ADMIN_PASSWORD_FILE or --password-stdin. It is noted in the audit log, and ends the sessions of the ' +
    'administrator.'
  static override examples = [
    '<%= config.bin %> admin reset-password admin --storage file:./data',
    {
      description: 'In a script:',
      command: 'pass fish | <%= config.bin %> admin reset-password admin --password-stdin',
    },
    { description: 'Is there one of that name?', command: '<%= config.bin %> admin reset-password mia --dry-run' },
  ]
  static override args = {
    name: Args.string({ description: 'whose password', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'password-stdin': Flags.boolean({ summary: 'Read the new password from stdin.' }),
    ...storageFlag,
    ...noInputFlag,
    ...dryRunFlag,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(AdminResetPassword)
    const source = storageSource(this.io.env, flags)
    const reset = (dryRun: boolean, password: string) => {
      const work = { ...source, username: parseAdminName(args.name), password, dryRun }
      return maintainTold(this.io, flags, (server) => server.resetAdminPassword(work))
    }
    // What is wrong with the name or the storage is said before a password is asked for.
    const planned = await reset(true, '')
    const name = printable(planned.username)
    if (flags['dry-run']) {
      await checkNewPassword(this.io, planned.username, flags)
      return this.print(flags.json, planned, () => `Would give the ${planned.role} ${name} a new password.`)
    }
    const { username, role } = await reset(false, await readNewPassword(this.io, planned.username, flags))
    const next = `Log in: fish-cli login ${name} --admin`
    return this.print(flags.json, { username, role }, () => `The ${role} ${name} has a new password. ${next}`)
  }
}
