/** Text that stands on one line and cannot steer a terminal, whatever an implementation sent. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}')
}
