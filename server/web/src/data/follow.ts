import { ApiError, type Client, ConnectionError, NotFoundError, RateLimitError, TimeoutError } from '@fish-crab/sdk'
import { type Cabinet, type Caught, type Fresh, freshOf, hasCatch, withCatches } from './cabinet.ts'
import type { LastKnown } from './last-known.ts'
import type { Load } from './load.ts'

/** Why a collection is not up to date. Times are Unix milliseconds. */
export type Problem =
  | { readonly kind: 'limited'; readonly retryAt: number }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unreachable'; readonly retryAt: number }
  | { readonly kind: 'failed'; readonly retryAt: number; readonly requestId: string | undefined }

/** The state of a followed collection. */
export interface Followed {
  /** Absent until the first load. */
  readonly cabinet?: Cabinet
  /** The time at which the cabinet was last known to be current, in Unix milliseconds. */
  readonly updatedAt?: number
  /** Whether the player does not exist. */
  readonly isUnknown?: boolean
  readonly problem?: Problem
  /** Catches that the last update added. */
  readonly fresh: readonly Fresh[]
}

/** Callbacks of a stream. */
export interface Listener {
  onCatch(caught: Caught): void
  /** The stream is open and delivers every catch from now on. Only a load returns earlier catches. */
  onConnect(): void
  /** The stream broke and could not be reopened immediately. Attempts continue until `onConnect`. */
  onDisconnect(): void
  /** Entries of the collection were removed. */
  onRemoved(): void
}

/** A stream of catches as they are stored. */
export interface Stream {
  /** Whether the stream delivers catches now. */
  isOpen(): boolean
  close(): void
}

/**
 * The state of a browser on which polls and streams depend: whether the page is visible and the network is available.
 */
export interface PageContext {
  readonly now: () => number
  isOnline(): boolean
  isVisible(): boolean
  /** Reports changes of visibility and network. @returns a function that removes the callback */
  onChange(callback: () => void): () => void
}

/** The context of the browser that shows the page. */
export const browserContext: PageContext = {
  now: () => Date.now(),
  isOnline: () => navigator.onLine,
  isVisible: () => document.visibilityState === 'visible',
  onChange(callback) {
    const targets: readonly [EventTarget, string][] = [
      [window, 'online'],
      [window, 'offline'],
      [document, 'visibilitychange'],
    ]
    for (const [target, type] of targets) target.addEventListener(type, callback)
    return () => {
      for (const [target, type] of targets) target.removeEventListener(type, callback)
    }
  },
}

interface FollowOptions {
  readonly client: Client
  readonly load: Load
  readonly context: PageContext
  /** The cabinet that is shown until the first load ends. */
  readonly lastKnown?: LastKnown | undefined
  /**
   * Opens a stream of new catches after the cabinet is loaded. If it is `undefined`, the cabinet is loaded only once.
   */
  readonly listen: ((listener: Listener) => Stream) | undefined
  readonly onUpdate: (followed: Followed) => void
  /** How long the page must be visible before a stream is opened, in milliseconds. @default 10 s */
  readonly stayMs?: number
}

/** Follows a collection until it is stopped. */
export interface Following {
  /** Loads again immediately. */
  retry(): void
  stop(): void
}

/** A poll is one request, so polls take 5 of the 25 requests that a client has in 300 s. */
const POLL_MS = 60_000
/** Interval of polls while a stream is open, since a stream can miss catches. */
const POLL_BESIDE_STREAM_MS = 300_000
/** Delay before a stream is opened. A stream costs a request and a connection, which a short visit is not worth. */
const STAY_MS = 10_000
/** Delay before streamed catches are shown, so that the catches of one POST (up to 500) appear together. */
const GATHER_MS = 250
const RELOAD_MS = 5000
/** Number of requests that polls leave for other pages and programs at the same client address. */
const RESERVE = 8
const FIRST_RETRY_MS = 2000
const LAST_RETRY_MS = 60_000

/**
 * Loads a collection and keeps it current. Polls while the page is visible, and continues after outages and rate
 * limits.
 */
