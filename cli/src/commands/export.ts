import { defineCommand, Flags } from '../command/define.ts'
import { contentsText, refuseEmptyPath, runMaintenance, storageFlag } from '../command/maintenance.ts'
import { EXIT, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'

export const exportCommand = defineCommand({
  summary: 'Export a data folder as lines of JSON, even while a server uses it.',
  description:
    'The export is a consistent snapshot, for import into another storage. Keys stay encrypted and secrets are not ' +
    'included: the target needs the same FISH_SECRET, or the same secrets.json. Only its owner can read the file, which ' +
    'holds the hashes of all passwords. An existing file is never changed, and the new one gets its name when it is ' +
    'complete. A killed export may leave a file FILE.partial-..., which you can delete.',
  examples: [
    'fish-cli export --out fish.jsonl --storage file:/var/lib/fish',
    { description: 'Compress the export:', command: 'fish-cli export --out - | gzip > fish.jsonl.gz' },
  ],
  flags: {
    out: Flags.string({ summary: 'File to create; - for stdout.', helpValue: 'FILE', required: true }),
    ...storageFlag,
  },

  async run(context) {
    const { flags } = context
    refuseEmptyPath(flags.out, '--out', 'file')
    const isStdout = flags.out === '-'
    if (isStdout && flags.json)
      throw usageError('--json and --out - cannot both write to stdout.', 'Pass the path of a file.')
    if (isStdout && context.stdout.isTTY) {
      throw usageError(
        'An export cannot be written to a terminal.',
        'Pass the path of a file, or pipe the export into a program.',
      )
    }
    const target = isStdout ? context.stdout : flags.out
    const work = { target, signal: context.interrupted() }
    const report = await runMaintenance(context, (server, source) =>
      server.exportStore({ ...source, ...work, now: new Date(context.clock.now()) }),
    )
    if (report.secrets === 'beside') {
      const note = `Keys stay encrypted. Also copy secrets.json from ${printable(report.folder)}: it is not in the export.`
      context.note(note)
    }
    if (report.secrets === 'needed') context.note('Keys stay encrypted: the target needs the same FISH_SECRET.')
    const text = `${isStdout ? 'stdout' : printable(flags.out)}: ${contentsText(report)}`
    if (!isStdout) return context.print(report, () => text)
    context.note(text)
    return EXIT.ok
  },
})
