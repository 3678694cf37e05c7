import { usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { Args, defineCommand } from './define.ts'
import { dryRunFlag } from './flags.ts'
import { contentsText, refuseEmptyPath, runMaintenance, storageFlag, storageSource } from './maintenance.ts'

const STDIN = '-'

/** `fish-cli import` */
export const importCommand = defineCommand({
  summary: 'Fill a new data folder, or an empty Redis, from an export.',
  description:
    'Every line is checked before the first is written. A file store takes its name once it is whole. A Redis is ' +
    'filled in place: no server takes it until it is whole, and after a failure it has to be emptied. A storage that ' +
    'holds anything is refused. Keys stay sealed: serve it with the FISH_SECRET, or the secrets.json, of where they come from.',
  examples: [
    'fish-cli import fish.jsonl --storage file:./data',
    'fish-cli import fish.jsonl --storage file:./data --dry-run',
    {
      description: 'From a file store to Redis:',
      command: 'fish-cli import fish.jsonl --storage redis://127.0.0.1',
    },
  ],
  args: {
    file: Args.string({ description: 'file that an export wrote', required: true, ignoreStdin: true }),
  },
  flags: { ...dryRunFlag, ...storageFlag },

  async run(context) {
    const { args, flags } = context
    refuseEmptyPath(args.file, 'FILE', 'file')
    if (args.file === STDIN) {
      throw usageError(
        'An import reads its file twice, and stdin can be read once.',
        'Save the export to a file and name that file.',
      )
    }
    const source = storageSource(context.env, flags)
    const onWait = (ms: number) => context.note(`waiting ${ms / 1000} s, for servers that run to notice`)
    const work = { file: args.file, dryRun: flags['dry-run'], signal: context.interrupted(), onWait }
    const report = await runMaintenance(context, flags, (server, told) =>
      server.importStore({ ...source, ...told, ...work }),
    )
    if (report.secrets === 'needed') {
      const beside = report.folder === null ? '' : `, or its secrets.json in ${printable(report.folder)}`
      context.note(`Keys stay sealed: serve it with the FISH_SECRET of where they come from${beside}.`)
    }
    const target = printable(report.folder ?? 'Redis')
    return context.print(report, () =>
      report.dryRun ? `Would import into ${target}: ${contentsText(report)}.` : `${target}: ${contentsText(report)}`,
    )
  },
})
