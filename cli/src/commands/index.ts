import type { Command } from '../command/define.ts'

type Loaders = Readonly<Record<string, () => Promise<Command>>>

/** By id (`:` for the space between words), in display order. Loaded on demand: `serve` loads the whole server. */
const GROUPS: Readonly<Record<string, Loaders>> = {
  players: {
    demo: async () => (await import('./demo.ts')).demoCommand,
    login: async () => (await import('./login.ts')).loginCommand,
    add: async () => (await import('./add.ts')).addCommand,
    list: async () => (await import('./list.ts')).listCommand,
    watch: async () => (await import('./watch.ts')).watchCommand,
    stats: async () => (await import('./stats.ts')).statsCommand,
    status: async () => (await import('./status.ts')).statusCommand,
    'outbox:cancel': async () => (await import('./outbox/cancel.ts')).outboxCancelCommand,
    'outbox:drop': async () => (await import('./outbox/drop.ts')).outboxDropCommand,
    'outbox:flush': async () => (await import('./outbox/flush.ts')).outboxFlushCommand,
    'outbox:retry': async () => (await import('./outbox/retry.ts')).outboxRetryCommand,
    'outbox:status': async () => (await import('./outbox/status.ts')).outboxStatusCommand,
    whoami: async () => (await import('./whoami.ts')).whoamiCommand,
    doctor: async () => (await import('./doctor.ts')).doctorCommand,
    'profile:add': async () => (await import('./profile/add.ts')).profileAddCommand,
    'profile:list': async () => (await import('./profile/list.ts')).profileListCommand,
    'profile:remove': async () => (await import('./profile/remove.ts')).profileRemoveCommand,
    'profile:use': async () => (await import('./profile/use.ts')).profileUseCommand,
    'config:get': async () => (await import('./config/get.ts')).configGetCommand,
    'config:list': async () => (await import('./config/list.ts')).configListCommand,
    'config:path': async () => (await import('./config/path.ts')).configPathCommand,
    'config:set': async () => (await import('./config/set.ts')).configSetCommand,
    'config:unset': async () => (await import('./config/unset.ts')).configUnsetCommand,
    key: async () => (await import('./key/get.ts')).keyCommand,
    'key:get': async () => (await import('./key/get.ts')).keyGetCommand,
    logout: async () => (await import('./logout.ts')).logoutCommand,
    completion: async () => (await import('./completion.ts')).completionCommand,
  },
  administrators: {
    'user:create': async () => (await import('./user/create.ts')).userCreateCommand,
    'user:delete': async () => (await import('./user/delete.ts')).userDeleteCommand,
    'user:list': async () => (await import('./user/list.ts')).userListCommand,
    'user:reset': async () => (await import('./user/reset.ts')).userResetCommand,
    'user:show': async () => (await import('./user/show.ts')).userShowCommand,
    'admin:create': async () => (await import('./admin/create.ts')).adminCreateCommand,
    'admin:delete': async () => (await import('./admin/delete.ts')).adminDeleteCommand,
    'admin:list': async () => (await import('./admin/list.ts')).adminListCommand,
    'admin:reset-password': async () => (await import('./admin/reset-password.ts')).adminResetPasswordCommand,
    leaderboard: async () => (await import('./leaderboard.ts')).leaderboardCommand,
    audit: async () => (await import('./audit.ts')).auditCommand,
    'key:rotate': async () => (await import('./key/rotate.ts')).keyRotateCommand,
  },
  operators: {
    serve: async () => (await import('./serve.ts')).serveCommand,
    backup: async () => (await import('./backup.ts')).backupCommand,
    restore: async () => (await import('./restore.ts')).restoreCommand,
    export: async () => (await import('./export.ts')).exportCommand,
    import: async () => (await import('./import.ts')).importCommand,
    'rotate-secret': async () => (await import('./rotate-secret.ts')).rotateSecretCommand,
    mock: async () => (await import('./mock.ts')).mockCommand,
    conformance: async () => (await import('./conformance.ts')).conformanceCommand,
  },
}

const LOADERS: Loaders = Object.assign({}, ...Object.values(GROUPS))

export const COMMAND_GROUPS: readonly { readonly name: string; readonly ids: readonly string[] }[] = Object.entries(
  GROUPS,
).map(([name, commands]) => ({ name, ids: Object.keys(commands) }))

/** Former names, which still work. */
const ALIASES: Readonly<Record<string, string>> = { reseal: 'rotate-secret' }

export const TOPICS: Readonly<Record<string, string>> = {
  admin: 'Administrators, for superadmins',
  config: 'Settings of fish-cli',
  key: 'Keys of players',
  outbox: 'Catches waiting to be sent',
  profile: 'Services and your accounts there',
  user: 'Players, for administrators',
}

export function commandIds(): readonly string[] {
  return Object.keys(LOADERS)
}

export async function loadCommand(id: string): Promise<Command> {
  const load = LOADERS[id]
  if (!load) throw new Error(`No command ${id}.`)
  return load()
}

export async function loadCommands(ids = commandIds()): Promise<Readonly<Record<string, Command>>> {
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await loadCommand(id)] as const)))
}

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

export function isTopic(word: string): boolean {
  return !Object.hasOwn(LOADERS, word) && Object.hasOwn(TOPICS, word)
}
