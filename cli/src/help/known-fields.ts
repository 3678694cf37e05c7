import { type CommandClass, loadCommands } from '../commands/index.ts'
import type { Context } from '../core/context.ts'
import type { Column } from '../output/columns.ts'
import { runningConfig } from '../runtime/running-config.ts'
import type { ArgData, FlagData } from './completion-data.ts'

class FieldsFound extends Error {
  readonly fields: readonly string[]

  constructor(columns: readonly Column<object>[]) {
    super()
    this.fields = columns.map(({ field }) => field)
  }
}

/**
 * The fields that a command can print. Commands look at `--fields` before they do anything, so each is run up to there:
 * with nothing in the world around it but a clock, typed as completion would have it.
 *
 * @returns None for a command that does not get there, since it wants more of the world first.
 */
export async function knownFields(
  id: string,
  { flags, args }: { readonly flags: readonly FlagData[]; readonly args: Readonly<Record<string, ArgData>> },
): Promise<readonly string[]> {
  const { [id]: Type } = await loadCommands([id])
  if (!Type) return []
  const command = openAlone(Type)
  const firstWord = ({ values }: ArgData | FlagData) => values?.words?.[0]?.value
  const typed = {
    flags: Object.fromEntries(flags.map((flag) => [flag.name, firstWord(flag)])),
    args: Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, firstWord(arg) ?? 'anything'])),
  }
  Reflect.set(command, 'parse', async () => typed)
  Reflect.set(command, 'checkOutput', (_: unknown, columns: readonly Column<object>[]) => {
    throw new FieldsFound(columns)
  })
  try {
    await command.run()
  } catch (error) {
    if (error instanceof FieldsFound) return error.fields
    return []
  }
  return []
}

function openAlone(Type: CommandClass) {
  const world = new Proxy({ clock: { now: () => 0 } } as unknown as Context, {
    get(target, key) {
      if (key in target) return Reflect.get(target, key)
      throw new Error(`There is no ${String(key)} in this world.`)
    },
  })
  return new Type([], runningConfig(world))
}
