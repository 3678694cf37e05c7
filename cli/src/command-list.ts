import type { Config } from '@oclif/core'
import type { FishCommand } from './fish-command.ts'

/** The class of a command. */
export type CommandClass = new (argv: string[], config: Config) => FishCommand

/**
 * Every command by its id (`:` stands for the space between words). Each is loaded when it is run, so that none pays
 * for another: `serve` brings the whole server.
 */
const LOADERS: Readonly<Record<string, () => Promise<CommandClass>>> = {
  add: async () => (await import('./commands/add.ts')).Add,
  backup: async () => (await import('./commands/backup.ts')).Backup,
  demo: async () => (await import('./commands/demo.ts')).Demo,
  export: async () => (await import('./commands/export.ts')).Export,
  import: async () => (await import('./commands/import.ts')).Import,
  key: async () => (await import('./commands/key.ts')).Key,
  list: async () => (await import('./commands/list.ts')).List,
  reseal: async () => (await import('./commands/reseal.ts')).Reseal,
  restore: async () => (await import('./commands/restore.ts')).Restore,
  serve: async () => (await import('./commands/serve.ts')).Serve,
  status: async () => (await import('./commands/status.ts')).Status,
  'user:create': async () => (await import('./commands/user/create.ts')).UserCreate,
}

/** Loads commands, all unless told which. */
export async function loadCommands(
  ids: readonly string[] = Object.keys(LOADERS),
): Promise<Record<string, CommandClass>> {
  const loaded = ids.map(async (id) => [id, await LOADERS[id]?.()] as const)
  const known = (await Promise.all(loaded)).filter((pair): pair is [string, CommandClass] => pair[1] !== undefined)
  return Object.fromEntries(known)
}

/** The command that an argument list begins with, and what is left for it. */
export function findCommand(
  argv: readonly string[],
): { readonly id: string; readonly rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const id = argv.slice(0, words).join(':')
    if (argv.length >= words && Object.hasOwn(LOADERS, id)) return { id, rest: argv.slice(words) }
  }
  return undefined
}
