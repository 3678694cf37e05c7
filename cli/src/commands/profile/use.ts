import { Args } from '@oclif/core'
import { changeConfig, checkConfigChange } from '../../config/config-file.ts'
import { profileNotFound } from '../../config/profile.ts'
import type { Config } from '../../core/context.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag } from '../flags.ts'

/** `fish-cli profile use` */
export class ProfileUse extends FishCommand {
  static override summary = 'Make a profile the one that is used when none is named.'
  static override examples = ['<%= config.bin %> profile use work']
  static override args = { name: Args.string({ description: 'the profile', required: true, ignoreStdin: true }) }
  static override flags = { ...dryRunFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ProfileUse)
    const dryRun = flags['dry-run']
    const change = (config: Config) => {
      if (!config.profiles.has(args.name)) throw profileNotFound(args.name, config.profiles.keys())
      return { ...config, current: args.name }
    }
    const { current } = await (dryRun ? checkConfigChange : changeConfig)(this.io, change)
    return this.print(
      flags.json,
      { current, ...(dryRun && { dryRun }) },
      () => `${dryRun ? 'Would use' : 'Using'} profile ${current}.`,
    )
  }
}
