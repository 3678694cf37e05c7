/** How far a piece of maintenance has come with what it is doing now. */
export interface MaintenanceProgress {
  /**
   * - `check`: reads what is there for mistakes, before anything is made of it, or after
   * - `copy`: copies a store
   * - `write`: writes an export, or the content of one into a storage
   * - `rotate`: encrypts keys with the new secret
   */
  readonly step: 'check' | 'copy' | 'write' | 'rotate'
  /** What is counted. */
  readonly unit: 'bytes' | 'lines' | 'keys'
  /** How many are done. */
  readonly done: number
  /** How many there are; left out where nobody knows. */
  readonly total?: number
}

/** What maintenance that takes long may be given to tell how far it is. */
export interface ProgressOptions {
  /**
   * Called at the beginning of each step, at its end and many times in between; whoever shows it chooses how often. Of
   * the check of a store, which SQLite does in one go, only beginning and end are told. Should not throw.
   */
  readonly onProgress?: (progress: MaintenanceProgress) => void
}

/** What work on a whole store is given. */
export interface WorkOptions extends ProgressOptions {
  /**
   * Ends it, with what `MaintenanceError` calls `interrupted`; its message says what stands where. Of a folder or a file
   * that was begun, nothing is left. A Redis keeps what was written, and so does a stream; what was sealed anew stays so.
   */
  readonly signal?: AbortSignal
}

/** What every piece of maintenance may be given. */
export interface MaintenanceOptions extends WorkOptions {
  /**
   * Check all that is checked before anything is written, be refused where the work itself would be refused, and
   * report what it would do: no file, folder, key of Redis or lock is left of it. What only writing finds out, such as
   * a full disk, it cannot tell. @default false
   */
  readonly dryRun?: boolean
}

/** Marks the report of a dry run. */
export interface DryRunMark {
  /** `true`: nothing of it was done. Left out where it was. */
  readonly dryRun?: true
}

/** The mark that a report gets. */
export function dryRunMark(dryRun: boolean): DryRunMark {
  return dryRun ? { dryRun } : {}
}

/** The options of the work, for those that do a part of it: none is there that was not given. */
export function workOf({ onProgress, signal }: { [Name in keyof WorkOptions]: WorkOptions[Name] | undefined }) {
  return { ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) } satisfies WorkOptions
}
