import type { Interfaces } from '@oclif/core'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Target } from '../config/target.ts'
import type { Context, Notes, Role } from '../core/context.ts'
import type { Bar } from '../output/chart.ts'
import type { RowsOutput } from '../output/rows.ts'
import type { Screen } from '../output/screen.ts'

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

export interface CommandInput<F = Record<string, unknown>, A = Record<string, unknown>> {
  readonly flags: F & { readonly json?: boolean }
  readonly args: A
}

// biome-ignore lint/suspicious/noExplicitAny: functions that serve several commands take any of them
export interface CommandContext<F = any, A = any> extends Context, Notes, CommandInput<F, A> {
  readonly target: Target
  readonly screen: Screen
  /**
   * Prints the data with `--json`, otherwise the text. The text is wrapped to the terminal, unless `isVerbatim` is set
   * for text to copy.
   */
  print(data: unknown, render: () => string, options?: { readonly isVerbatim?: boolean }): number
  /** Prints rows. On a terminal, a long table is paged. */
  printRows<Row extends object>(output: RowsOutput<Row>): Promise<number>
  /**
   * Prints charts instead of a table, each with its own scale. Every other format prints the rows from which the charts
   * are drawn.
   */
  printChart<Row extends object>(
    output: RowsOutput<Row> & { readonly charts: readonly (readonly Bar[])[] },
  ): Promise<number>
  /** Prints a text that ends with a newline, paged when it is longer than the screen. */
  printLong(text: string): Promise<number>
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
  run(context: CommandContext<F, A>): Promise<number>
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
