import type { Config } from '@oclif/core'
import type { Context } from '../core/context.ts'

/** What running a command needs of oclif's configuration: the whole of it, which help needs, takes long to open. */
export function runningConfig(io: Context): Config {
  const config = {
    bin: 'fish-cli',
    options: { io },
    runHook: async () => ({ successes: [], failures: [] }),
  }
  return config as unknown as Config
}

/** The surroundings that a configuration was made with; `undefined` when oclif opened it by itself. */
export function ioOf(config: Config): Context | undefined {
  return (config.options as { readonly io?: Context }).io
}
