import { notLoggedIn } from '../auth/identity.ts'
import { checkSecretsRemoval, updateSecrets } from '../auth/secrets.ts'
import { readConfig } from '../config/config-file.ts'
import { resolveTarget } from '../config/target.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { dryRunFlag, profileFlag } from './flags.ts'

/** `fish-cli logout` */
export class Logout extends FishCommand {
  static override summary = 'Remove your key and other secrets from this machine.'
  static override description =
    'The profile stays, and nothing changes at the service: a key that others may have seen has to be replaced there.'
  static override examples = ['<%= config.bin %> logout', '<%= config.bin %> logout --profile bob']
  static override flags = { ...profileFlag, ...dryRunFlag }

  async run(): Promise<number> {
    const { flags } = await this.parse(Logout)
    const config = readConfig(this.io)
    const { profile } = resolveTarget({ env: this.io.env, config }, flags)
    if (!profile) throw notLoggedIn()
    const dryRun = flags['dry-run']
    const { name, secrets } = profile
    if (dryRun) await checkSecretsRemoval(this.io, config, name)
    else await updateSecrets(this.io, config, name, () => undefined)
    const did =
      secrets === undefined ? 'There were no secrets of' : `${dryRun ? 'Would remove' : 'Removed'} the secrets of`
    return this.print(
      flags.json,
      { profile: name, removed: secrets ?? null, ...(dryRun && { dryRun }) },
      () => `${did} profile ${name}.`,
    )
  }
}
