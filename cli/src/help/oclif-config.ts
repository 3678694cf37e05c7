import { Config, Plugin } from '@oclif/core/config'
import { topics } from '../commands/index.ts'
import { PACKAGE_ROOT, readManifest } from '../package.ts'

/** oclif's configuration with these commands in it. oclif would import all of them, by path, from the built package. */
export async function openConfig(commands: Readonly<Record<string, object>>): Promise<Config> {
  const manifest = readManifest()
  const pjson = { ...manifest, oclif: { ...manifest.oclif, topics: topics() } }
  const root = PACKAGE_ROOT
  const plugin = new Plugin({ root, pjson, isRoot: true, ignoreManifest: true })
  // Where oclif keeps what its explicit strategy has imported.
  Reflect.set(plugin, 'commandCache', commands)
  await plugin.load()
  return Config.load({ root, pjson, plugins: new Map([[plugin.name, plugin]]) })
}
