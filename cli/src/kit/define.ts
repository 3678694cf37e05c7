import type { Interfaces } from '@oclif/core'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Role } from '../core/system.ts'
import type { Session, SessionFlags } from '../session/session.ts'
import type { Terminal, TerminalFlags } from '../terminal/terminal.ts'

export { Args, Flags }

export interface Candidate {
  readonly value: string
  readonly description?: string | undefined
}

/** Values that shells offer for a flag or an argument. Shells offer the values of all fields together. */
export interface Values {
  readonly words?: readonly Candidate[] | undefined
  readonly local?: 'profiles' | 'users' | 'gamemodes' | undefined
  readonly paths?: 'files' | 'folders' | undefined
}

/** A function is called when the build writes the completion data. */
export type Completion = Readonly<Record<string, Values | (() => Promise<Values>)>>

export function words(values: readonly string[]): Values {
  return { words: values.map((value) => ({ value })) }
}

/** Flags that the session and the terminal read, of any command that has these flags. */
type SharedFlags = SessionFlags & TerminalFlags

export interface CommandInput<F = SharedFlags, A = object> {
  readonly flags: F & { readonly json?: boolean | undefined }
  readonly args: A
}

/** A parsed command line, with the session and the terminal of its command. */
// biome-ignore lint/suspicious/noExplicitAny: functions that serve several commands take any of them
export interface Run<F = any, A = any> extends CommandInput<F, A> {
  readonly session: Session
  readonly terminal: Terminal
}

/** A command: its data for help, completion and the reference, and its action. */
// biome-ignore lint/suspicious/noExplicitAny: the list of commands holds commands of all flags and arguments
export interface Command<F extends object = any, A extends object = any> {
  readonly summary: string
  readonly description?: string
  readonly examples: readonly (string | { readonly description: string; readonly command: string })[]
  readonly args: Interfaces.ArgInput<A>
  readonly flags: Interfaces.FlagInput<F>
  /** Values by the name of the flag or argument. Shared flags need no entry. */
  readonly completion: Completion
  role(input: CommandInput<F, A>): Role
  /** Returns the exit status. */
  run(run: Run<F, A>): Promise<number>
}

/** All commands, by id (`:` for the space between words). */
export interface CommandList {
  /** The groups of commands, in display order. */
  readonly groups: readonly { readonly name: string; readonly ids: readonly string[] }[]
  /** Descriptions of the topics, which are the first words of two-word commands. */
  readonly topics: Readonly<Record<string, string>>
  readonly ids: readonly string[]
  /** Loads these commands. @default all */
  load(ids?: readonly string[]): Promise<Readonly<Record<string, Command>>>
  /** Finds the command that a command line begins with. */
  find(argv: readonly string[]): { readonly id: string; readonly rest: readonly string[] } | undefined
  /** Whether a word is a topic and not a command. */
  isTopic(word: string): boolean
}

type FlagValues<F> = F extends Interfaces.FlagInput<infer Values> ? Values : never
type ArgValues<A> = A extends Interfaces.ArgInput<infer Values> ? Values : never

interface CommandDefinition<F, A, V extends object = FlagValues<F>, W extends object = ArgValues<A>>
  extends Omit<Command<V, W>, 'args' | 'flags' | 'completion' | 'role'> {
  readonly args?: A
  readonly flags?: F
  readonly completion?: Completion
  /** @default 'player' */
  readonly role?: Role | ((input: CommandInput<V, W>) => Role)
}

/**
 * Flags of every command. `fish-cli help flags` explains the flags of the group GLOBAL, and the help of a command only
 * names these flags. `--no-color` is read before a command is loaded, because help and errors have colours too.
 */
export const globalFlags = {
  json: Flags.boolean({ summary: 'Print one JSON document, for errors too.', helpGroup: 'GLOBAL' }),
  'no-color': Flags.boolean({ summary: 'Use no colours (NO_COLOR).', helpGroup: 'GLOBAL' }),
}

export function defineCommand<
  F extends Readonly<Record<string, object>> = Record<never, never>,
  A extends Readonly<Record<string, object>> = Record<never, never>,
>(definition: CommandDefinition<F, A>): Command {
  const { args, flags, role = 'player' } = definition
  return {
    completion: {},
    ...definition,
    // Commands read stdin themselves, because oclif would take a missing argument from stdin.
    args: Object.fromEntries(
      Object.entries(args ?? {}).map(([name, arg]) => [name, { ...arg, ignoreStdin: true }]),
    ) as Interfaces.ArgInput,
    flags: (flags ?? {}) as Interfaces.FlagInput,
    role: typeof role === 'function' ? role : () => role,
  }
}
