import { readConfig } from '../../config/config-file.ts'
import { SETTINGS, type SettingKey, settingValue } from '../../config/settings.ts'
import type { Column } from '../../output/columns.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { outputFlags } from '../flags.ts'

interface Row {
  readonly key: SettingKey
  readonly value: string | null
  readonly from: 'environment' | 'setting' | null
  readonly variable: string
  readonly summary: string
}

const COLUMNS: readonly Column<Row>[] = [
  { field: 'key', title: 'SETTING', whole: true },
  { field: 'value' },
  { field: 'from' },
  { field: 'variable', whole: true },
  { field: 'summary', title: 'MEANING', wrap: true },
]

/** `fish-cli config list` */
export class ConfigList extends FishCommand {
  static override summary = 'List all settings, their values, and where each value comes from.'
  static override examples = [
    '<%= config.bin %> config list',
    '<%= config.bin %> config list --fields key,value --json',
  ]
  static override flags = { ...outputFlags }

  async run(): Promise<number> {
    const { flags } = await this.parse(ConfigList)
    this.checkOutput(flags, COLUMNS)
    const { settings } = readConfig(this.io)
    const rows = (Object.keys(SETTINGS) as SettingKey[]).map((key): Row => {
      const { variable, summary } = SETTINGS[key]
      const value = settingValue(key, this.io.env, settings) ?? null
      const from = this.io.env[variable] ? 'environment' : settings[key] === undefined ? null : 'setting'
      return { key, value, from, variable, summary }
    })
    return this.printRows(flags, { rows, columns: COLUMNS })
  }
}
