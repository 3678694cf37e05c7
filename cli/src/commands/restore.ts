import { printable } from '../output/text.ts'
import { Args, defineCommand, Flags } from './define.ts'
import { dryRunFlag } from './flags.ts'
import { contentsText, refuseEmptyPath, runMaintenance, secretNote, storageFlag, storageSource } from './maintenance.ts'
import { bytesText } from './maintenance-progress.ts'

/** `fish-cli restore` */
export const restoreCommand = defineCommand({
  summary: 'Put a backup into a data folder that no server uses.',
  description:
    'The backup is checked first and copied whole; it stays as it is, and a failure or an interruption on the way ' +
    'changes nothing.',
  examples: [
    'fish-cli restore /var/backups/fish-monday --storage file:./data',
    'fish-cli restore /var/backups/fish-monday --storage file:./data --dry-run',
    {
      description: 'Replace the store that is there. It is kept in the data folder itself, as replaced-…:',
      command: 'fish-cli restore /var/backups/fish-monday --force',
    },
  ],
  args: {
    backup: Args.string({ description: 'folder that a backup made', required: true, ignoreStdin: true }),
  },
  flags: {
    force: Flags.boolean({ summary: 'Replace a store that is there, and keep it as replaced-….' }),
    ...dryRunFlag,
    ...storageFlag,
  },
  completion: { backup: { paths: 'folders' } },

  async run(context) {
    const { args, flags } = context
    refuseEmptyPath(args.backup, 'BACKUP', 'folder')
    const source = storageSource(context.env, flags)
    const { backup } = args
    const work = { backup, force: flags.force, dryRun: flags['dry-run'], signal: context.interrupted() }
    const report = await runMaintenance(context, flags, (server, told) =>
      server.restoreStore({ ...source, ...told, ...work, now: new Date(context.clock.now()) }),
    )
    const folder = printable(report.folder)
    if (report.replaced !== undefined) {
      const told = report.dryRun
        ? `What is in ${folder} now would be kept in a folder replaced-… in there.`
        : `What was there before is in ${printable(report.replaced)}.`
      context.note(told)
    }
    for (const note of secretNote(report)) context.note(note)
    return context.print(report, () =>
      report.dryRun
        ? `Would restore ${bytesText(report.bytes)} into ${folder}: ${contentsText(report)}.`
        : `${folder}: ${contentsText(report)}`,
    )
  },
})
