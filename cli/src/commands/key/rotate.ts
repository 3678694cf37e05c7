import { Args, Flags } from '@oclif/core'
import { openAdminClient } from '../../client/admin.ts'
import { findStoredSecret, printsSecret } from '../../client/new-secret.ts'
import { requireUser, resolveTarget } from '../../config/target.ts'
import type { Role } from '../../core/context.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { adminFlag, administrationDryRunFlag, outputFlags, secretFileFlags, serviceFlags, yesFlags } from '../flags.ts'
import { KeyCommand } from '../key-command.ts'

/** `fish-cli key rotate` */
export class KeyRotate extends KeyCommand {
  static override summary = 'Give a player a new key, as an administrator. The old one ends at once.'
  static override description =
    'Every client of the player needs the new key. Catches that were stored stay; what was encrypted with the old key ' +
    'and not sent is refused. Where the key of this player is kept for the profile, the new one takes its place. Else it ' +
    'is shown this once on a terminal, and a script names --out or --show.'
  static override examples = [
    '<%= config.bin %> key rotate Alex --out alex.key',
    '<%= config.bin %> key rotate Alex --yes --show',
  ]
  static override args = { user: Args.string({ description: 'whose key (FISH_USER)', ignoreStdin: true }) }
  static override flags = {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    ...secretFileFlags,
    ...adminFlag,
    ...serviceFlags,
    ...yesFlags,
    ...administrationDryRunFlag,
    ...outputFlags,
  }

  override needs: Role = 'administrator'

  async run(): Promise<number> {
    const { args, flags } = await this.parse(KeyRotate)
    const target = resolveTarget(this.io, { ...flags, user: args.user })
    const named = requireUser(target, 'Name one: fish-cli key rotate USER')
    const dryRun = flags['dry-run']
    const file = await this.checkHandOver(flags)
    const stored = await findStoredSecret(this.io, target, named, 'fernetKey')
    const show = !dryRun && printsSecret(this.io, { flags, title: 'key', file, stored })
    if (!dryRun) await confirm(this.io, { question: `End the key of ${printable(named)} and make a new one`, ...flags })
    const admin = await openAdminClient(this.io, target, { noInput: flags['no-input'] })
    const signal = this.io.interrupted()
    if (dryRun) {
      const { name } = await admin.users.get(named, { signal })
      return this.print(flags.json, { user: name, file, dryRun }, () => `Would give ${printable(name)} a new key.`)
    }
    await stored?.check()
    return this.handOver(
      { ...flags, show },
      {
        get: async () => {
          const { fernetKey } = await admin.users.reset(named, 'fernet', { signal })
          return { user: named, fernetKey }
        },
        unsaved: (user) => ({
          done: `The old key of ${printable(user)} has ended and the service made a new one`,
          next: `Do it again with another FILE: fish-cli key rotate ${printable(user)} --out FILE`,
        }),
        stored,
      },
    )
  }
}
