/**
 * Text that cannot steer a terminal, whatever a server sent: without controls, ends of lines, and what turns the
 * direction of writing.
 */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
}

/** A value as JSON that cannot steer a terminal, and that reads back as the same value. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent)
  // JSON leaves these as they are, and all of them can only stand inside strings.
  return text.replace(/[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
