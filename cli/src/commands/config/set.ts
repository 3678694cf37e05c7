import { Args } from '@oclif/core'
import { changeSetting } from '../../config/config-file.ts'
import { parseSettingKey, SETTINGS, type SettingKey } from '../../config/settings.ts'
import { usageError } from '../../core/errors.ts'
import { parseGamemode } from '../../core/gamemode.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag } from '../flags.ts'

/** `fish-cli config set` */
export class ConfigSet extends FishCommand {
  static override summary = 'Set how fish-cli behaves from now on.'
  static override description = Object.entries(SETTINGS)
    .map(([key, { summary, rule }]) => `${key}: ${summary} It must be ${rule}.`)
    .join('\n')
  static override examples = ['<%= config.bin %> config set gamemode earth', '<%= config.bin %> config set max-wait 30']
  static override args = {
    key: Args.string({
      description: `the setting: ${Object.keys(SETTINGS).join(', ')}`,
      required: true,
      ignoreStdin: true,
    }),
    value: Args.string({ description: 'its value', required: true, ignoreStdin: true }),
  }
  static override flags = { ...dryRunFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ConfigSet)
    const key = parseSettingKey(args.key)
    const value = checkedValue(key, args.value)
    const dryRun = flags['dry-run']
    await changeSetting(this.io, key, { value, dryRun })
    if (this.io.env[SETTINGS[key].variable]) {
      this.note(flags.json, `${SETTINGS[key].variable} is set, and goes before it.`)
    }
    return this.print(
      flags.json,
      { key, value, ...(dryRun && { dryRun }) },
      () => `${key} is ${value}${dryRun ? ' (dry run)' : ''}.`,
    )
  }
}

function checkedValue(key: SettingKey, value: string): string {
  if (key === 'gamemode') return parseGamemode(value, key)
  const { rule, accepts } = SETTINGS[key]
  if (accepts(value)) return value
  throw usageError(`${key} must be ${rule}.`)
}
