import type { Command, CommandList } from '../kit/define.ts'
import { readManifest } from '../package.ts'

type Loaders = Readonly<Record<string, () => Promise<Command>>>

/**
 * Commands by id (`:` for the space between words), in display order. Commands load on demand, because `serve` loads
 * the whole server.
 */
const GROUPS: Readonly<Record<string, Loaders>> = {
  players: {
    app: async () => (await import('../commands/app/app.ts')).appCommand,
    demo: async () => (await import('../commands/list/demo.ts')).demoCommand,
    login: async () => (await import('../commands/account/login.ts')).loginCommand,
    add: async () => (await import('../commands/add/add.ts')).addCommand,
    list: async () => (await import('../commands/list/list.ts')).listCommand,
    stats: async () => (await import('../commands/list/stats.ts')).statsCommand,
    watch: async () => (await import('../commands/watch/watch.ts')).watchCommand,
    undo: async () => (await import('../commands/records/undo.ts')).undoCommand,
    remove: async () => (await import('../commands/records/remove.ts')).removeCommand,
    move: async () => (await import('../commands/records/move.ts')).moveCommand,
    outbox: async () => (await import('../commands/add/outbox.ts')).outboxCommand,
    open: async () => (await import('../commands/list/open.ts')).openCommand,
    whoami: async () => (await import('../commands/account/whoami.ts')).whoamiCommand,
    password: async () => (await import('../commands/account/password.ts')).passwordCommand,
    'account:rename': async () => (await import('../commands/account/own-account.ts')).accountRenameCommand,
    'account:visibility': async () => (await import('../commands/account/own-account.ts')).accountVisibilityCommand,
    'account:delete': async () => (await import('../commands/account/own-account.ts')).accountDeleteCommand,
    logout: async () => (await import('../commands/account/logout.ts')).logoutCommand,
  },
  everybody: {
    status: async () => (await import('../commands/service/status.ts')).statusCommand,
    leaderboard: async () => (await import('../commands/list/leaderboard.ts')).leaderboardCommand,
    doctor: async () => (await import('../commands/tester/doctor.ts')).doctorCommand,
    config: async () => (await import('../commands/account/config.ts')).configCommand,
    profile: async () => (await import('../commands/account/profile.ts')).profileCommand,
    completion: async () => (await import('../commands/account/completion.ts')).completionCommand,
    licences: async () => (await import('../commands/service/licences.ts')).licencesCommand,
  },
  administrators: {
    key: async () => (await import('../commands/account/key.ts')).keyCommand,
    'user:create': async () => (await import('../commands/user/create.ts')).userCreateCommand,
    'user:delete': async () => (await import('../commands/user/delete.ts')).userDeleteCommand,
    'user:list': async () => (await import('../commands/user/list.ts')).userListCommand,
    'user:login-link': async () => (await import('../commands/user/login-link.ts')).userLoginLinkCommand,
    'user:rename': async () => (await import('../commands/user/rename.ts')).userRenameCommand,
    'user:reset': async () => (await import('../commands/user/reset.ts')).userResetCommand,
    'user:show': async () => (await import('../commands/user/show.ts')).userShowCommand,
    'user:suspend': async () => (await import('../commands/user/suspend.ts')).userSuspendCommand,
    'user:unsuspend': async () => (await import('../commands/user/suspend.ts')).userUnsuspendCommand,
    'invitation:create': async () => (await import('../commands/invitation/create.ts')).invitationCreateCommand,
    'invitation:end': async () => (await import('../commands/invitation/end.ts')).invitationEndCommand,
    'invitation:list': async () => (await import('../commands/invitation/list.ts')).invitationListCommand,
    'admin:create': async () => (await import('../commands/admin/create.ts')).adminCreateCommand,
    'admin:delete': async () => (await import('../commands/admin/delete.ts')).adminDeleteCommand,
    'admin:list': async () => (await import('../commands/admin/list.ts')).adminListCommand,
    'admin:reset-password': async () => (await import('../commands/admin/reset-password.ts')).adminResetPasswordCommand,
    export: async () => (await import('../commands/admin/export.ts')).exportCommand,
    audit: async () => (await import('../commands/admin/audit.ts')).auditCommand,
  },
  operators: {
    serve: async () => (await import('../commands/service/serve.ts')).serveCommand,
    backup: async () => (await import('../commands/service/backup.ts')).backupCommand,
    restore: async () => (await import('../commands/service/restore.ts')).restoreCommand,
    copy: async () => (await import('../commands/service/copy.ts')).copyCommand,
    migrate: async () => (await import('../commands/service/migrate.ts')).migrateCommand,
    'rotate-secret': async () => (await import('../commands/service/rotate-secret.ts')).rotateSecretCommand,
    mock: async () => (await import('../commands/tester/mock.ts')).mockCommand,
    conformance: async () => (await import('../commands/tester/conformance.ts')).conformanceCommand,
  },
}

const LOADERS: Loaders = Object.assign({}, ...Object.values(GROUPS))

/** The manifest contains the descriptions of the topics, because oclif reads them there. */
function topicsOf({ oclif }: ReturnType<typeof readManifest>): CommandList['topics'] {
  const topics = Object.entries(oclif.topics ?? {})
  return Object.fromEntries(topics.map(([name, { description = '' }]) => [name, description]))
}

function loaderOf(id: string): () => Promise<Command> {
  const load = LOADERS[id]
  if (!load) throw new Error(`No command ${id}.`)
  return load
}

export const COMMANDS: CommandList = {
  groups: Object.entries(GROUPS).map(([name, commands]) => ({ name, ids: Object.keys(commands) })),
  get topics() {
    return topicsOf(readManifest())
  },
  ids: Object.keys(LOADERS),

  async load(ids = Object.keys(LOADERS)) {
    return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await loaderOf(id)()] as const)))
  },

  find(argv) {
    for (const words of [2, 1]) {
      const id = argv.slice(0, words).join(':')
      if (argv.length >= words && Object.hasOwn(LOADERS, id)) return { id, rest: argv.slice(words) }
    }
    return undefined
  },

  isTopic: (word) => !Object.hasOwn(LOADERS, word) && Object.hasOwn(COMMANDS.topics, word),
}