export function followCollection({
  client,
  load,
  context,
  lastKnown,
  listen,
  onUpdate,
  stayMs = STAY_MS,
}: FollowOptions): Following {
  const { now } = context
  const stopped = new AbortController()
  let followed: Followed = { ...lastKnown, fresh: [] }
  let timer: ReturnType<typeof setTimeout> | undefined
  let streamTimer: ReturnType<typeof setTimeout> | undefined
  let stream: Stream | undefined
  /** The last load, without the catches that the stream has added to the shown collection. */
  let loaded: Cabinet | undefined
  /** Streamed catches that are not shown yet. */
  let gathered: Caught[] = []
  /** Catches that the running load may or may not contain. */
  let sinceLoadBegan: Caught[] = []
  /** Whether the stream delivered something since the last load began. */
  let cameMeanwhile = false
  let dueAt = 0
  /** The earliest time at which the rate limit allows another load. */
  let earliestAt = 0
  let isLoading = false
  let failures = 0

  function update(next: Followed): void {
    followed = next
    onUpdate(next)
  }

  async function attempt(): Promise<void> {
    isLoading = true
    cameMeanwhile = gathered.length > 0
    sinceLoadBegan = [...gathered]
    try {
      const { rateLimit, cabinet: read } = await load(client, stopped.signal)
      if (stopped.signal.aborted) return
      const before = followed.cabinet
      failures = 0
      // If few requests remain, do not poll until the window ends, so that clicks still work.
      const isScarce = rateLimit !== undefined && rateLimit.remaining < RESERVE
      earliestAt = isScarce ? rateLimit.resetAt.getTime() : 0
      // The response may or may not contain the catches that arrived during the load, so load again soon.
      const waitMs = cameMeanwhile ? RELOAD_MS : stream?.isOpen() ? POLL_BESIDE_STREAM_MS : POLL_MS
      dueAt = listen ? Math.max(now() + waitMs, earliestAt) : Number.POSITIVE_INFINITY
      loaded = read
      gathered = []
      const cabinet = withCatches(loaded, sinceLoadBegan.filter(isNotLoaded))
      update({ cabinet, updatedAt: now(), fresh: before ? freshOf(before, cabinet) : [] })
    } catch (error) {
      if (stopped.signal.aborted) return
      failures += 1
      if (error instanceof NotFoundError && error.code === 'user_not_found') {
        // Continue to poll, because an overlay may be set up before the player exists.
        dueAt = now() + POLL_MS
        update({ isUnknown: true, fresh: [] })
        return
      }
      const problem = problemOf(error, now() + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)))
      dueAt = problem.kind === 'offline' ? 0 : problem.retryAt
      update({ ...followed, problem })
    } finally {
      isLoading = false
      schedule()
      scheduleStream()
    }
  }

  function problemOf(error: unknown, retryAt: number): Problem {
    if (error instanceof RateLimitError) return { kind: 'limited', retryAt: error.resetAt.getTime() }
    if (!context.isOnline()) return { kind: 'offline' }
    if (error instanceof ConnectionError || error instanceof TimeoutError) return { kind: 'unreachable', retryAt }
    return { kind: 'failed', retryAt, requestId: error instanceof ApiError ? error.requestId : undefined }
  }

  /**
   * Schedules the next load. After the first load, hidden pages do not poll, because their timers run late and drain
   * the battery.
   */
  function schedule(): void {
    clearTimeout(timer)
    const canLoad = context.isOnline() && (context.isVisible() || !(followed.cabinet || followed.isUnknown))
    if (stopped.signal.aborted || isLoading || !canLoad || dueAt === Number.POSITIVE_INFINITY) return
    timer = setTimeout(attempt, Math.max(0, dueAt - now()))
  }

  /**
   * Schedules the stream. Hidden pages have no stream, because all pages of a browser share six connections to a
   * server.
   */
  function scheduleStream(): void {
    clearTimeout(streamTimer)
    const isWanted = context.isOnline() && context.isVisible() && !stopped.signal.aborted
    if (!isWanted && stream) {
      stream.close()
      stream = undefined
      // Load again when the page is visible, because catches that are stored while the stream is closed are missed.
      if (!followed.problem) dueAt = Math.min(dueAt, Math.max((followed.updatedAt ?? 0) + RELOAD_MS, earliestAt))
    }
    // A stream that ended, for example at a limit of streams, is opened again after the next load.
    if (!isWanted || stream?.isOpen() || !listen || !followed.cabinet) return
    streamTimer = setTimeout(() => {
      stream = listen({ onCatch: gather, onConnect: reload, onDisconnect: loadNow, onRemoved: reload })
    }, stayMs)
  }

  /**
   * Whether a streamed catch is missing from the last load. Only times can be compared, because a summary has no record
   * ids, and a resumed stream repeats catches that a load has already returned. A streamed catch that is later than the
   * last loaded catch of its species cannot be part of the load. An earlier catch is assumed to be part of the load; if
   * it was only sent late, the next load shows it.
   */
  function isNotLoaded(caught: Caught): boolean {
    return !(loaded && hasCatch(loaded, caught))
  }

  function gather(caught: Caught): void {
    cameMeanwhile = true
    if (isLoading) sinceLoadBegan.push(caught)
    if (!isNotLoaded(caught)) reload()
    else if (gathered.push(caught) === 1) setTimeout(showGathered, GATHER_MS)
  }

  /** Schedules one load soon, however often it is called. */
  function reload(): void {
    cameMeanwhile = true
    dueAt = Math.min(dueAt, Math.max(now() + RELOAD_MS, earliestAt))
    schedule()
  }

  /** Loads immediately, so that the page shows the problem instead of a collection that seems current. */
  function loadNow(): void {
    dueAt = Math.min(dueAt, Math.max(now(), earliestAt))
    schedule()
  }

  function showGathered(): void {
    const { cabinet: before } = followed
    const caught = gathered
    gathered = []
    if (!before || caught.length === 0 || stopped.signal.aborted) return
    const cabinet = withCatches(before, caught)
    update({ ...followed, cabinet, updatedAt: now(), fresh: freshOf(before, cabinet) })
  }

  function retry(): void {
    dueAt = 0
    schedule()
  }

  const unsubscribe = context.onChange(() => {
    if (!context.isOnline() && followed.problem?.kind !== 'offline') {
      update({ ...followed, problem: { kind: 'offline' } })
      dueAt = 0
    }
    schedule()
    scheduleStream()
  })
  void attempt()

  return {
    retry,
    stop() {
      stopped.abort()
      unsubscribe()
      clearTimeout(timer)
      scheduleStream()
    },
  }
}
