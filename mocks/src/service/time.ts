/** The maximum delay of platform timers, in milliseconds: longer ones fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Sleeper {
  /** No caller waits for a sleeper of the kind `service`. */
  readonly kind: 'sleep' | 'hold' | 'timeoutMs' | 'service'
  readonly wakeAt: number
  wake(): void
  /** Starts the real timer for the remaining time, if the time runs. */
  arm(): void
}

export interface TimeOptions {
  /** Stops the time. @default the time follows `source` */
  readonly startAt?: number | Date | undefined
  /** The time to follow. @default Date.now, looked up at each call, so that fake timers work */
  readonly source?: (() => number) | undefined
}

export type Time = ReturnType<typeof createTime>

/** Creates a time that moves on request, and wakes each sleeper at its time. A time that runs also uses real timers. */
export function createTime(
  { startAt, source = () => Date.now() }: TimeOptions,
  onChange: (sleeper: Sleeper, isNew: boolean) => void,
) {
  const start = startAt === undefined ? undefined : toUnixMs(startAt)
  const all = new Set<Sleeper>()
  let offset = 0
  const now = () => (start ?? source()) + offset
  /** In the order of their wake-ups. */
  const sleepers = () => [...all].sort((one, other) => one.wakeAt - other.wakeAt)
  const clients = () => sleepers().filter(({ kind }) => kind !== 'service')

  return {
    isStopped: start !== undefined,
    now,
    sleepers,
    clients,
    count: (kind: Sleeper['kind']) => [...all].filter((sleeper) => sleeper.kind === kind).length,

    /** @returns a function that removes the sleeper */
    add(kind: Sleeper['kind'], milliseconds: number, onEnd: () => void): () => void {
      let timer: ReturnType<typeof setTimeout> | undefined
      const remove = () => {
        clearTimeout(timer)
        all.delete(sleeper)
        onChange(sleeper, false)
      }
      const sleeper: Sleeper = {
        kind,
        wakeAt: now() + milliseconds,
        wake() {
          remove()
          onEnd()
        },
        arm() {
          clearTimeout(timer)
          if (start !== undefined || !Number.isFinite(milliseconds)) return
          timer = setTimeout(sleeper.wake, Math.min(sleeper.wakeAt - now(), MAX_TIMER_MS))
          if (kind === 'service') timer.unref?.()
        },
      }
      all.add(sleeper)
      sleeper.arm()
      onChange(sleeper, true)
      return remove
    },

    moveBy(distance: number): void {
      offset += distance
      const reached = now()
      for (const sleeper of sleepers()) {
        if (sleeper.wakeAt <= reached) sleeper.wake()
        else sleeper.arm()
      }
    },

    /** Wakes all clients except those in infinite sleeps, because the time may never reach their wake-ups again. */
    reset(): void {
      offset = 0
      for (const sleeper of clients()) if (Number.isFinite(sleeper.wakeAt)) sleeper.wake()
    },
  }
}

/** @throws RangeError when the time exceeds the range of a Date */
export function toUnixMs(time: number | Date, what = 'A time'): number {
  const milliseconds = Number(time)
  if (!Number.isNaN(new Date(milliseconds).getTime())) return milliseconds
  throw new RangeError(`${what} must be a valid Date, or unix time in milliseconds.`)
}
