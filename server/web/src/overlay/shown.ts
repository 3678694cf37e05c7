import { collectionOf } from '../data/cabinet.ts'
import type { Followed } from '../data/follow.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { type AlertQueue, NO_ALERTS, withAlerts } from './alerts.ts'
import { firstItems, type Item, stillIn, withFresh } from './feed.ts'
import { type GoalCount, startGoal, withCounted } from './goal.ts'
import { NEW_SESSION, type Session, withCaught } from './session.ts'

/** Everything that an overlay shows, whatever its mode. */
export interface Shown {
  readonly followed: Followed
  readonly items: readonly Item[]
  readonly alerts: AlertQueue
  readonly session: Session
  /** Absent until the first load. */
  readonly goal: GoalCount | undefined
}

export const NOTHING_SHOWN: Shown = {
  followed: { fresh: [] },
  items: [],
  alerts: NO_ALERTS,
  session: NEW_SESSION,
  goal: undefined,
}

/** Returns the state of an overlay after an update. An update may repeat the catches of the previous update. */
export function afterUpdate(shown: Shown, followed: Followed, options: OverlayOptions, now: number): Shown {
  const { gamemode, kind } = options
  const { cabinet } = followed
  const before = shown.followed.cabinet
  if (!cabinet || cabinet === before) return { ...shown, followed }
  const collection = collectionOf(cabinet, gamemode)
  const goal = shown.goal ?? startGoal(cabinet.days, options, now)
  if (!before) return { ...shown, followed, items: firstItems(collection, kind), goal }
  const isRepeated = followed.fresh === shown.followed.fresh
  const fresh = followed.fresh.filter(
    (one) =>
      !isRepeated && (gamemode === undefined || one.gamemode === gamemode) && (kind === undefined || one.kind === kind),
  )
  return {
    followed,
    items: withFresh(stillIn(collection, shown.items), fresh),
    alerts: withAlerts(shown.alerts, fresh, now),
    session: withCaught(shown.session, collectionOf(before, gamemode), fresh),
    goal: withCounted(goal, fresh, options, now),
  }
}
