/**
 * Captured when this module loads, so that fake timers in a test never stop a queue. Platforms without `setImmediate`
 * use `setTimeout`, which is slower.
 */
const immediate =
  (globalThis as { readonly setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run: () => void) => setTimeout(run, 0))

/** Lets the platform handle other events first. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void immediate(resolve))
}

/** Number of rows that are processed in one step. A row has at most about 500 bytes. */
export const SLICE_ROWS = 200

export type Slices = <Row>(rows: Iterable<Row>) => AsyncGenerator<readonly Row[]>

/**
 * Creates a function that divides lists into slices, and lets the platform handle other events after every
 * {@link SLICE_ROWS} rows. All lists of one task share this number, so that many short lists do not become one long step.
 * After an abort, the next slice is not processed.
 */
export function createSlices(signal?: AbortSignal): Slices {
  let remaining = SLICE_ROWS
  return async function* slices<Row>(rows: Iterable<Row>) {
    let slice: Row[] = []
    for (const row of rows) {
      slice.push(row)
      remaining -= 1
      if (remaining > 0) continue
      yield slice
      slice = []
      await yieldToEvents()
      signal?.throwIfAborted()
      remaining = SLICE_ROWS
    }
    if (slice.length > 0) yield slice
  }
}
