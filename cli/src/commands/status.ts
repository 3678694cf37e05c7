import { openClient } from '../client.ts'
import { paint } from '../colours.ts'
import { FishCommand } from '../fish-command.ts'
import { serviceFlags } from '../flags.ts'
import { table } from '../table.ts'

/** `fish-cli status` */
export class Status extends FishCommand {
  static override summary = 'Say whether the service is well.'
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --url https://fish.example.org --json',
  ]
  static override flags = serviceFlags

  async run(): Promise<number> {
    const { flags } = await this.parse(Status)
    const client = await openClient(this.io, flags)
    const { status, version, timestamp } = await client.status({ signal: this.io.interrupted() })
    return this.print(flags.json, { status, version, timestamp }, (colours) =>
      table(
        [{ status, version, timestamp }],
        [
          { title: 'STATUS', text: (row) => row.status, paint: (_, text) => paint('green', text, colours) },
          { title: 'VERSION', text: (row) => row.version },
          { title: 'TIME', text: (row) => row.timestamp },
        ],
        { colours },
      ),
    )
  }
}
