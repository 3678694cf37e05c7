import { Args } from '@oclif/core'
import { changeSetting } from '../../config/config-file.ts'
import { parseSettingKey, SETTINGS } from '../../config/settings.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag } from '../flags.ts'

/** `fish-cli config unset` */
export class ConfigUnset extends FishCommand {
  static override summary = 'Remove a setting, so that its default counts again.'
  static override examples = ['<%= config.bin %> config unset gamemode']
  static override args = {
    key: Args.string({
      description: `the setting: ${Object.keys(SETTINGS).join(', ')}`,
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = { ...dryRunFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ConfigUnset)
    const key = parseSettingKey(args.key)
    const dryRun = flags['dry-run']
    await changeSetting(this.io, key, { value: undefined, dryRun })
    const { variable } = SETTINGS[key]
    if (this.io.env[variable]) this.note(flags.json, `${variable} is set, and still counts.`)
    return this.print(
      flags.json,
      { key, value: null, ...(dryRun && { dryRun }) },
      () => `${key} is not set${dryRun ? ' (dry run)' : ''}.`,
    )
  }
}
