import { findGamemode } from '../client/gamemodes.ts'
import { changeConfig } from '../config/config-file.ts'
import { configPath, folders, secretsPath } from '../config/paths.ts'
import { parseSettingKey, SETTINGS, type SettingKey, settingValue } from '../config/settings.ts'
import { usageError } from '../core/errors.ts'
import { Args, type CommandContext, defineCommand, Flags } from '../kit/define.ts'
import type { Column } from '../output/columns.ts'
import { printable } from '../output/text.ts'

const COLUMNS: readonly Column[] = [
  { field: 'key', title: 'SETTING', whole: true },
  { field: 'value' },
  { field: 'from' },
  { field: 'variable', whole: true },
  { field: 'summary', title: 'MEANING', wrap: true },
]

export const configCommand = defineCommand({
  summary: 'Show or change the settings of fish-cli.',
  description: [
    'Without KEY, the command lists all settings with the source of each value. With KEY, the command prints the ' +
      'value of that setting. With KEY and VALUE, the command changes the setting.',
    Object.entries(SETTINGS)
      .map(([key, { summary }]) => `${key}: ${summary}`)
      .join('\n'),
  ].join('\n\n'),
  examples: ['fish-cli config', 'fish-cli config gamemode earth', 'fish-cli config max-wait --unset'],
  args: {
    key: Args.string({ description: `the setting: ${Object.keys(SETTINGS).join(', ')}` }),
    value: Args.string({ description: 'the new value' }),
  },
  flags: { unset: Flags.boolean({ summary: 'Remove the setting, so that the default applies again.' }) },
  completion: {
    key: { words: Object.entries(SETTINGS).map(([value, { summary }]) => ({ value, description: summary })) },
  },

  async run(context) {
    const { args, flags } = context
    if (args.key === undefined) {
      if (flags.unset) throw usageError('The setting to remove is missing.', 'See the settings: fish-cli config')
      return printSettings(context)
    }
    const key = parseSettingKey(args.key)
    if (args.value === undefined && !flags.unset) return printSetting(context, key)
    if (args.value !== undefined && flags.unset) throw usageError('VALUE and --unset cannot be used together.')
    return changeSetting(context, key, args.value === undefined ? undefined : await checked(context, key, args.value))
  },
})

function printSettings(context: CommandContext): Promise<number> {
  const { settings } = context.config
  const rows = (Object.keys(SETTINGS) as SettingKey[]).map((key) => {
    const { variable, summary } = SETTINGS[key]
    const value = settingValue(key, context.env, settings) ?? null
    const from = context.env[variable] ? 'environment' : settings[key] === undefined ? null : 'setting'
    return { key, value, from, variable, summary }
  })
  const path = configPath(context)
  context.note(`The configuration file is ${printable(path)}.`)
  const document = { path, secrets: secretsPath(context), folders: folders(context), settings: rows }
  return context.printRows({ rows, columns: COLUMNS, document })
}

function printSetting(context: CommandContext, key: SettingKey): number {
  const value = settingValue(key, context.env, context.config.settings)
  if (value === undefined) context.note(`${key} is not set.`)
  return context.print({ key, value: value ?? null }, () => value ?? '', { isVerbatim: true })
}

async function changeSetting(context: CommandContext, key: SettingKey, value: string | undefined): Promise<number> {
  await changeConfig(context, (config) => ({ ...config, settings: { ...config.settings, [key]: value } }))
  const { variable } = SETTINGS[key]
  if (context.env[variable]) context.note(`${variable} is set and overrides the setting.`)
  return context.print({ key, value: value ?? null }, () => `${key} is ${value ?? 'not set'}.`)
}

async function checked(context: CommandContext, key: SettingKey, value: string): Promise<string> {
  if (key === 'gamemode') return findGamemode(context, context.target, value, 'VALUE')
  const { rule, accepts } = SETTINGS[key]
  if (accepts(value)) return value
  throw usageError(`${key} must be ${rule}.`)
}
