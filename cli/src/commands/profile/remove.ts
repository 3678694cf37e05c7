import { Args } from '@oclif/core'
import { isKeyringFailure } from '../../auth/keyring.ts'
import { checkSecretsRemoval, updateSecrets } from '../../auth/secrets.ts'
import { changeConfig, checkConfigChange, readConfig } from '../../config/config-file.ts'
import { profileNotFound } from '../../config/profile.ts'
import type { Config } from '../../core/context.ts'
import { EXIT } from '../../core/errors.ts'
import { confirm } from '../../output/prompt.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag, yesFlags } from '../flags.ts'

/** `fish-cli profile remove` */
export class ProfileRemove extends FishCommand {
  static override summary = 'Remove a profile and the secrets that were kept for it.'
  static override description = 'Nothing changes at the service. The player and its key stay what they are.'
  static override examples = ['<%= config.bin %> profile remove work --yes']
  static override args = { name: Args.string({ description: 'the profile', required: true, ignoreStdin: true }) }
  static override flags = { ...yesFlags, ...dryRunFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ProfileRemove)
    const { name } = args
    const config = readConfig(this.io)
    const profile = config.profiles.get(name)
    if (!profile) throw profileNotFound(name, config.profiles.keys())
    const { 'dry-run': dryRun } = flags
    const removed = { name, secrets: profile.secrets ?? null, ...(dryRun && { dryRun }) }
    if (!dryRun)
      await confirm(this.io, { question: `Remove profile ${name} and its secrets from this machine`, ...flags })
    const isForgotten = await this.#forgetSecrets(() =>
      dryRun ? checkSecretsRemoval(this.io, config, name) : updateSecrets(this.io, config, name, () => undefined),
    )
    await (dryRun ? checkConfigChange : changeConfig)(this.io, (current) => without(current, name))
    this.print(
      flags.json,
      { ...removed, ...(!dryRun && { secretsRemoved: isForgotten }) },
      () => `${dryRun ? 'Would remove' : 'Removed'} profile ${name}.`,
    )
    if (isForgotten) return EXIT.ok
    const stay = dryRun ? 'would stay' : 'are still'
    this.note(flags.json, `Its secrets ${stay} in the keyring, which cannot be used now. Remove fish-crab there.`)
    return EXIT.partly
  }

  /** Whether the secrets are gone. A keyring that is gone itself is no reason to keep the profile. */
  async #forgetSecrets(forget: () => Promise<unknown>): Promise<boolean> {
    try {
      await forget()
      return true
    } catch (error) {
      if (isKeyringFailure(error)) return false
      throw error
    }
  }
}

function without({ current, profiles, settings }: Config, name: string): Config {
  const rest = new Map(profiles)
  rest.delete(name)
  return { current: current === name ? undefined : current, profiles: rest, settings }
}
