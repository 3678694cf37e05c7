/** Milliseconds of a pause: `firstMs`, doubled with each failure up to `maxMs`. `random` lengthens it by up to half. */
export function backoffMs(failures: number, random: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (1 + random / 2)
}
