import { findGamemode } from '../../client/gamemodes.ts'
import { Args, type CommandContext, defineCommand, words } from '../../command/define.ts'
import { changeConfig } from '../../config/config-file.ts'
import { parseSettingKey, SETTINGS, type SettingKey } from '../../config/settings.ts'
import { usageError } from '../../core/errors.ts'
import { SETTING_COMPLETION, settingArg } from './list.ts'

export const configSetCommand = defineCommand({
  summary: 'Change a setting.',
  description: Object.entries(SETTINGS)
    .map(([key, { summary, rule }]) => `${key}: ${summary} Must be ${rule}.`)
    .join('\n'),
  examples: ['fish-cli config set gamemode earth', 'fish-cli config set max-wait 30'],
  args: { key: settingArg, value: Args.string({ description: 'value of the setting', required: true }) },
  completion: {
    key: SETTING_COMPLETION,
    value: {
      byPrevious: Object.fromEntries(
        Object.entries(SETTINGS).map(([key, { values }]) => [key, words(values).words ?? []]),
      ),
    },
  },

  async run(context) {
    const { args } = context
    const key = parseSettingKey(args.key)
    const value = await checkedValue(context, key, args.value)
    await changeConfig(context, (config) => ({ ...config, settings: { ...config.settings, [key]: value } }))
    if (context.env[SETTINGS[key].variable]) {
      context.note(`${SETTINGS[key].variable} is set and takes precedence.`)
    }
    return context.print({ key, value }, () => `${key} is ${value}.`)
  },
})

async function checkedValue(context: CommandContext, key: SettingKey, value: string): Promise<string> {
  if (key === 'gamemode') return findGamemode(context, context.target, value, key)
  const { rule, accepts } = SETTINGS[key]
  if (accepts(value)) return value
  throw usageError(`${key} must be ${rule}.`)
}
