import type { Command } from './define.ts'

/**
 * Every command by its id (`:` stands for the space between words). Each is loaded on demand: `serve` loads the whole
 * server.
 */
const LOADERS: Readonly<Record<string, () => Promise<Command>>> = {
  add: async () => (await import('./add.ts')).addCommand,
  'admin:create': async () => (await import('./admin/create.ts')).adminCreateCommand,
  'admin:delete': async () => (await import('./admin/delete.ts')).adminDeleteCommand,
  'admin:list': async () => (await import('./admin/list.ts')).adminListCommand,
  'admin:reset-password': async () => (await import('./admin/reset-password.ts')).adminResetPasswordCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
  'config:get': async () => (await import('./config/get.ts')).configGetCommand,
  'config:list': async () => (await import('./config/list.ts')).configListCommand,
  'config:path': async () => (await import('./config/path.ts')).configPathCommand,
  'config:set': async () => (await import('./config/set.ts')).configSetCommand,
  'config:unset': async () => (await import('./config/unset.ts')).configUnsetCommand,
  conformance: async () => (await import('./conformance.ts')).conformanceCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  key: async () => (await import('./key.ts')).keyCommand,
  'key:get': async () => (await import('./key/get.ts')).keyGetCommand,
  'key:rotate': async () => (await import('./key/rotate.ts')).keyRotateCommand,
  leaderboard: async () => (await import('./leaderboard.ts')).leaderboardCommand,
  list: async () => (await import('./list.ts')).listCommand,
  login: async () => (await import('./login.ts')).loginCommand,
  logout: async () => (await import('./logout.ts')).logoutCommand,
  mock: async () => (await import('./mock.ts')).mockCommand,
  'outbox:cancel': async () => (await import('./outbox/cancel.ts')).outboxCancelCommand,
  'outbox:drop': async () => (await import('./outbox/drop.ts')).outboxDropCommand,
  'outbox:flush': async () => (await import('./outbox/flush.ts')).outboxFlushCommand,
  'outbox:retry': async () => (await import('./outbox/retry.ts')).outboxRetryCommand,
  'outbox:status': async () => (await import('./outbox/status.ts')).outboxStatusCommand,
  'profile:add': async () => (await import('./profile/add.ts')).profileAddCommand,
  'profile:list': async () => (await import('./profile/list.ts')).profileListCommand,
  'profile:remove': async () => (await import('./profile/remove.ts')).profileRemoveCommand,
  'profile:use': async () => (await import('./profile/use.ts')).profileUseCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  'rotate-secret': async () => (await import('./rotate-secret.ts')).rotateSecretCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  stats: async () => (await import('./stats.ts')).statsCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  'user:create': async () => (await import('./user/create.ts')).userCreateCommand,
  'user:delete': async () => (await import('./user/delete.ts')).userDeleteCommand,
  'user:list': async () => (await import('./user/list.ts')).userListCommand,
  'user:reset': async () => (await import('./user/reset.ts')).userResetCommand,
  'user:show': async () => (await import('./user/show.ts')).userShowCommand,
  watch: async () => (await import('./watch.ts')).watchCommand,
  whoami: async () => (await import('./whoami.ts')).whoamiCommand,
}

/** Former names, which still work. */
const ALIASES: Readonly<Record<string, string>> = { reseal: 'rotate-secret' }

const TOPIC_SUMMARIES: Readonly<Record<string, string>> = {
  admin: 'Administrators, for superadmins',
  config: 'Settings of fish-cli',
  key: 'Keys of players',
  outbox: 'Catches waiting to be sent',
  profile: 'Services and your accounts there',
  user: 'Players, for administrators',
}

/** The id of every command. */
export function commandIds(): readonly string[] {
  return Object.keys(LOADERS)
}

/** The topics: first words of commands of two words. */
export function topics(): Readonly<Record<string, { readonly description: string }>> {
  const words = commandIds().flatMap((id) => (id.includes(':') ? [id.replace(/:.*/, '')] : []))
  return Object.fromEntries([...new Set(words)].map((word) => [word, { description: TOPIC_SUMMARIES[word] ?? '' }]))
}

/** Loads one command. */
export async function loadCommand(id: string): Promise<Command> {
  const load = LOADERS[id]
  if (!load) throw new Error(`No command ${id}.`)
  return load()
}

/** Loads commands by id. @default all of them */
export async function loadCommands(ids = commandIds()): Promise<Readonly<Record<string, Command>>> {
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await loadCommand(id)] as const)))
}

/** The command that an argument list begins with, and what is left for it. */
export function findCommand(
  argv: readonly string[],
): { readonly id: string; readonly rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(':')
    const id = ALIASES[name] ?? name
    if (argv.length >= words && Object.hasOwn(LOADERS, id)) return { id, rest: argv.slice(words) }
  }
  return undefined
}

/** Whether a word is a topic and not a command itself. */
export function isTopic(word: string): boolean {
  return !Object.hasOwn(LOADERS, word) && Object.hasOwn(topics(), word)
}

/** A group of users, and the first words of their commands in display order. */
export interface Audience {
  readonly name: string
  readonly words: readonly string[]
  /** Commands whose first word belongs to another audience. */
  readonly ids?: readonly string[]
}

/** Help, the reference page and the man page show commands in this order. */
export const AUDIENCES = [
  {
    name: 'players',
    words: [
      'demo',
      'login',
      'add',
      'list',
      'watch',
      'stats',
      'status',
      'outbox',
      'whoami',
      'doctor',
      'profile',
      'config',
      'key',
      'logout',
      'completion',
    ],
  },
  { name: 'administrators', words: ['user', 'admin', 'leaderboard', 'audit'], ids: ['key:rotate'] },
  {
    name: 'operators',
    words: ['serve', 'backup', 'restore', 'export', 'import', 'rotate-secret', 'mock', 'conformance'],
  },
] as const satisfies readonly Audience[]

/** The commands of an audience, in the order of its words. */
export function commandsOf({ words, ids = [] }: Audience, all: readonly string[]): readonly string[] {
  const others: readonly string[] = AUDIENCES.flatMap((audience) => ('ids' in audience ? audience.ids : []))
  const own = words.flatMap((word) =>
    all.filter((id) => (id === word || id.startsWith(`${word}:`)) && !others.includes(id)),
  )
  return [...own, ...all.filter((id) => ids.includes(id))]
}
