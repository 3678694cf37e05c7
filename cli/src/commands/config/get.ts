import { readConfig } from '../../config/config-file.ts'
import { parseSettingKey, SETTINGS, settingValue } from '../../config/settings.ts'
import { Args, defineCommand } from '../define.ts'
import { SETTING_COMPLETION } from './list.ts'

export const configGetCommand = defineCommand({
  summary: 'Print the value of a setting, from the environment or the configuration.',
  examples: ['fish-cli config get gamemode'],
  args: {
    key: Args.string({
      description: `the setting: ${Object.keys(SETTINGS).join(', ')}`,
      required: true,
    }),
  },
  completion: { key: SETTING_COMPLETION },

  async run(context) {
    const { args } = context
    const key = parseSettingKey(args.key)
    const value = settingValue(key, context.env, readConfig(context).settings)
    if (value === undefined) context.note(`${key} is not set.`)
    return context.print({ key, value: value ?? null }, () => value ?? '', { isVerbatim: true })
  },
})
