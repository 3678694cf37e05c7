import { usageError } from '../core/errors.ts'
import type { System } from '../core/system.ts'
import { clockOf } from '../core/time.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { secretFromEnv } from './credentials.ts'
import { gamemodeOf, requireGamemode } from './gamemodes.ts'
import { outboxPath } from './paths.ts'
import { readConfig } from './profiles.ts'
import { readSecrets } from './secrets.ts'
import type { Session, SessionFlags } from './session.ts'
import { maxWaitOf, resolveTarget, type Target, type TargetFlags } from './target.ts'

interface Command {
  readonly argv: readonly string[]
  readonly flags: SessionFlags
}

export function createSession(system: System, terminal: Terminal, { argv, flags }: Command): Session {
  const { env } = system
  const config = lazy(() => readConfig(system))
  const signal = lazy(() => system.interrupted())
  const fromEnv = new Map<string, Promise<string | undefined>>()
  const resolve = (named: TargetFlags, mayBeNew = false) =>
    sessionAt(() => resolveTarget({ env, config: config() }, named, mayBeNew))

  function sessionAt(targetOf: () => Target): Session {
    const target = lazy(targetOf)
    const read = () => readSecrets(system, target())
    let secrets: ReturnType<typeof read> | undefined
    const session: Session = {
      system,
      terminal,
      argv,
      env,
      clock: clockOf(system),
      isDebug: flags.debug === true,
      get signal() {
        return signal()
      },
      get config() {
        return config()
      },
      get target() {
        return target()
      },
      get url() {
        return target().url.value
      },
      get maxWaitMs() {
        return maxWaitOf(target())
      },
      get outboxPath() {
        return outboxPath(system, session.url)
      },
      get isAdministrator() {
        return target().admin !== undefined || Boolean(env.FISH_ADMIN_PASSWORD || env.FISH_ADMIN_PASSWORD_FILE)
      },
      at: (other) => sessionAt(() => other),
      withFlags: resolve,
      user(how = 'Add --user USER') {
        const { user } = target()
        if (!user?.value) throw usageError('The player name is missing.', `${how}, or log in: fish-cli login`)
        return user.value
      },
      gamemode: () => requireGamemode(session),
      optionalGamemode: () => gamemodeOf(session),
      secrets({ reread } = { reread: false }) {
        if (reread || secrets === undefined) secrets = read()
        return secrets
      },
      secretFromEnv(variable) {
        const reading = fromEnv.get(variable) ?? secretFromEnv(env, variable)
        fromEnv.set(variable, reading)
        return reading
      },
      client: async (options) => (await import('./client.ts')).openClient(session, options),
      admin: async () => (await import('./admin.ts')).openAdminClient(session),
      outbox: async (options) => (await import('./outbox.ts')).openPlayerOutbox(session, options),
    }
    return session
  }

  return resolve(flags)
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
