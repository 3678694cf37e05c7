import type { Removal } from './records.ts'

/** The time in which a removal can be undone. */
export const UNDO_MS = 10_000

/** A removal with its description. */
export interface DescribedRemoval extends Removal {
  /** The catches, such as `Salmon`. */
  readonly what: string
  /** Called when the service has responded, or when the request failed. */
  readonly onEnd: () => void
}

export interface RemovalState {
  /** The latest removal, until the service responds. */
  readonly current?: { readonly removal: DescribedRemoval; readonly isSent: boolean } | undefined
  readonly failure?: { readonly removal: DescribedRemoval; readonly error: unknown } | undefined
  /** The catches that views hide, as {@link keyOfCatch} names them. */
  readonly hidden: ReadonlySet<string>
}

/** Ids and indexes are never reassigned, so a hidden catch never hides another one. */
export function keyOfCatch(player: string, id: string, entry?: number | undefined): string {
  return `${player} ${id} ${entry ?? ''}`
}

export type Removals = ReturnType<typeof createRemovals>

/** Hides removed catches at once, and sends their removal when it can no longer be undone. */
export function createRemovals(send: (removal: Removal) => Promise<unknown>, onChange: (state: RemovalState) => void) {
  let state: RemovalState = { hidden: new Set() }
  let timer: ReturnType<typeof setTimeout> | undefined
  let requests: Promise<unknown> = Promise.resolve()

  function change(next: Partial<RemovalState>): void {
    state = { ...state, ...next }
    onChange(state)
  }

  function withHidden({ player, id, entry }: Removal, isHidden: boolean): ReadonlySet<string> {
    const hidden = new Set(state.hidden)
    if (isHidden) hidden.add(keyOfCatch(player, id, entry))
    else hidden.delete(keyOfCatch(player, id, entry))
    return hidden
  }

  async function request(removal: DescribedRemoval): Promise<void> {
    const rest = () => (state.current?.removal === removal ? { current: undefined } : {})
    try {
      await send(removal)
      change(rest())
    } catch (error) {
      change({ ...rest(), failure: { removal, error }, hidden: withHidden(removal, false) })
    }
    removal.onEnd()
  }

  /** Sends the removal that can still be undone. Resolves when all removals have ended; failures are in the state. */
  async function flush(): Promise<void> {
    const { current } = state
    if (current !== undefined && !current.isSent) {
      clearTimeout(timer)
      change({ current: { ...current, isSent: true } })
      requests = Promise.all([requests, request(current.removal)])
    }
    await requests
  }

  return {
    flush,

    /** Hides the catches, and sends the removal after {@link UNDO_MS}. An earlier removal is sent at once. */
    remove(removal: DescribedRemoval): void {
      void flush()
      change({ current: { removal, isSent: false }, failure: undefined, hidden: withHidden(removal, true) })
      timer = setTimeout(() => void flush(), UNDO_MS)
    },

    undo(): void {
      const { current } = state
      if (current === undefined || current.isSent) return
      clearTimeout(timer)
      change({ current: undefined, hidden: withHidden(current.removal, false) })
    },

    /** Forgets the last failure. */
    clearFailure(): void {
      change({ failure: undefined })
    },
  }
}
