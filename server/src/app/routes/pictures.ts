import { PAGE_TYPES, type Profile, routePath, type User } from '@fish-crab/sdk/contract'
import { firstViewOf } from '../catches/first-view.ts'
import type { Months } from '../catches/read-month.ts'
import type { Profiles } from '../catches/read-profile.ts'
import type { Comparisons } from '../catches/read-versus.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { createSlices } from '../core/slices.ts'
import { createBoundedQueue } from '../http/bounded-queue.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { empty, type HandlerResponse, matchesEntityTag } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { badgeOf } from '../sharing/badge.ts'
import { cardOf } from '../sharing/card.ts'
import type { CardOptions } from '../sharing/card-frame.ts'
import { monthCardOf } from '../sharing/month-card.ts'
import { caughtSpeciesOf, readSpeciesQuery, speciesCardOf } from '../sharing/species.ts'
import { versusCardOf } from '../sharing/versus-card.ts'
import { SITE } from './page.ts'
import { findPathPlayers } from './path-players.ts'
import type { Services } from './services.ts'

/** The sources of the pictures. */
interface Sources {
  readonly profiles: Profiles
  readonly months: Months
  readonly comparisons: Comparisons
}

type PictureRoute = 'playerCard' | 'playerBadge' | 'monthCard' | 'speciesCard' | 'versusCard'

/** Blocks scripts, because a browser that opens an SVG picture by its address treats the picture as a document. */
const HEADERS = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" }

/** Maximum number of cached cards, of about 250 KB each. */
const CACHED_CARDS = 32
const CONCURRENT_CARDS = 2

/**
 * Creates the handlers of a player's pictures, which other sites show. The rate limit counts a request before its
 * handler runs.
 */
export function pictureHandlers(
  services: Services,
  { profiles, months, comparisons }: Sources,
): Readonly<Record<PictureRoute, Handler>> {
  const { schedule, renderCard, publicUrl, gamemodes } = services
  const cards = createLruCache<string, Uint8Array<ArrayBuffer>>(CACHED_CARDS)
  const share = createSharedWork<string, Uint8Array<ArrayBuffer>>()
  const queue = createBoundedQueue({ what: 'cards', concurrency: CONCURRENT_CARDS, perClient: 1, schedule })

  /** Sends a picture of the players in the path, or the address of the picture of a renamed player. */
  function pictureOf(
    route: PictureRoute,
    send: (context: RequestContext, user: User, other?: User) => Promise<HandlerResponse>,
  ): Handler {
    return async (context) => {
      const { moved, players } = await findPathPlayers(services, route, context)
      if (moved) return moved
      const [user, other] = players
      if (!user) throw new HttpError('user_not_found')
      context.player = user.name
      return send(context, user, other)
    }
  }

  async function profileOf({ site, request }: RequestContext, user: User): Promise<Profile> {
    return (await profiles({ user, client: site })).read(request.signal)
  }

  /**
   * Sends a card as PNG.
   * @param path the page that the card shows
   * @param draw draws the card as SVG
   */
  async function sendCard(context: RequestContext, path: string, draw: (options: CardOptions) => string) {
    if (!renderCard) throw new HttpError('not_found')
    const address = publicUrl && `${new URL(publicUrl).host}${path}`
    const svg = draw({ site: SITE, address })
    const version = await sha256Hex(svg)
    return picture(context, PAGE_TYPES.png, version, async () => {
      const { site: client, request } = context
      const work = () => renderCard(svg)
      const render = (signal: AbortSignal) => queue.run({ client, signal, work })
      const png = cards.get(version) ?? (await share(version, request.signal, render))
      cards.set(version, png)
      return png
    })
  }

  return {
    playerBadge: pictureOf('playerBadge', async (context, user) => {
      const svg = badgeOf(await profileOf(context, user))
      return picture(context, PAGE_TYPES.svg, await sha256Hex(svg), async () => new TextEncoder().encode(svg))
    }),

    playerCard: pictureOf('playerCard', async (context, user) => {
      const profile = await profileOf(context, user)
      return sendCard(context, routePath('playerPage', { name: user.name }), (options) => cardOf(profile, options))
    }),

    monthCard: pictureOf('monthCard', async (context, user) => {
      const { month = '' } = context.params
      const { read } = await months({ user, month, client: context.site })
      const found = await read(context.request.signal)
      return sendCard(context, routePath('monthPage', { name: user.name, month }), (options) =>
        monthCardOf(found, options),
      )
    }),

    versusCard: pictureOf('versusCard', async (context, one, other) => {
      // A comparison of a player with the same player has no score.
      if (!other || one.id === other.id) throw new HttpError('not_found')
      const { read } = await comparisons({ users: [one, other], client: context.site })
      const versus = await read(context.request.signal)
      const path = routePath('versusPage', { name: one.name, other: other.name })
      return sendCard(context, path, (options) => versusCardOf(versus, options))
    }),

    speciesCard: pictureOf('speciesCard', async (context, user) => {
      const { site: client, query, request } = context
      const wanted = readSpeciesQuery(query, gamemodes.names)
      if (!wanted) throw new HttpError('not_found')
      const { read } = await profiles({ user, withSpecies: true, client })
      const { profile } = await firstViewOf(await read(request.signal), createSlices(request.signal), wanted)
      const caught = caughtSpeciesOf(profile, wanted)
      // The card of a species that the player has not caught would show any text that stands in its address.
      if (!caught) throw new HttpError('not_found')
      return sendCard(context, routePath('playerPage', { name: user.name }), (options) =>
        speciesCardOf(user.name, caught, options),
      )
    }),
  }
}

/** @param read is not called if the client has this version */
async function picture(
  { request }: RequestContext,
  contentType: string,
  version: string,
  read: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<HandlerResponse> {
  const caching = { etag: `"${version.slice(0, 32)}"`, 'cache-control': 'public, max-age=300' }
  if (matchesEntityTag(request.headers.get('if-none-match'), caching.etag)) return empty(304, caching)
  const body = await read()
  const length = String(body.byteLength)
  return {
    status: 200,
    body,
    headers: { ...caching, 'content-type': contentType, 'content-length': length, ...HEADERS },
  }
}
