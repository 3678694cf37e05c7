import type { AppCatch, AppDay, AppState } from './api-types.ts'

/** Whether the player has to log in before catches can be sent. */
export function needsLogin({ account, problem }: AppState): boolean {
  return account === null || problem?.needsLogin === true
}

/** Returns the figures of the current day. After midnight, the app still has the figures of the day of the last catch. */
export function figuresOf(day: AppDay, now: Date): Pick<AppDay, 'fish' | 'crabs' | 'best'> {
  return day.date === now.toLocaleDateString('sv') ? day : { fish: 0, crabs: 0, best: null }
}

/** Returns one key for each catch, newest first. Catches have no id, so equal catches are counted from the oldest. */
export function catchKeys(catches: readonly AppCatch[]): string[] {
  const counts = new Map<string, number>()
  const keyOf = ({ kind, name, rarity, gamemode, caughtAt }: AppCatch) => {
    const text = [caughtAt, kind, rarity, gamemode, name].join(' ')
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return `${text} ${count}`
  }
  return [...catches].reverse().map(keyOf).reverse()
}
