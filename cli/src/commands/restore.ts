import { Args, Flags } from '@oclif/core'
import { FishCommand } from '../base/fish-command.ts'
import { holding, maintainTold, secretNote, storageFlag, storageSource } from '../maintenance/maintenance.ts'
import { printable } from '../output/printable.ts'

/** `fish-cli restore` */
export class Restore extends FishCommand {
  static override summary = 'Put a backup into a data folder that no server uses.'
  static override description =
    'The backup is checked first and copied whole; it stays as it is, and a failure on the way changes nothing.'
  static override examples = [
    '<%= config.bin %> restore /var/backups/fish-monday --storage file:./data',
    {
      description: 'Replace the store that is there. It is kept in a folder beside the new one:',
      command: '<%= config.bin %> restore /var/backups/fish-monday --force',
    },
  ]
  static override args = {
    backup: Args.string({ description: 'folder that a backup made', required: true, ignoreStdin: true }),
  }
  static override flags = {
    force: Flags.boolean({ summary: 'Replace a store that is there, and keep it aside.' }),
    ...storageFlag,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Restore)
    const source = storageSource(this.io.env, flags)
    const { backup } = args
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.restoreStore({ ...source, ...told, backup, force: flags.force, now: new Date() }),
    )
    if (report.replaced !== undefined) {
      this.note(flags.json, `What was there before is in ${printable(report.replaced)}.`)
    }
    for (const note of secretNote(report.secrets, report.folder)) this.note(flags.json, note)
    return this.print(flags.json, report, () => `${printable(report.folder)}: ${holding(report)}`)
  }
}
