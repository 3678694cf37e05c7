import { Args, defineCommand, Flags } from '../command/define.ts'
import { dryRunFlag } from '../command/flags.ts'
import {
  bytesText,
  contentsText,
  noteSecret,
  refuseEmptyPath,
  runMaintenance,
  storageFlag,
} from '../command/maintenance.ts'
import { printable } from '../output/text.ts'

export const restoreCommand = defineCommand({
  summary: 'Restore a backup into a data folder that no server uses.',
  description:
    'The backup is checked first and is not changed. If the restore fails or is interrupted, the data folder is not ' +
    'changed either.',
  examples: [
    'fish-cli restore /var/backups/fish-monday --storage file:./data',
    'fish-cli restore /var/backups/fish-monday --storage file:./data --dry-run',
    {
      description: 'Replace the existing store, which is moved to replaced-… in the data folder:',
      command: 'fish-cli restore /var/backups/fish-monday --force',
    },
  ],
  args: { backup: Args.string({ description: 'folder created by backup', required: true }) },
  flags: {
    force: Flags.boolean({ summary: 'Replace an existing store, which is moved to replaced-….' }),
    ...dryRunFlag,
    ...storageFlag,
  },
  completion: { backup: { paths: 'folders' } },

  async run(context) {
    const { args, flags } = context
    refuseEmptyPath(args.backup, 'BACKUP', 'folder')
    const { backup } = args
    const work = { backup, force: flags.force, dryRun: flags['dry-run'], signal: context.interrupted() }
    const report = await runMaintenance(context, (server, source) =>
      server.restoreStore({ ...source, ...work, now: new Date(context.clock.now()) }),
    )
    const folder = printable(report.folder)
    if (report.replaced !== undefined) {
      const text = report.dryRun
        ? `The existing store would be moved to a folder replaced-… in ${folder}.`
        : `The previous store is in ${printable(report.replaced)}.`
      context.note(text)
    }
    noteSecret(context, report)
    return context.print(report, () =>
      report.dryRun
        ? `Would restore ${bytesText(report.bytes)} into ${folder}: ${contentsText(report)}.`
        : `${folder}: ${contentsText(report)}`,
    )
  },
})
