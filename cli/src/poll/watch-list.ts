import type { Client } from '@fish-crab/sdk'
import { type CatchListWish, type FoundCatches, readCatches } from '../catches/catch-list.ts'
import { openClient, type ServiceFlags } from '../client/open-client.ts'
import { plainFetch } from '../client/plain-fetch.ts'
import { EXIT } from '../core/exit.ts'
import type { RunIo } from '../core/run-io.ts'
import { formatOf, type OutputFlags } from '../output/format.ts'
import { conditionalFetch } from './conditional-fetch.ts'
import { type ListShowWish, liveShow, streamShow } from './list-shows.ts'
import { canRewrite } from './live-view.ts'
import { allowanceOf } from './pace.ts'
import { keepLooking, type Look } from './poll-until.ts'
import { beginningText, mayPass, overText, type Trouble, troubleOf } from './trouble.ts'

/** What `list --watch` is told. */
export interface ListWatch extends ListShowWish {
  readonly flags: ServiceFlags & OutputFlags
  readonly user: string
  readonly intervalMs: number
}

/**
 * `list --watch`: a view that is drawn anew on a terminal, elsewhere a line for each new catch. A service that does not
 * answer is told and waited for, also from the beginning.
 *
 * @returns the exit status: interrupted, or with `--limit` done
 * @throws what no further look can change
 */
export async function watchList(io: RunIo, watch: ListWatch): Promise<number> {
  const { flags, user, wishAt, intervalMs } = watch
  const signal = io.interrupted()
  const fetch = plainFetch(io.env)
  const client = await openClient(io, flags, fetch ? { fetch: conditionalFetch(fetch) } : {})
  const isLive = formatOf(flags) === 'table' && canRewrite(io)
  const show = isLive ? liveShow(io, watch) : streamShow(io, watch)
  let trouble: Trouble | undefined
  let hasSeen = false
  let hasLooked = false
  const look = () => lookAt(client, io, { user, signal, wish: wishAt(io.clock.now()), hasLooked })
  try {
    const ended = await keepLooking<FoundCatches>({
      clock: io.clock,
      signal,
      intervalMs,
      look,
      onSeen(found, times) {
        hasSeen = true
        hasLooked = true
        if (trouble) show.say(overText(trouble, times.at))
        trouble = undefined
        return show.seen(found, times)
      },
      onFailed(error, times) {
        hasLooked = true
        if (!mayPass(error, hasSeen)) throw error
        const before = trouble
        trouble = troubleOf(error, times.at, before, hasSeen)
        show.trouble(trouble, times)
        if (!before) show.say(beginningText(trouble))
      },
    })
    return ended === 'enough' ? EXIT.ok : EXIT.interrupted
  } finally {
    show.end()
  }
}

interface LookWish {
  readonly user: string
  readonly signal: AbortSignal
  readonly wish: CatchListWish
  /** From then on the next look is the further try. */
  readonly hasLooked: boolean
}

async function lookAt(
  client: Client,
  { clock }: RunIo,
  { user, signal, wish, hasLooked }: LookWish,
): Promise<Look<FoundCatches>> {
  const { kind, gamemode } = wish
  const options = { user, gamemode, signal, detail: 'full' as const }
  const found = await readCatches(client, kind, hasLooked ? { ...options, maxRetries: 0 } : options)
  return { seen: found, allowance: allowanceOf(found.rateLimit, found.date, clock.now()) }
}
