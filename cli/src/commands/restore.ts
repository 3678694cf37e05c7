import { Args, Flags } from '@oclif/core'
import { printable } from '../output/text.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { dryRunFlag } from './flags.ts'
import { holding, maintainTold, refuseEmptyPath, secretNote, storageFlag, storageSource } from './maintenance.ts'
import { bytesText } from './maintenance-progress.ts'

/** `fish-cli restore` */
export class Restore extends FishCommand {
  static override summary = 'Put a backup into a data folder that no server uses.'
  static override description =
    'The backup is checked first and copied whole; it stays as it is, and a failure or an interruption on the way ' +
    'changes nothing.'
  static override examples = [
    '<%= config.bin %> restore /var/backups/fish-monday --storage file:./data',
    '<%= config.bin %> restore /var/backups/fish-monday --storage file:./data --dry-run',
    {
      description: 'Replace the store that is there. It is kept in the data folder itself, as replaced-…:',
      command: '<%= config.bin %> restore /var/backups/fish-monday --force',
    },
  ]
  static override args = {
    backup: Args.string({ description: 'folder that a backup made', required: true, ignoreStdin: true }),
  }
  static override flags = {
    force: Flags.boolean({ summary: 'Replace a store that is there, and keep it as replaced-….' }),
    ...dryRunFlag,
    ...storageFlag,
  }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Restore)
    refuseEmptyPath(args.backup, 'BACKUP', 'folder')
    const source = storageSource(this.io.env, flags)
    const { backup } = args
    const work = { backup, force: flags.force, dryRun: flags['dry-run'], signal: this.io.interrupted() }
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.restoreStore({ ...source, ...told, ...work, now: new Date(this.io.clock.now()) }),
    )
    const folder = printable(report.folder)
    if (report.replaced !== undefined) {
      const told = report.dryRun
        ? `What is in ${folder} now would be kept in a folder replaced-… in there.`
        : `What was there before is in ${printable(report.replaced)}.`
      this.note(flags.json, told)
    }
    for (const note of secretNote(report)) this.note(flags.json, note)
    return this.print(flags.json, report, () =>
      report.dryRun
        ? `Would restore ${bytesText(report.bytes)} into ${folder}: ${holding(report)}.`
        : `${folder}: ${holding(report)}`,
    )
  }
}
