import { usageError } from '../../core/errors.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { findGamemode } from '../../session/gamemodes.ts'
import { configPath, folders, secretsPath } from '../../session/paths.ts'
import { changeConfig } from '../../session/profiles.ts'
import type { Session } from '../../session/session.ts'
import { parseSettingKey, SETTINGS, type SettingKey, settingValue } from '../../session/settings.ts'
import type { Column } from '../../terminal/table.ts'
import { COPYABLE } from '../../terminal/terminal.ts'

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

  async run({ session, args, flags }) {
    if (args.key === undefined) {
      if (flags.unset) throw usageError('The setting to remove is missing.', 'See the settings: fish-cli config')
      return printSettings(session)
    }
    const key = parseSettingKey(args.key)
    if (args.value === undefined && !flags.unset) return printSetting(session, key)
    if (args.value !== undefined && flags.unset) throw usageError('VALUE and --unset cannot be used together.')
    return changeSetting(session, key, args.value === undefined ? undefined : await checked(session, key, args.value))
  },
})

function printSettings(session: Session): Promise<number> {
  const { terminal } = session
  const { settings } = session.config
  const rows = (Object.keys(SETTINGS) as SettingKey[]).map((key) => {
    const { variable, summary } = SETTINGS[key]
    const value = settingValue(key, session.env, settings) ?? null
    const from = session.env[variable] ? 'environment' : settings[key] === undefined ? null : 'setting'
    return { key, value, from, variable, summary }
  })
  const path = configPath(session)
  terminal.note(`The configuration file is ${path}.`)
  const document = { path, secrets: secretsPath(session), folders: folders(session), settings: rows }
  return terminal.printRows({ rows, columns: COLUMNS, document })
}

function printSetting({ env, config, terminal }: Session, key: SettingKey): number {
  const value = settingValue(key, env, config.settings)
  if (value === undefined) terminal.note(`${key} is not set.`)
  return terminal.print({ key, value: value ?? null }, () => value ?? '', COPYABLE)
}

async function changeSetting(session: Session, key: SettingKey, value: string | undefined): Promise<number> {
  const { terminal } = session
  await changeConfig(session, (config) => ({ ...config, settings: { ...config.settings, [key]: value } }))
  const { variable } = SETTINGS[key]
  if (session.env[variable]) terminal.note(`${variable} is set and overrides the setting.`)
  return terminal.print({ key, value: value ?? null }, () => `${key} is ${value ?? 'not set'}.`)
}

async function checked(session: Session, key: SettingKey, value: string): Promise<string> {
  if (key === 'gamemode') return findGamemode(session, value, 'VALUE')
  if (key === 'encoding') {
    const { ENCODING_RULE, logEncoding } = await import('../watch/log-encoding.ts')
    if (!logEncoding(value)) throw usageError(`${key} must be ${ENCODING_RULE}.`)
  }
  const { rule, accepts } = SETTINGS[key]
  if (accepts(value)) return value
  throw usageError(`${key} must be ${rule}.`)
}
