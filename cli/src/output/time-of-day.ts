/** A moment as a clock on the wall shows it. @example timeOfDay(Date.now()) // '12:00:01' */
export function timeOfDay(at: number): string {
  return new Date(at).toTimeString().slice(0, 8)
}
