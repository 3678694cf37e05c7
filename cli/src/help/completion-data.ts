/** One word that can stand where the cursor is. */
export interface Candidate {
  /** The whole word, also what is typed of it already. */
  readonly value: string
  readonly description?: string | undefined
}

/** What users named themselves, from their configuration. */
export interface OwnNames {
  readonly profiles: readonly Candidate[]
  /** The players of those profiles. */
  readonly users: readonly Candidate[]
}

/** What a value can be. All parts count together; with none it can be anything, and nothing is offered. */
export interface Values {
  readonly words?: readonly Candidate[] | undefined
  readonly own?: keyof OwnNames | undefined
  readonly paths?: 'files' | 'folders' | undefined
  /** Several words with commas between them. */
  readonly list?: boolean | undefined
  /** What it can be depends on the argument before it. */
  readonly byPrevious?: Readonly<Record<string, readonly Candidate[]>> | undefined
}

/** A flag of a command. */
export interface FlagData {
  readonly name: string
  readonly char?: string | undefined
  readonly summary?: string | undefined
  /** Present where it takes a value. */
  readonly values?: Values | undefined
  /** It may be given again. */
  readonly multiple?: boolean | undefined
}

/** An argument of a command. */
export interface ArgData {
  readonly values: Values
  /** All further arguments are of its kind. */
  readonly multiple?: boolean | undefined
}

/** What completion knows of a command. */
export interface CommandData {
  readonly summary?: string | undefined
  readonly flags: readonly FlagData[]
  readonly args: readonly ArgData[]
}

/** All that completion knows, made when the program is built (`describe.ts`), for an answer with none of it loaded. */
export interface CompletionData {
  /** By id; `:` stands for the space between words. */
  readonly commands: Readonly<Record<string, CommandData>>
  /** What begins commands of two words, and what they are about. */
  readonly topics: Readonly<Record<string, string>>
  /** What `help` shows besides those. */
  readonly pages: readonly Candidate[]
}

/** What can stand where the cursor is. */
export interface Answer {
  /** May hold more than what begins like the current word: shells choose in their own ways. */
  readonly candidates: readonly Candidate[]
  /** What the shell is to complete itself. */
  readonly paths?: 'files' | 'folders' | undefined
  /** How many characters of the current word stand before that path, such as `--file=`. */
  readonly skip: number
  /** A comma may follow, so no space is put behind it. */
  readonly open?: boolean | undefined
}
