import { Args } from '@oclif/core'
import { FishCommand } from '../base/fish-command.ts'
import { holding, maintainTold, storageFlag, storageSource } from '../maintenance/maintenance.ts'
import { printable } from '../output/printable.ts'

/** `fish-cli import` */
export class Import extends FishCommand {
  static override summary = 'Fill a new data folder, or an empty Redis, from an export.'
  static override description =
    'Every line is checked before the first is written. A file store takes its name once it is whole. A Redis is ' +
    'filled in place: no server takes it until it is whole, and after a failure it has to be emptied. A storage that ' +
    'holds anything is refused. Keys stay sealed: serve it with the FISH_SECRET, or the secrets.json, of where they come from.'
  static override examples = [
    '<%= config.bin %> import fish.jsonl --storage file:./data',
    {
      description: 'From a file store to Redis:',
      command: '<%= config.bin %> import fish.jsonl --storage redis://127.0.0.1',
    },
  ]
  static override args = {
    file: Args.string({ description: 'file that an export wrote', required: true, ignoreStdin: true }),
  }
  static override flags = { ...storageFlag }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(Import)
    const source = storageSource(this.io.env, flags)
    const onWait = (ms: number) => this.note(flags.json, `waiting ${ms / 1000} s, for servers that run to notice`)
    const signal = this.io.interrupted()
    const report = await maintainTold(this.io, flags, (server, told) =>
      server.importStore({ ...source, ...told, file: args.file, signal, onWait }),
    )
    if (report.secrets === 'needed') {
      const beside = report.folder === null ? '' : `, or its secrets.json in ${printable(report.folder)}`
      this.note(flags.json, `Keys stay sealed: serve it with the FISH_SECRET of where they come from${beside}.`)
    }
    return this.print(flags.json, report, () => `${printable(report.folder ?? 'Redis')}: ${holding(report)}`)
  }
}
