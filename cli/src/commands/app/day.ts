import { join } from 'node:path'
import { RARITIES, userNameKey } from '@fish-crab/sdk/constants'
import type { AppCatch, AppDay, AppState } from '../../../../server/web/src/player-app/api-types.ts'
import { parseJsonText, serviceOf } from '../../core/parse-values.ts'
import type { System } from '../../core/system.ts'
import { readTextFile, replaceFile } from '../../session/files.ts'
import { folders } from '../../session/paths.ts'

const MAX_CATCHES = 50

/** @param at milliseconds since 1970 */
export function localDate(at: number): string {
  return new Date(at).toLocaleDateString('sv')
}

export function emptyDay(date: string): AppDay {
  return { date, fish: 0, crabs: 0, best: null, catches: [] }
}

const rankOf = ({ rarity }: AppCatch) => RARITIES.findIndex(({ label }) => label === rarity)

/** Adds a catch. A catch of an earlier day is shown but not counted. */
export function withCatch(before: AppDay, one: AppCatch): AppDay {
  const date = localDate(Date.parse(one.caughtAt))
  const day = date > before.date ? emptyDay(date) : before
  const catches = [one, ...day.catches].slice(0, MAX_CATCHES)
  if (date !== day.date) return { ...day, catches }
  if (one.kind === 'crab') return { ...day, catches, crabs: day.crabs + 1 }
  const isBest = day.best === null || rankOf(one) > rankOf(day.best)
  return { ...day, catches, fish: day.fish + 1, best: isBest ? one : day.best }
}

/** Removes catches after an undo. Catches that the day does not show stay counted. */
export function withoutCatches(day: AppDay, removed: readonly AppCatch[]): AppDay {
  const keyOf = ({ kind, name, caughtAt }: AppCatch) => [kind, caughtAt, kind === 'fish' ? name : ''].join(' ')
  const keys = new Set(removed.map(keyOf))
  const isRemoved = (one: AppCatch) => keys.has(keyOf(one))
  const countOf = (kind: AppCatch['kind']) => day.catches.filter((one) => one.kind === kind && isRemoved(one)).length
  const catches = day.catches.filter((one) => !isRemoved(one))
  const remaining = [...catches].reverse().reduce(withCatch, emptyDay(day.date))
  const best = day.best !== null && isRemoved(day.best) ? remaining.best : day.best
  return { ...day, catches, best, fish: day.fish - countOf('fish'), crabs: day.crabs - countOf('crab') }
}

type Account = AppState['account']

const pathOf = (system: Pick<System, 'env'>) => join(folders(system).state, 'app-day.json')
const ownerOf = (account: Account) =>
  account && { user: userNameKey(account.user), service: serviceOf(account.service) }

/** Returns the stored day of the account if it is this date, otherwise an empty day. */
export function readDay(system: Pick<System, 'env'>, account: Account, date: string): AppDay {
  try {
    const { owner, day } = Object(parseJsonText(readTextFile(pathOf(system)) ?? ''))
    const isOwn = account !== null && JSON.stringify(owner) === JSON.stringify(ownerOf(account))
    if (isOwn && day.date === date && Array.isArray(day.catches)) return day
  } catch {
    // A damaged file counts as empty.
  }
  return emptyDay(date)
}

/** Stores the day. Errors are ignored, because the collection has all catches. */
export function storeDay(system: Pick<System, 'env'>, account: Account, day: AppDay): void {
  try {
    replaceFile(pathOf(system), JSON.stringify({ owner: ownerOf(account), day }))
  } catch {}
}
