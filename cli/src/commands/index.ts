import type { Config } from '@oclif/core'
import type { FishCommand } from '../runtime/fish-command.ts'

/** The class of a command. */
export type CommandClass = new (argv: string[], config: Config) => FishCommand

/**
 * Every command by its id (`:` stands for the space between words). Each is loaded when it is run, so that none pays
 * for another: `serve` brings the whole server.
 */
const LOADERS: Readonly<Record<string, () => Promise<CommandClass>>> = {
  add: async () => (await import('./add.ts')).Add,
  'admin:create': async () => (await import('./admin/create.ts')).AdminCreate,
  'admin:delete': async () => (await import('./admin/delete.ts')).AdminDelete,
  'admin:list': async () => (await import('./admin/list.ts')).AdminList,
  'admin:reset-password': async () => (await import('./admin/reset-password.ts')).AdminResetPassword,
  audit: async () => (await import('./audit.ts')).Audit,
  backup: async () => (await import('./backup.ts')).Backup,
  completion: async () => (await import('./completion.ts')).Completion,
  'config:get': async () => (await import('./config/get.ts')).ConfigGet,
  'config:list': async () => (await import('./config/list.ts')).ConfigList,
  'config:path': async () => (await import('./config/path.ts')).ConfigPath,
  'config:set': async () => (await import('./config/set.ts')).ConfigSet,
  'config:unset': async () => (await import('./config/unset.ts')).ConfigUnset,
  conformance: async () => (await import('./conformance.ts')).Conformance,
  demo: async () => (await import('./demo.ts')).Demo,
  doctor: async () => (await import('./doctor.ts')).Doctor,
  export: async () => (await import('./export.ts')).Export,
  import: async () => (await import('./import.ts')).Import,
  key: async () => (await import('./key.ts')).Key,
  'key:get': async () => (await import('./key/get.ts')).KeyGet,
  'key:rotate': async () => (await import('./key/rotate.ts')).KeyRotate,
  leaderboard: async () => (await import('./leaderboard.ts')).Leaderboard,
  list: async () => (await import('./list.ts')).List,
  login: async () => (await import('./login.ts')).Login,
  logout: async () => (await import('./logout.ts')).Logout,
  mock: async () => (await import('./mock.ts')).MockCommand,
  'outbox:cancel': async () => (await import('./outbox/cancel.ts')).OutboxCancel,
  'outbox:drop': async () => (await import('./outbox/drop.ts')).OutboxDrop,
  'outbox:flush': async () => (await import('./outbox/flush.ts')).OutboxFlush,
  'outbox:retry': async () => (await import('./outbox/retry.ts')).OutboxRetry,
  'outbox:status': async () => (await import('./outbox/status.ts')).OutboxStatusCommand,
  'profile:add': async () => (await import('./profile/add.ts')).ProfileAdd,
  'profile:list': async () => (await import('./profile/list.ts')).ProfileList,
  'profile:remove': async () => (await import('./profile/remove.ts')).ProfileRemove,
  'profile:use': async () => (await import('./profile/use.ts')).ProfileUse,
  reseal: async () => (await import('./reseal.ts')).Reseal,
  restore: async () => (await import('./restore.ts')).Restore,
  serve: async () => (await import('./serve.ts')).Serve,
  stats: async () => (await import('./stats.ts')).Stats,
  status: async () => (await import('./status.ts')).Status,
  'user:create': async () => (await import('./user/create.ts')).UserCreate,
  'user:delete': async () => (await import('./user/delete.ts')).UserDelete,
  'user:list': async () => (await import('./user/list.ts')).UserList,
  'user:reset': async () => (await import('./user/reset.ts')).UserReset,
  'user:show': async () => (await import('./user/show.ts')).UserShow,
  watch: async () => (await import('./watch.ts')).Watch,
  whoami: async () => (await import('./whoami.ts')).Whoami,
}

// What begins commands of two words. Which of these there are follows from the list above.
const TOPIC_SUMMARIES: Readonly<Record<string, string>> = {
  admin: 'Administrators, for superadmins',
  config: 'Settings of fish-cli',
  key: 'Keys of players',
  outbox: 'Catches that wait to be sent',
  profile: 'Services, and who you are there',
  user: 'Players, for administrators',
}

/** The id of every command. */
export function commandIds(): readonly string[] {
  return Object.keys(LOADERS)
}

/** Every word that begins commands of two words, and what they are about. */
export function topics(): Readonly<Record<string, { readonly description: string }>> {
  const words = commandIds().flatMap((id) => (id.includes(':') ? [id.replace(/:.*/, '')] : []))
  return Object.fromEntries([...new Set(words)].map((word) => [word, { description: TOPIC_SUMMARIES[word] ?? '' }]))
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

/** Whether a word begins commands of two words and is none itself. */
export function isTopic(word: string): boolean {
  return !Object.hasOwn(LOADERS, word) && Object.hasOwn(topics(), word)
}
