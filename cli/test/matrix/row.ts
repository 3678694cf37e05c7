import type { RouteName } from '@fish-crab/sdk/contract'
import type { Env } from '../harness.ts'
import type { SecretName } from './canaries.ts'
import type { Setup } from './setups.ts'

/** What can befall a command, besides what is only its own. */
export type Outcome =
  | 'success'
  | 'bad flag'
  | '400'
  | '401'
  | '403'
  | '404'
  | '429'
  | '500'
  | '503'
  | 'no server'
  | 'an answer of another shape'
  | 'half an answer'
  | 'a page instead of an answer'

/** How a cell ends that ends otherwise than the rule says. */
export interface Exception {
  readonly exit: number
  /** The code of the failure. @default there is none: stdout holds what the command is there to print */
  readonly code?: string
  readonly why: string
}

/** A failure that only this command has. */
export interface OwnFailure {
  readonly title: string
  /** Instead of the arguments of the row. */
  readonly args?: readonly string[]
  readonly env?: Env
  readonly given?: readonly Setup[]
  readonly exit: number
  readonly code: string
}

/** One command line, and how it differs from the rule. `{home}`, `{url}`, `{record}`, `{nobody}` and `{busy}` stand for those of the run. */
export interface Row {
  /** The id of the command. */
  readonly id: string
  readonly args?: readonly string[]
  /** Every route that it requests when all is well, and no other. */
  readonly requests: readonly RouteName[]
  /** Why it sends none. */
  readonly silent?: string
  /** What is there before. */
  readonly given?: readonly Setup[]
  readonly env?: Env
  /** Arguments that spoil it, besides those that spoil every command. */
  readonly bad?: readonly string[]
  /** By outcome, or by route and outcome. */
  readonly expects?: Readonly<Partial<Record<Outcome | `${RouteName} ${Outcome}`, Exception>>>
  readonly fails?: readonly OwnFailure[]
  /** Secrets that it shows because it is asked to, and why. */
  readonly shows?: { readonly secrets: readonly (SecretName | 'new')[]; readonly why: string; readonly onStderr?: true }
  /**
   * `lines`: it prints one document a line as it goes, and a failure is the last one.
   * @default one document
   */
  readonly prints?: 'lines'
  /** Why the text has no hint: the message itself says what to do. */
  readonly hasNoHint?: string
  /** It runs until it is asked to stop, which happens once it is ready. Its log goes to stderr. */
  readonly runsOn?: boolean
}

/** Rows with what is typed for them, as titles of tests. */
export function titled(rows: readonly Row[]): readonly { readonly title: string; readonly row: Row }[] {
  return rows.map((row) => ({ title: [row.id.replaceAll(':', ' '), ...(row.args ?? [])].join(' '), row }))
}
