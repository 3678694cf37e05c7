import { HEADERS } from '@fish-crab/sdk/contract'
import { createClientCounts } from '../core/client-counts.ts'
import { HttpError } from '../http/http-error.ts'

/** The client that opens a stream. */
export interface StreamClient {
  /** Key of the client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly client: string
  /** Key of the site: an IPv4 address, or the /48 of an IPv6 address. */
  readonly site: string
  /** The owner of the API key in the request. `undefined` without a valid key. */
  readonly keyOwner: string | undefined
}

interface StreamLimitsOptions {
  readonly total: number
  readonly perClient: number
  readonly onChange: (open: number) => void
}

const RETRY_AFTER_SECONDS = 10

/**
 * Creates the limits of open streams. A client has at most `perClient` streams. A /48 has at most a tenth of all
 * streams, because one home network has 256 networks of /64. Another tenth is for clients with an API key, so that
 * strangers cannot lock out players.
 */
export function createStreamLimits({ total, perClient, onChange }: StreamLimitsOptions) {
  const openBy = createClientCounts()
  const tenth = Math.floor(total / 10)
  let open = 0

  function limitsOf({ client, site, keyOwner }: StreamClient): readonly (readonly [key: string, limit: number])[] {
    if (keyOwner !== undefined) return [[`key ${keyOwner}`, perClient]]
    const ofSite = site === client ? [] : [[`site ${site}`, Math.max(1, tenth)] as const]
    return [['without key', total - tenth], [`client ${client}`, perClient], ...ofSite]
  }

  return {
    /** Reserves a stream, and returns a function that releases it. Throws `too_many_streams`. */
    reserve(by: StreamClient): () => void {
      const limits = limitsOf(by)
      if (open >= total || limits.some(([key, limit]) => openBy.of(key) >= limit)) {
        throw new HttpError('too_many_streams', { headers: { [HEADERS.retryAfter]: String(RETRY_AFTER_SECONDS) } })
      }
      const change = (sign: 1 | -1) => {
        open += sign
        for (const [key] of limits) openBy.add(key, sign)
        onChange(open)
      }
      change(1)
      return () => change(-1)
    },
  }
}
