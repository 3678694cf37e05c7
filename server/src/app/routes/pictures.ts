import { isUserName, PAGE_TYPES, type Profile, routePath, type User } from '@fish-crab/sdk/contract'
import type { WantedSpecies } from '../catches/first-view.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { createBoundedQueue } from '../http/bounded-queue.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { empty, type HandlerResponse, matchesEntityTag } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { badgeOf } from '../sharing/badge.ts'
import { cardOf } from '../sharing/card.ts'
import type { CardOptions } from '../sharing/card-frame.ts'
import { caughtSpeciesOf, readSpeciesQuery, speciesCardOf } from '../sharing/species.ts'
import { movedTo } from './moved.ts'
import { SITE } from './page.ts'
import type { Services } from './services.ts'

/**
 * Throws `user_not_found`.
 * @param wanted a species that the profile includes. @default the profile has no species
 */
export type ProfileLookup = (
  context: RequestContext,
  user: Promise<User | undefined>,
  wanted?: WantedSpecies,
) => Promise<Profile>

type PictureRoute = 'playerCard' | 'playerBadge' | 'speciesCard'

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
  { users, schedule, renderCard, publicUrl, gamemodes }: Services,
  lookUp: ProfileLookup,
): Readonly<Record<PictureRoute, Handler>> {
  const cards = createLruCache<string, Uint8Array<ArrayBuffer>>(CACHED_CARDS)
  const share = createSharedWork<string, Uint8Array<ArrayBuffer>>()
  const queue = createBoundedQueue({ what: 'cards', concurrency: CONCURRENT_CARDS, perClient: 1, schedule })

  /** Sends a picture, or the address of the picture of a renamed player. */
  function pictureOf(
    route: PictureRoute,
    send: (context: RequestContext, profile: Profile) => Promise<HandlerResponse>,
    wanted?: WantedSpecies,
  ): Handler {
    return async (context) => {
      const { name = '' } = context.params
      if (!isUserName(name)) throw new HttpError('user_not_found')
      const user = users.find(name)
      return movedTo(route, context, { name: await user }) ?? send(context, await lookUp(context, user, wanted))
    }
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
    playerBadge: pictureOf('playerBadge', async (context, profile) => {
      const svg = badgeOf(profile)
      return picture(context, PAGE_TYPES.svg, await sha256Hex(svg), async () => new TextEncoder().encode(svg))
    }),

    playerCard: pictureOf('playerCard', (context, profile) =>
      sendCard(context, routePath('playerPage', { name: profile.user }), (options) => cardOf(profile, options)),
    ),

    speciesCard: (context) => {
      const wanted = readSpeciesQuery(context.query, gamemodes.names)
      if (!wanted) throw new HttpError('not_found')
      const send = async (_: RequestContext, profile: Profile) => {
        const { user } = profile
        const caught = caughtSpeciesOf(profile, wanted)
        // The card of a species that the player has not caught would show any text that stands in its address.
        if (!caught) throw new HttpError('not_found')
        return sendCard(context, routePath('playerPage', { name: user }), (options) =>
          speciesCardOf(user, caught, options),
        )
      }
      return pictureOf('speciesCard', send, wanted)(context)
    },
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
