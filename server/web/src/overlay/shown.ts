import type { Followed } from '../data/follow.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { type Collection, collectionOf } from '../data/profile.ts'
import { type AlertQueue, NO_ALERTS, withAlerts } from './alerts.ts'
import { firstItems, type Item, stillIn, withFresh } from './feed.ts'
import { type GoalCount, startGoal, withCounted } from './goal.ts'
import { NEW_SESSION, type Session, withCaught } from './session.ts'

/** Everything that an overlay shows, whatever its mode. */
export interface Shown {
  readonly followed: Followed
  /** The catches in the gamemode of the overlay. Absent until the first load. */
  readonly collection: Collection | undefined
  readonly items: readonly Item[]
  readonly alerts: AlertQueue
  readonly session: Session
  /** Absent until the first load. */
  readonly goal: GoalCount | undefined
}

export const NOTHING_SHOWN: Shown = {
  followed: { fresh: [] },
  collection: undefined,
  items: [],
  alerts: NO_ALERTS,
  session: NEW_SESSION,
  goal: undefined,
}

/** Returns the state of an overlay after an update. An update may repeat the catches of the previous update. */
export function afterUpdate(shown: Shown, followed: Followed, options: OverlayOptions, now: number): Shown {
  const { gamemode, kind } = options
  const { profile } = followed
  if (!profile || profile === shown.followed.profile) return { ...shown, followed }
  const collection = collectionOf(profile, gamemode)
  const goal = shown.goal ?? startGoal(profile.days, options, now)
  if (!shown.collection) return { ...shown, followed, collection, items: firstItems(collection, kind), goal }
  const isRepeated = followed.fresh === shown.followed.fresh
  const fresh = followed.fresh.filter(
    (one) =>
      !isRepeated && (gamemode === undefined || one.gamemode === gamemode) && (kind === undefined || one.kind === kind),
  )
  return {
    followed,
    collection,
    items: withFresh(stillIn(collection, shown.items), fresh),
    alerts: withAlerts(shown.alerts, fresh, now),
    session: withCaught(shown.session, shown.collection, fresh),
    goal: withCounted(goal, fresh, options, now),
  }
}
