import { Args, Flags } from '@oclif/core'
import { readSecret } from '../../auth/read-secret.ts'
import { readAdminCredentials } from '../../client/admin.ts'
import { openClient } from '../../client/client.ts'
import { requireUser, resolveTarget, type TargetFlags } from '../../config/target.ts'
import { printable } from '../../output/text.ts'
import { adminFlag, noInputFlag, outputFlags, secretFileFlags, serviceFlags, userFlag } from '../flags.ts'
import { KeyCommand, type PlayersKey } from '../key-command.ts'

interface GetFlags extends TargetFlags {
  readonly 'password-stdin'?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

/** `fish-cli key get`, and `fish-cli key` for short */
export class KeyGet extends KeyCommand {
  static override summary = 'Get the key of a player, which encrypts catches.'
  static override description =
    'Players get their own with their password: it is asked for, or comes from FISH_PASSWORD or FISH_PASSWORD_FILE. ' +
    'Administrators name a USER, and give their own password (FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE). The ' +
    'server notes every reading. To keep the key for other commands, log in instead: fish-cli login.'
  static override examples = [
    {
      description: 'Your own key, into a file for FISH_KEY_FILE:',
      command: '<%= config.bin %> key get --user Alex --out alex.key',
    },
    {
      description: "Another's key, as an administrator:",
      command: '<%= config.bin %> key get Alex --admin admin --show',
    },
  ]
  static override args = {
    user: Args.string({ description: 'whose key, as an administrator; left out, your own', ignoreStdin: true }),
  }
  static override flags = {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }),
    ...secretFileFlags,
    ...userFlag,
    ...adminFlag,
    ...serviceFlags,
    ...noInputFlag,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(KeyGet)
    return this.handOver(flags, {
      get: () => this.#get(args.user, flags),
      unsaved: (user) => ({
        done: `The service gave the key of ${printable(user)}`,
        next: 'Nothing has changed there. Get the key again with --out and another FILE.',
      }),
    })
  }

  async #get(subject: string | undefined, flags: GetFlags): Promise<PlayersKey> {
    const target = resolveTarget(this.io, flags)
    const client = await openClient(this.io, target)
    const asking = { noInput: flags['no-input'], fromStdin: flags['password-stdin'] }
    if (subject !== undefined) {
      // A session is not enough here: the service wants the password itself (HTTP Basic).
      const alternative = 'Or leave USER out, to get your own key with FISH_PASSWORD.'
      const credentials = await readAdminCredentials(this.io, target, { ...asking, alternative })
      const { fernetKey } = await client.keys.get({ ...credentials, name: subject, signal: this.io.interrupted() })
      return { user: subject, fernetKey }
    }
    const user = requireUser(target, 'Add --user USER')
    const question = `Password of ${printable(user)}`
    const password = await readSecret(this.io, { variable: 'FISH_PASSWORD', question, ...asking })
    const { fernetKey } = await client.keys.get({ username: user, password, signal: this.io.interrupted() })
    return { user, fernetKey }
  }
}
