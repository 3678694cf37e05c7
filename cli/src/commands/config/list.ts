import { Args, defineCommand, type Values } from '../../command/define.ts'
import { outputFlags } from '../../command/flags.ts'
import { SETTINGS, type SettingKey, settingValue } from '../../config/settings.ts'
import type { Column } from '../../output/columns.ts'

const COLUMNS: readonly Column[] = [
  { field: 'key', title: 'SETTING', whole: true },
  { field: 'value' },
  { field: 'from' },
  { field: 'variable', whole: true },
  { field: 'summary', title: 'MEANING', wrap: true },
]

export const settingArg = Args.string({
  description: `the setting: ${Object.keys(SETTINGS).join(', ')}`,
  required: true,
})

export const SETTING_COMPLETION: Values = {
  words: Object.entries(SETTINGS).map(([value, { summary }]) => ({ value, description: summary })),
}

export const configListCommand = defineCommand({
  summary: 'List all settings, their values, and where each value comes from.',
  examples: ['fish-cli config list', 'fish-cli config list --fields key,value --json'],
  flags: { ...outputFlags },
  columns: COLUMNS,

  async run(context) {
    const { settings } = context.config
    const rows = (Object.keys(SETTINGS) as SettingKey[]).map((key) => {
      const { variable, summary } = SETTINGS[key]
      const value = settingValue(key, context.env, settings) ?? null
      const from = context.env[variable] ? 'environment' : settings[key] === undefined ? null : 'setting'
      return { key, value, from, variable, summary }
    })
    return context.printRows({ rows })
  },
})
