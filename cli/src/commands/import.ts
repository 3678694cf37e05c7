import { Args, defineCommand } from '../command/define.ts'
import { dryRunFlag } from '../command/flags.ts'
import { contentsText, refuseEmptyPath, runMaintenance, storageFlag } from '../command/maintenance.ts'
import { usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'

export const importCommand = defineCommand({
  summary: 'Import an export into a new data folder or an empty Redis.',
  description:
    'All lines are checked before the first is written. A file store gets its name when it is complete. A Redis is filled ' +
    'in place: no server uses it until it is complete, and after a failure you have to empty it. The storage must be ' +
    'empty. Keys stay encrypted: serve it with the FISH_SECRET or the secrets.json of the original storage.',
  examples: [
    'fish-cli import fish.jsonl --storage file:./data',
    'fish-cli import fish.jsonl --storage file:./data --dry-run',
    {
      description: 'From a file store to Redis:',
      command: 'fish-cli import fish.jsonl --storage redis://127.0.0.1',
    },
  ],
  args: { file: Args.string({ description: 'file written by export', required: true }) },
  flags: { ...dryRunFlag, ...storageFlag },

  async run(context) {
    const { args, flags } = context
    refuseEmptyPath(args.file, 'FILE', 'file')
    if (args.file === '-') {
      throw usageError(
        'An import cannot read stdin, since it reads its file twice.',
        'Save the export to a file and pass that file.',
      )
    }
    const onWait = (ms: number) => context.note(`waiting ${ms / 1000} s for running servers to notice the import`)
    const work = { file: args.file, dryRun: flags['dry-run'], signal: context.interrupted(), onWait }
    const report = await runMaintenance(context, (server, source) => server.importStore({ ...source, ...work }))
    if (report.secrets === 'needed') {
      const beside =
        report.folder === null
          ? '. If that was never set, "encryption" of its secrets.json is FISH_SECRET, and "session" is FISH_JWT_SECRET'
          : `, or its secrets.json in ${printable(report.folder)}`
      context.note(`Keys stay encrypted: serve it with the FISH_SECRET of the original storage${beside}.`)
    }
    const target = printable(report.folder ?? 'Redis')
    return context.print(report, () =>
      report.dryRun ? `Would import into ${target}: ${contentsText(report)}.` : `${target}: ${contentsText(report)}`,
    )
  },
})
