import { Config, type Interfaces, Plugin } from '@oclif/core'
import type { Io } from './io.ts'
import { PACKAGE_ROOT, readManifest } from './package.ts'

interface OptionsWithIo extends Interfaces.Options {
  readonly io: Io
}

/** oclif's configuration with these commands in it. oclif would import all of them, by path, from the built package. */
export async function openConfig(commands: Readonly<Record<string, object>>, io: Io): Promise<Config> {
  const pjson = readManifest()
  const root = PACKAGE_ROOT
  const plugin = new Plugin({ root, pjson, isRoot: true, ignoreManifest: true })
  // Where oclif keeps what its explicit strategy has imported.
  Reflect.set(plugin, 'commandCache', commands)
  await plugin.load()
  const options: OptionsWithIo = { root, pjson, plugins: new Map([[plugin.name, plugin]]), io }
  return Config.load(options)
}

/** The surroundings that a configuration was opened with; `undefined` when oclif opened it by itself. */
export function ioOf(config: Config): Io | undefined {
  return (config.options as Partial<OptionsWithIo>).io
}
