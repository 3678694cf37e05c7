import { Args, defineCommand } from '../kit/define.ts'
import { contentsText, noteSecret, refuseEmptyPath, runMaintenance, storageFlag } from '../kit/maintenance.ts'
import { printable } from '../output/text.ts'

export const restoreCommand = defineCommand({
  summary: 'Restore a backup into a data folder that has no store.',
  description:
    'The command does not change the backup. A failed or interrupted restore does not change the data folder.',
  examples: ['fish-cli restore /var/backups/fish-monday --storage file:./data'],
  args: { backup: Args.string({ description: 'folder created by backup', required: true }) },
  flags: { ...storageFlag },
  completion: { backup: { paths: 'folders' } },

  async run(context) {
    const { args } = context
    refuseEmptyPath(args.backup, 'BACKUP', 'folder')
    const work = { backup: args.backup, signal: context.interrupted() }
    const report = await runMaintenance(context, (maintenance, source) =>
      maintenance.restoreStore({ ...source, ...work }),
    )
    noteSecret(context, report)
    return context.print(report, () => `Restored ${contentsText(report)} in ${printable(report.folder)}.`)
  },
})
