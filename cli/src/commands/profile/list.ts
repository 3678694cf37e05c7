import { readConfig } from '../../config/config-file.ts'
import type { Profile } from '../../core/context.ts'
import type { Column } from '../../output/columns.ts'
import { FishCommand } from '../../runtime/fish-command.ts'
import { outputFlags } from '../flags.ts'

interface Row extends Profile {
  readonly name: string
  readonly current: boolean
}

const COLUMNS: readonly Column<Row>[] = [
  { field: 'current', title: '', text: (value) => (value ? '*' : '') },
  { field: 'name', title: 'PROFILE', whole: true },
  { field: 'url' },
  { field: 'user' },
  { field: 'gamemode' },
  { field: 'admin' },
  { field: 'secrets' },
]

/** `fish-cli profile list` */
export class ProfileList extends FishCommand {
  static override summary = 'List the profiles; a star marks the current one.'
  static override examples = [
    '<%= config.bin %> profile list',
    '<%= config.bin %> profile list --fields name,url --json',
  ]
  static override flags = { ...outputFlags }

  async run(): Promise<number> {
    const { flags } = await this.parse(ProfileList)
    this.checkOutput(flags, COLUMNS)
    const { current, profiles } = readConfig(this.io)
    const rows = [...profiles].map(([name, profile]) => ({ name, current: name === current, ...profile }))
    const document = (found: readonly object[]) => ({ current: current ?? null, profiles: found })
    const empty = 'There are no profiles yet. Make one: fish-cli login USER'
    return this.printRows(flags, { rows, columns: COLUMNS, document, empty })
  }
}
