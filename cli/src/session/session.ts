import type { Client, ClientOptions, Clock, RateLimitState } from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'
import type { Env, System } from '../core/system.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Config } from './profiles.ts'
import type { ProfileSecrets } from './secret-store.ts'
import type { Target, TargetFlags } from './target.ts'

export interface SessionFlags extends TargetFlags {
  readonly debug?: boolean | undefined
}

export interface PlayerOutboxOptions {
  readonly user: string
  readonly gamemode?: Gamemode | undefined
  /** How long the background delivery collects catches before it sends them, in milliseconds. */
  readonly delayMs?: ((state: RateLimitState | undefined, now: number) => number) | undefined
}

/**
 * The service, the player, the gamemode and the secrets of a command, from its flags, the environment, the profile and
 * the keyring. Each part is resolved once, when it is first used.
 */
export interface Session {
  readonly system: System
  readonly terminal: Terminal
  /** The words of the command line after the program. */
  readonly argv: readonly string[]
  readonly env: Env
  readonly clock: Clock
  /** Whether to log each request. */
  readonly isDebug: boolean
  /** Aborts at Ctrl-C. Until its first use, Ctrl-C ends the process. */
  readonly signal: AbortSignal
  /** @throws CliError when the configuration file is invalid */
  readonly config: Config
  /** @throws CliError `profile_not_found` */
  readonly target: Target
  /** The address of the service. */
  readonly url: string
  /**
   * The longest wait for the rate limit, in milliseconds.
   * @throws CliError `usage`
   */
  readonly maxWaitMs: number | undefined
  /** The file in which the catches for this service wait. */
  readonly outboxPath: string
  /**
   * Whether the flags, the environment or the profile name an administrator, or the environment contains an
   * administrator's password.
   */
  readonly isAdministrator: boolean
  /** Returns the session of the same command for another target. */
  at(target: Target): Session
  /**
   * Like {@link at}, with the target of other flags.
   * @param mayBeNew whether the profile may not exist yet
   */
  withFlags(flags: TargetFlags, mayBeNew?: boolean): Session
  /** @param how the hint of the error, such as `Add --user USER` @throws CliError `usage` */
  user(how?: string): string
  /** @throws CliError `usage` for an unknown or missing gamemode */
  gamemode(): Promise<Gamemode>
  /** @throws CliError `usage` for an unknown gamemode */
  optionalGamemode(): Promise<Gamemode | undefined>
  /**
   * The stored secrets for this service.
   * @param reread whether to read secrets that `login` has stored since
   */
  secrets(options?: { readonly reread: boolean }): Promise<ProfileSecrets | undefined>
  /**
   * Reads a secret from an environment variable, or from the file that `<variable>_FILE` names. Each file is read once,
   * because it may be a pipe.
   */
  secretFromEnv(variable: string): Promise<string | undefined>
  client(options?: ClientOptions): Promise<Client>
  /** @throws CliError `missing_credentials` without a password, a session and a prompt */
  admin(): Promise<AdminClient>
  /** Opens the outbox to send the catches of one player. */
  outbox(options: PlayerOutboxOptions): Promise<Outbox>
}
