import { EXIT, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { defineCommand, Flags } from './define.ts'
import { dryRunFlag } from './flags.ts'
import { contentsText, refuseEmptyPath, runMaintenance, storageFlag, storageSource } from './maintenance.ts'

const STDOUT = '-'

/** `fish-cli export` */
export const exportCommand = defineCommand({
  summary: 'Write all that a data folder holds as lines of JSON, also while it is served.',
  description:
    'The export is the store as of one moment, for import into another storage. Keys stay sealed and secrets stay ' +
    'out: the target needs the same FISH_SECRET, or the same secrets.json. The file is for its owner alone: it holds ' +
    'the hashes of all passwords. One that exists is never touched, and it takes its name once it is whole. ' +
    'Killed, it may leave a file FILE.partial-… that nothing else removes.',
  examples: [
    'fish-cli export --jsonl --out fish.jsonl --storage file:/var/lib/fish',
    'fish-cli export --out fish.jsonl --dry-run',
    {
      description: 'Compressed on the way:',
      command: 'fish-cli export --out - | gzip > fish.jsonl.gz',
    },
  ],
  flags: {
    out: Flags.string({ summary: 'File to make; - for stdout.', helpValue: 'FILE', required: true }),
    jsonl: Flags.boolean({ summary: 'As lines of JSON, which is the one form there is.', default: true }),
    ...dryRunFlag,
    ...storageFlag,
  },

  async run(context) {
    const { flags } = context
    refuseEmptyPath(flags.out, '--out', 'file')
    const isStdout = flags.out === STDOUT
    if (isStdout && flags.json) throw usageError('--json and --out - both want stdout.', 'Name a file.')
    if (isStdout && context.stdout.isTTY) {
      throw usageError('An export is not for a terminal.', 'Name a file, or pipe it into a program.')
    }
    const source = storageSource(context.env, flags)
    const target = isStdout ? context.stdout : flags.out
    const work = { target, dryRun: flags['dry-run'], signal: context.interrupted() }
    const report = await runMaintenance(context, flags, (server, told) =>
      server.exportStore({ ...source, ...told, ...work, now: new Date(context.clock.now()) }),
    )
    if (report.secrets === 'beside') {
      const note = `Keys stay sealed. Take secrets.json of ${printable(report.folder)} along: it is not in the export.`
      context.note(note)
    }
    if (report.secrets === 'needed') context.note('Keys stay sealed: the target needs the same FISH_SECRET.')
    const out = isStdout ? 'stdout' : printable(flags.out)
    const written = isStdout ? 'to stdout' : out
    const told = report.dryRun ? `Would write ${written}: ${contentsText(report)}.` : `${out}: ${contentsText(report)}`
    if (!isStdout) return context.print(report, () => told)
    context.note(told)
    return EXIT.ok
  },
})
