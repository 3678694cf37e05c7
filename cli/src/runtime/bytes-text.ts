const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes as people read them, by thousands. @example bytesText(12_345_678) // '12 MB' */
export function bytesText(bytes: number): string {
  const power = Math.max(0, Math.min(Math.floor(Math.log10(Math.max(1, bytes)) / 3), UNITS.length - 1))
  const amount = bytes / 1000 ** power
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.floor(amount)} ${UNITS[power]}`
}
