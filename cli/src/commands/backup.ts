import { Args } from '@oclif/core'
import { printable } from '../output/text.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { dryRunFlag } from './flags.ts'
import { holding, maintainTold, refuseEmptyPath, secretNote, storageFlag, storageSource } from './maintenance.ts'
import { bytesText } from './maintenance-progress.ts'

/** `fish-cli backup` */
export class Backup extends FishCommand {
  static override summary = 'Copy a data folder into a new folder, also while it is served.'
  static override description =
    'The copy is the store as of one moment, checked and on the disk before the folder takes its name, with the ' +
    'secrets that are kept beside the data: whoever can read it can open all keys. A folder that exists is never ' +
    'touched. The copy is a data folder itself. Interrupted, it leaves nothing. Killed, it ' +
    'may leave a folder FOLDER.partial-… that nothing else removes. For Redis, use the backups of Redis.'
  static override examples = [
    '<%= config.bin %> backup /var/backups/fish-monday',
    '<%= config.bin %> backup /var/backups/fish-monday --dry-run',
    '<%= config.bin %> backup "backup-$(date +%F)" --storage file:/var/lib/fish --json',
  ]
  static override args = {
    folder: Args.string({ description: 'folder to make', required: true, ignoreStdin: true }),
  }
  static override flags = { ...dryRunFlag, ...storageFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Backup)
    refuseEmptyPath(args.folder, 'FOLDER', 'folder')
    const source = storageSource(this.io.env, flags)
    const work = { target: args.folder, dryRun: flags['dry-run'], signal: this.io.interrupted() }
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.backupStore({ ...source, ...told, ...work }),
    )
    for (const note of secretNote({ ...report, folder: args.folder })) this.note(flags.json, note)
    const folder = printable(report.folder)
    return this.print(flags.json, report, () =>
      report.dryRun
        ? `Would copy ${bytesText(report.bytes)} into ${folder}: ${holding(report)}.`
        : `${folder}: ${holding(report)}`,
    )
  }
}
