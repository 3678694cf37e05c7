import { Args } from '@oclif/core'
import { FishCommand } from '../base/fish-command.ts'
import { holding, maintainTold, secretNote, storageFlag, storageSource } from '../maintenance/maintenance.ts'
import { printable } from '../output/printable.ts'

/** `fish-cli backup` */
export class Backup extends FishCommand {
  static override summary = 'Copy a data folder into a new folder, also while it is served.'
  static override description =
    'The copy is the store as of one moment, checked and on the disk before the folder takes its name, with the ' +
    'secrets that are kept beside the data: whoever can read it can open all keys. A folder that exists is never ' +
    'touched. The copy is a data folder itself. For Redis, use the backups of Redis.'
  static override examples = [
    '<%= config.bin %> backup /var/backups/fish-monday',
    '<%= config.bin %> backup "backup-$(date +%F)" --storage file:/var/lib/fish --json',
  ]
  static override args = {
    folder: Args.string({ description: 'folder to make', required: true, ignoreStdin: true }),
  }
  static override flags = { ...storageFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Backup)
    const source = storageSource(this.io.env, flags)
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.backupStore({ ...source, ...told, target: args.folder }),
    )
    for (const note of secretNote(report.secrets, args.folder)) this.note(flags.json, note)
    return this.print(flags.json, report, () => `${printable(report.folder)}: ${holding(report)}`)
  }
}
