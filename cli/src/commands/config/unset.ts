import { defineCommand } from '../../command/define.ts'
import { changeConfig } from '../../config/config-file.ts'
import { parseSettingKey, SETTINGS } from '../../config/settings.ts'
import { SETTING_COMPLETION, settingArg } from './list.ts'

export const configUnsetCommand = defineCommand({
  summary: 'Remove a setting, so that its default applies again.',
  examples: ['fish-cli config unset gamemode'],
  args: { key: settingArg },
  completion: { key: SETTING_COMPLETION },

  async run(context) {
    const { args } = context
    const key = parseSettingKey(args.key)
    await changeConfig(context, (config) => ({ ...config, settings: { ...config.settings, [key]: undefined } }))
    const { variable } = SETTINGS[key]
    if (context.env[variable]) context.note(`${variable} is set and still applies.`)
    return context.print({ key, value: null }, () => `${key} is not set.`)
  },
})
