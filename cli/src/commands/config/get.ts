import { defineCommand } from '../../command/define.ts'
import { parseSettingKey, settingValue } from '../../config/settings.ts'
import { SETTING_COMPLETION, settingArg } from './list.ts'

export const configGetCommand = defineCommand({
  summary: 'Print the value of a setting, from the environment or the configuration.',
  examples: ['fish-cli config get gamemode'],
  args: { key: settingArg },
  completion: { key: SETTING_COMPLETION },

  async run(context) {
    const { args } = context
    const key = parseSettingKey(args.key)
    const value = settingValue(key, context.env, context.config.settings)
    if (value === undefined) context.note(`${key} is not set.`)
    return context.print({ key, value: value ?? null }, () => value ?? '', { isVerbatim: true })
  },
})
