/** What SQLite does with what it is told, as it answers the pragmas `journal_mode` and `synchronous`. */
export interface FilePragmas {
  readonly journalMode: string
  /** 0 to 3: OFF, NORMAL, FULL, EXTRA. */
  readonly synchronous: number
}

/** What an acknowledgement means, and what the operator should know. */
export interface FileDurability {
  readonly durability: string
  readonly warnings: readonly string[]
}

const NORMAL = 1
/**
 * The journals that survive a killed process, and from which `synchronous` on they survive a power loss
 * (https://sqlite.org/pragma.html#pragma_synchronous).
 */
const FLUSHED_FROM: Readonly<Record<string, number>> = { wal: 2, delete: 3, truncate: 3, persist: 2 }

/**
 * Says in words what a database keeps.
 *
 * @example
 * describeDurability({ journalMode: 'wal', synchronous: 2 }).warnings // []
 */
export function describeDurability({ journalMode, synchronous }: FilePragmas): FileDurability {
  const flushedFrom = FLUSHED_FROM[journalMode]
  if (flushedFrom !== undefined && synchronous >= flushedFrom) {
    return {
      durability: 'Every acknowledged write is on disk: it survives a killed process and a power loss.',
      warnings: [],
    }
  }
  const loss =
    flushedFrom === undefined
      ? 'a killed process can damage the store'
      : synchronous < NORMAL
        ? 'a power loss can damage the store'
        : 'a power loss can take the last acknowledged writes'
  const found = `SQLite runs with synchronous = ${synchronous} and journal_mode = ${journalMode} in this folder`
  return {
    durability:
      flushedFrom === undefined
        ? 'Acknowledged writes are in the file, but a killed process can damage the store.'
        : `An acknowledged write survives a killed process, but ${loss}.`,
    warnings: [`Beware, ${loss}: ${found}. Put the data on another file system.`],
  }
}
