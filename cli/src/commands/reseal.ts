import { Flags } from '@oclif/core'
import { EXIT } from '../exit.ts'
import { FishCommand } from '../fish-command.ts'
import { maintain, storageFlag, storageSource } from '../maintenance.ts'

/** `fish-cli reseal` */
export class Reseal extends FishCommand {
  static override summary = 'Seal all keys anew under the first secret.'
  static override description =
    'Takes FISH_SECRET to seal and FISH_SECRET_PREVIOUS to open. A file store whose secret is kept beside the data ' +
    'uses that one where FISH_SECRET is not set. A file store must not be served meanwhile; Redis may be, once every ' +
    'server seals under the new secret. Interrupted, it is simply run again.'
  static override examples = [
    {
      description: 'A new secret beside the data, in place of the one that was made before:',
      command: '<%= config.bin %> reseal --new --storage file:./data',
    },
    {
      description: 'Redis, with FISH_SECRET, FISH_SECRET_PREVIOUS and FISH_STORAGE set:',
      command: '<%= config.bin %> reseal',
    },
  ]
  static override flags = {
    new: Flags.boolean({ summary: 'Make a new secret beside the data first.' }),
    ...storageFlag,
  }

  async run(): Promise<number> {
    const { flags } = await this.parse(Reseal)
    const source = storageSource(this.io.env, flags)
    const signal = this.io.interrupted()
    const report = await maintain((server) =>
      server.resealStore({
        ...source,
        makeNew: flags.new,
        signal,
        onProgress: ({ seen, resealed }) => this.note(flags.json, `${seen} keys seen, ${resealed} sealed anew`),
      }),
    )
    const { seen, resealed, unopened } = report
    const status = this.print(flags.json, { keys: seen, resealed, unopened }, () =>
      unopened.length === 0
        ? `All ${seen} keys are sealed under the first secret, ${resealed} of them anew. The others are no longer needed.`
        : `${seen - unopened.length} of ${seen} keys are sealed under the first secret.`,
    )
    if (unopened.length === 0) return status
    this.note(flags.json, `No secret opens the keys of these user ids: ${unopened.join(', ')}.`)
    this.note(flags.json, 'Reset or delete these users, then run it again. Until then, keep the other secrets.')
    return EXIT.partly
  }
}
