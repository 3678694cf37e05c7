import { printable } from '../output/text.ts'
import { Args, defineCommand } from './define.ts'
import { dryRunFlag } from './flags.ts'
import { contentsText, refuseEmptyPath, runMaintenance, secretNote, storageFlag, storageSource } from './maintenance.ts'
import { bytesText } from './maintenance-progress.ts'

/** `fish-cli backup` */
export const backupCommand = defineCommand({
  summary: 'Copy a data folder into a new folder, also while it is served.',
  description:
    'The copy is the store as of one moment, checked and on the disk before the folder takes its name, with the ' +
    'secrets that are kept beside the data: whoever can read it can open all keys. A folder that exists is never ' +
    'touched. The copy is a data folder itself. Interrupted, it leaves nothing. Killed, it ' +
    'may leave a folder FOLDER.partial-… that nothing else removes. For Redis, use the backups of Redis.',
  examples: [
    'fish-cli backup /var/backups/fish-monday',
    'fish-cli backup /var/backups/fish-monday --dry-run',
    'fish-cli backup "backup-$(date +%F)" --storage file:/var/lib/fish --json',
  ],
  args: {
    folder: Args.string({ description: 'folder to make', required: true, ignoreStdin: true }),
  },
  flags: { ...dryRunFlag, ...storageFlag },
  completion: { folder: { paths: 'folders' } },

  async run(context) {
    const { args, flags } = context
    refuseEmptyPath(args.folder, 'FOLDER', 'folder')
    const source = storageSource(context.env, flags)
    const work = { target: args.folder, dryRun: flags['dry-run'], signal: context.interrupted() }
    const report = await runMaintenance(context, flags, (server, told) =>
      server.backupStore({ ...source, ...told, ...work }),
    )
    for (const note of secretNote({ ...report, folder: args.folder })) context.note(note)
    const folder = printable(report.folder)
    return context.print(report, () =>
      report.dryRun
        ? `Would copy ${bytesText(report.bytes)} into ${folder}: ${contentsText(report)}.`
        : `${folder}: ${contentsText(report)}`,
    )
  },
})
