import { Args, Flags } from '@oclif/core'
import { gamemodeNamed } from '../../catches/gamemode.ts'
import { changeConfig, tryConfigChange } from '../../config/config-file.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { SETTINGS, type SettingKey, settingNamed } from '../../config/settings.ts'
import { usageError } from '../../core/cli-error.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { dryRunFlag } from '../../runtime/flags.ts'

/** `fish-cli config set` */
export class ConfigSet extends FishCommand {
  static override summary = 'Set how fish-cli behaves from now on.'
  static override description = Object.entries(SETTINGS)
    .map(([key, { summary, rule }]) => `${key}: ${summary} It must be ${rule}.`)
    .join('\n')
  static override examples = [
    '<%= config.bin %> config set gamemode earth',
    '<%= config.bin %> config set max-wait 30',
    '<%= config.bin %> config set max-wait --unset',
  ]
  static override args = {
    key: Args.string({
      description: `the setting: ${Object.keys(SETTINGS).join(', ')}`,
      required: true,
      ignoreStdin: true,
    }),
    value: Args.string({ description: 'its value', ignoreStdin: true }),
  }
  static override flags = {
    unset: Flags.boolean({ summary: 'Forget what was set.' }),
    ...dryRunFlag,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ConfigSet)
    const key = settingNamed(args.key)
    const value = flags.unset ? undefined : checkedValue(key, args.value)
    if (flags.unset && args.value !== undefined) throw usageError('Give a value or --unset, not both.')
    const dryRun = flags['dry-run']
    const change = (config: ConfigDocument) => ({ ...config, settings: { ...config.settings, [key]: value } })
    await (dryRun ? tryConfigChange : changeConfig)(this.io, change)
    if (this.io.env[SETTINGS[key].variable]) {
      this.note(flags.json, `${SETTINGS[key].variable} is set, and goes before it.`)
    }
    const done = value === undefined ? `${key} is not set` : `${key} is ${value}`
    return this.print(
      flags.json,
      { key, value: value ?? null, ...(dryRun && { dryRun }) },
      () => `${done}${dryRun ? ' (dry run)' : ''}.`,
    )
  }
}

function checkedValue(key: SettingKey, value: string | undefined): string {
  if (key === 'gamemode' && value !== undefined) return gamemodeNamed(value, key)
  const { rule, accepts } = SETTINGS[key]
  if (value !== undefined && accepts(value)) return value
  throw usageError(`${key} must be ${rule}.`)
}
