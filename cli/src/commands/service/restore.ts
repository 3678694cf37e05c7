import { Args, defineCommand } from '../../kit/define.ts'
import { contentsText, noteSecret, refuseEmptyPath, runMaintenance, storageFlag } from './maintenance.ts'

export const restoreCommand = defineCommand({
  summary: 'Restore a backup into a data folder that has no store.',
  description:
    'The command does not change the backup. A failed or interrupted restore does not change the data folder.',
  examples: ['fish-cli restore /var/backups/fish-monday --storage file:./data'],
  args: { backup: Args.string({ description: 'folder created by backup', required: true }) },
  flags: { ...storageFlag },
  completion: { backup: { paths: 'folders' } },

  async run({ session, terminal, args, flags }) {
    refuseEmptyPath(args.backup, 'BACKUP', 'folder')
    const work = { backup: args.backup, signal: session.signal }
    const report = await runMaintenance(session, flags.storage, (maintenance, source) =>
      maintenance.restoreStore({ ...source, ...work }),
    )
    noteSecret(terminal, report)
    return terminal.print(report, () => `Restored ${contentsText(report)} in ${report.folder}.`)
  },
})
