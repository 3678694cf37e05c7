/**
 * Returns the backoff in milliseconds: `firstMs`, doubled with each failure up to `maxMs`, plus up to half of the
 * result as jitter. `random` is a number from 0 to 1.
 */
export function backoffMs(failures: number, random: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (1 + random / 2)
}
