/** How far a piece of maintenance has come with what it is doing now. */
export interface MaintenanceProgress {
  /**
   * - `check`: reads what is there for mistakes, before anything is made of it, or after
   * - `copy`: copies a store
   * - `write`: writes an export, or the content of one into a storage
   * - `reseal`: looks at sealed keys
   */
  readonly step: 'check' | 'copy' | 'write' | 'reseal'
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
   * Called at the beginning of each step and many times during most of them; whoever shows it chooses how often. What
   * SQLite does in one go, the check and the copy of a store, is told when it begins and when it ends. Should not throw.
   */
  readonly onProgress?: (progress: MaintenanceProgress) => void
}
