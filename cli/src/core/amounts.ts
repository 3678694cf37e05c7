export function catchesText(count: number): string {
  return count === 1 ? '1 catch' : `${count} catches`
}

/** Returns a sentence such as `2 catches are waiting in the outbox.` */
export function waitingText(count: number, where = 'in the outbox'): string {
  return `${catchesText(count)} ${count === 1 ? 'is' : 'are'} waiting ${where}.`
}

export function recordsText(count: number): string {
  return count === 1 ? '1 record' : `${count} records`
}
