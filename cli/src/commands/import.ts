import { Args } from '@oclif/core'
import { usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { dryRunFlag } from './flags.ts'
import { holding, maintainTold, refuseEmptyPath, storageFlag, storageSource } from './maintenance.ts'

const STDIN = '-'

/** `fish-cli import` */
export class Import extends FishCommand {
  static override summary = 'Fill a new data folder, or an empty Redis, from an export.'
  static override description =
    'Every line is checked before the first is written. A file store takes its name once it is whole. A Redis is ' +
    'filled in place: no server takes it until it is whole, and after a failure it has to be emptied. A storage that ' +
    'holds anything is refused. Keys stay sealed: serve it with the FISH_SECRET, or the secrets.json, of where they come from.'
  static override examples = [
    '<%= config.bin %> import fish.jsonl --storage file:./data',
    '<%= config.bin %> import fish.jsonl --storage file:./data --dry-run',
    {
      description: 'From a file store to Redis:',
      command: '<%= config.bin %> import fish.jsonl --storage redis://127.0.0.1',
    },
  ]
  static override args = {
    file: Args.string({ description: 'file that an export wrote', required: true, ignoreStdin: true }),
  }
  static override flags = { ...dryRunFlag, ...storageFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Import)
    refuseEmptyPath(args.file, 'FILE', 'file')
    if (args.file === STDIN) {
      throw usageError(
        'An import reads its file twice, and stdin can be read once.',
        'Write it into a file, and name that.',
      )
    }
    const source = storageSource(this.io.env, flags)
    const onWait = (ms: number) => this.note(flags.json, `waiting ${ms / 1000} s, for servers that run to notice`)
    const work = { file: args.file, dryRun: flags['dry-run'], signal: this.io.interrupted(), onWait }
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.importStore({ ...source, ...told, ...work }),
    )
    if (report.secrets === 'needed') {
      const beside = report.folder === null ? '' : `, or its secrets.json in ${printable(report.folder)}`
      this.note(flags.json, `Keys stay sealed: serve it with the FISH_SECRET of where they come from${beside}.`)
    }
    const target = printable(report.folder ?? 'Redis')
    return this.print(flags.json, report, () =>
      report.dryRun ? `Would import into ${target}: ${holding(report)}.` : `${target}: ${holding(report)}`,
    )
  }
}
