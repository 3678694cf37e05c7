/** Whether a text starts with a date that exists. `Date.parse` accepts 2026-02-30 as a day in March. */
export function startsWithDate(text: string): boolean {
  const date = text.slice(0, 10)
  return new Date(date).toJSON()?.startsWith(date) ?? false
}
