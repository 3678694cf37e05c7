/**
 * So many catches, in words.
 * @example catchesText(1) // '1 catch'
 */
export function catchesText(count: number): string {
  return count === 1 ? '1 catch' : `${count} catches`
}

/**
 * Where catches are that were not sent, as a sentence.
 * @example queuedText(2) // '2 catches are queued, and kept on this machine.'
 */
export function queuedText(count: number): string {
  return `${catchesText(count)} ${count === 1 ? 'is' : 'are'} queued, and kept on this machine.`
}
