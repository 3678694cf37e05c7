import { Args, defineCommand } from '../../kit/define.ts'
import { contentsText, noteSecret, refuseEmptyPath, runMaintenance, storageFlag } from './maintenance.ts'

export const backupCommand = defineCommand({
  summary: 'Copy a data folder into a new folder, even while a server uses it.',
  description:
    'The copy is a consistent snapshot, and can be used as a data folder. The command flushes the copy to disk ' +
    'before the copy gets its name. The copy includes the secrets stored beside the data: anyone who can read the ' +
    'copy can decrypt all keys. The command never changes an existing folder. An interrupted backup leaves no ' +
    'files. A killed backup may leave a folder FOLDER.partial-..., which you can delete. For Redis, use the ' +
    'backups of Redis, or stop the servers and use copy.',
  examples: [
    'fish-cli backup /var/backups/fish-monday',
    'fish-cli backup "backup-$(date +%F)" --storage file:/var/lib/fish --json',
  ],
  args: { folder: Args.string({ description: 'folder to create', required: true }) },
  flags: { ...storageFlag },
  completion: { folder: { paths: 'folders' } },

  async run({ session, terminal, args, flags }) {
    refuseEmptyPath(args.folder, 'FOLDER', 'folder')
    const work = { target: args.folder, signal: session.signal }
    const report = await runMaintenance(session, flags.storage, (maintenance, source) =>
      maintenance.backupStore({ ...source, ...work }),
    )
    noteSecret(terminal, report)
    return terminal.print(report, () => `Backed up ${contentsText(report)} to ${report.folder}.`)
  },
})
