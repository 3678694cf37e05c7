import { Args } from '@oclif/core'
import { readConfig } from '../../config/config-file.ts'
import { parseSettingKey, SETTINGS, settingValue } from '../../config/settings.ts'
import { FishCommand } from '../../runtime/fish-command.ts'

/** `fish-cli config get` */
export class ConfigGet extends FishCommand {
  static override summary = 'Print the value of a setting: its environment variable, else what you set.'
  static override examples = ['<%= config.bin %> config get gamemode']
  static override args = {
    key: Args.string({
      description: `the setting: ${Object.keys(SETTINGS).join(', ')}`,
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ConfigGet)
    const key = parseSettingKey(args.key)
    const value = settingValue(key, this.io.env, readConfig(this.io).settings)
    if (value === undefined) this.note(flags.json, `${key} is not set.`)
    return this.print(flags.json, { key, value: value ?? null }, () => value ?? '', { isVerbatim: true })
  }
}
