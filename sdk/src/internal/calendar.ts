/** Whether a text starts with a date that exists. `Date.parse` takes 2026-02-30 for a day in March. */
export function startsWithDate(text: string): boolean {
  const date = text.slice(0, 10)
  return new Date(date).toJSON()?.startsWith(date) ?? false
}
