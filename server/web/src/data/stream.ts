import { ApiError, type Client, RateLimitError } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { Listen, Refusal } from './follow.ts'

/**
 * Without HTTP/2, all pages of a browser share six connections to a server. With streams on all of them, the browser
 * could not even open another page.
 */
const MAX_HTTP1_STREAMS = 5

interface StreamTarget {
  readonly user: string
  /** @default all gamemodes */
  readonly gamemode?: Gamemode | undefined
}

/** Streams the catches of a player as they are stored. Opening the stream takes one request. */
export function openStream(client: Client, target: StreamTarget): Listen {
  return (onEvent) => {
    const closed = new AbortController()
    const options = {
      ...target,
      onConnect: () => onEvent({ type: 'connected' }),
      onDisconnect: (error: unknown) => onEvent({ type: 'disconnected', refusal: refusalOf(error) }),
      onRemoved: () => onEvent({ type: 'removed' }),
      signal: closed.signal,
    }
    const watch = async () => {
      for await (const caught of client.watch(options)) onEvent({ type: 'caught', caught })
    }
    // Polls continue after the end of a stream, for example at a limit of streams.
    withConnection(watch)
      .catch(refusalOf)
      .then((refusal) => {
        if (!closed.signal.aborted) onEvent({ type: 'ended', refusal })
      })
    return () => closed.abort()
  }
}

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof RateLimitError) return 'limited'
  return error instanceof ApiError && error.code === 'too_many_streams' ? 'streams' : undefined
}

/**
 * Runs a function unless the pages of this browser have the maximum number of streams. Only pages of a secure origin
 * can count the streams.
 */
async function withConnection(run: () => Promise<void>): Promise<'pages' | undefined> {
  if (!navigator.locks || sharesConnection()) {
    await run()
    return undefined
  }
  let isFree = false
  for (let stream = 1; stream <= MAX_HTTP1_STREAMS && !isFree; stream += 1) {
    await navigator.locks.request(`fish-crab stream ${stream}`, { ifAvailable: true }, (lock) => {
      isFree = lock !== null
      return isFree ? run() : undefined
    })
  }
  return isFree ? undefined : 'pages'
}

/**
 * Whether all requests share a connection, as with HTTP/2 and HTTP/3. The resources show this, because a cached page
 * has no protocol.
 */
function sharesConnection(): boolean {
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return entries.some(({ nextHopProtocol }) => /^h[23]/.test(nextHopProtocol))
}
