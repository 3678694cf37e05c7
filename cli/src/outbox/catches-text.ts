/**
 * So many catches, in words.
 * @example catchesText(1) // '1 catch'
 */
export function catchesText(count: number): string {
  return count === 1 ? '1 catch' : `${count} catches`
}
