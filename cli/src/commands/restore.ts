import { Args, defineCommand } from '../command/define.ts'
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
  summary: 'Restore a backup into a data folder that has no store.',
  description:
    'The backup is checked first and is not changed. If the restore fails or is interrupted, the data folder is not ' +
    'changed either.',
  examples: [
    'fish-cli restore /var/backups/fish-monday --storage file:./data',
    'fish-cli restore /var/backups/fish-monday --storage file:./data --dry-run',
  ],
  args: { backup: Args.string({ description: 'folder created by backup', required: true }) },
  flags: {
    ...dryRunFlag,
    ...storageFlag,
  },
  completion: { backup: { paths: 'folders' } },

  async run(context) {
    const { args, flags } = context
    refuseEmptyPath(args.backup, 'BACKUP', 'folder')
    const { backup } = args
    const work = { backup, dryRun: flags['dry-run'], signal: context.interrupted() }
    const report = await runMaintenance(context, (server, source) => server.restoreStore({ ...source, ...work }))
    const folder = printable(report.folder)
    noteSecret(context, report)
    return context.print(report, () =>
      report.dryRun
        ? `Would restore ${bytesText(report.bytes)} into ${folder}: ${contentsText(report)}.`
        : `${folder}: ${contentsText(report)}`,
    )
  },
})
