import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Followed } from '../data/follow.ts'
import type { OverlayOptions } from '../data/overlay-options.ts'
import { alertsAt } from './alerts.ts'
import { type Chime, openChime } from './chime.ts'
import { afterUpdate, NOTHING_SHOWN, type Shown } from './shown.ts'

/** Keeps the state of an overlay, ends its alerts in time, and plays its sounds. */
export function useShown(
  options: OverlayOptions,
  now: () => number,
  start = NOTHING_SHOWN,
): readonly [Shown, (followed: Followed) => void] {
  const [shown, setShown] = useState(start)
  const { alerts, items } = shown
  useEffect(() => {
    if (!alerts.current) return undefined
    // Timers may fire a little early.
    const advance = () =>
      setShown((before) => ({ ...before, alerts: alertsAt(before.alerts, Math.max(now(), alerts.endsAt)) }))
    const timer = setTimeout(advance, alerts.endsAt - now())
    return () => clearTimeout(timer)
  }, [alerts, now])

  const chime = useRef<Chime | undefined>(undefined)
  useEffect(() => {
    if (!options.hasSound) return undefined
    chime.current = openChime()
    return () => {
      chime.current?.close()
      chime.current = undefined
    }
  }, [options.hasSound])
  const newest = options.mode === 'alert' ? alerts.current : items.find(({ isNew }) => isNew)
  const lastKey = useRef(newest?.key ?? 0)
  useEffect(() => {
    // When catches are removed, an older catch becomes the newest again. The older catch must not sound again.
    if (!newest || newest.key <= lastKey.current) return
    lastKey.current = newest.key
    chime.current?.play(newest).catch(() => {})
  }, [newest])

  const update = useCallback(
    (followed: Followed) => setShown((before) => afterUpdate(before, followed, options, now())),
    [options, now],
  )
  return [shown, update]
}
