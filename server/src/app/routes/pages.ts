import {
  ASSET_FOLDERS,
  type ErrorCode,
  isUserName,
  PAGE_ROUTES,
  type Profile,
  ROUTES,
  routePath,
} from '@fish-crab/sdk/contract'
import { sha256Hex } from '../core/bytes.ts'
import { escapeMarkup } from '../core/markup.ts'
import { HttpError } from '../http/http-error.ts'
import { canonicalPath } from '../http/path.ts'
import { type HandlerResponse, type PageName, type Pages, type StaticFile, staticFile } from '../http/response.ts'
import { type Handler, notFound } from '../http/router.ts'
import { CARD_SIZE, descriptionOf } from '../sharing/figures.ts'
import { movedTo } from './moved.ts'
import { SITE } from './page.ts'
import { PAGES_HEADERS, pageHeaders } from './page-headers.ts'
import type { profileHandlers } from './profile.ts'
import type { Services } from './services.ts'

/**
 * No cache stores the page, not even the back/forward cache, so leaving the page also removes the secrets in its
 * memory. A site that opens the page gets no reference to its window.
 */
const SECRET_HEADERS = {
  ...PAGES_HEADERS,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
}

interface Site extends Pages {
  /** Names of the gamemodes, separated by commas, so that pages need no request for the names. */
  readonly gamemodes: string
  /** Public address of the service; empty if the address is unknown. */
  readonly publicUrl: string
  /** `public` if the leaderboard is public, otherwise empty. */
  readonly leaderboard: string
}

interface Preview {
  readonly title: string
  readonly description: string
  /** @default none */
  readonly image?: Image | undefined
}

interface Image {
  readonly url: string
  readonly width: number
  readonly height: number
  readonly alt: string
}

const HOME: Preview = { title: SITE, description: 'Look up the fish and crabs that a player has caught.' }
const LEADERBOARD: Preview = { title: `Leaderboard · ${SITE}`, description: 'Who has caught the most fish and crabs.' }
const ADMIN: Preview = { title: `Administration · ${SITE}`, description: 'For administrators of this service.' }
const LOGIN: Preview = { title: `Log in · ${SITE}`, description: 'Log in with a link of this service.' }
const IMPOSSIBLE: Preview = { title: `Player not found · ${SITE}`, description: 'No player can have this name.' }
const UNKNOWN: Preview = { title: `Player not found · ${SITE}`, description: 'No player has this name.' }
const NO_PAGE: Preview = { title: `Page not found · ${SITE}`, description: 'There is no page at this address.' }

/** Streaming software and other sites may embed overlays. This is safe, because overlays have nothing to click. */
const OVERLAY_HEADERS = pageHeaders({
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
  'frame-ancestors': '*',
})

type PageServices = Pick<
  Services,
  'gamemodes' | 'publicUrl' | 'publicLeaderboard' | 'users' | 'limitRate' | 'renderCard' | 'logger'
>
type LoadProfiles = () => Promise<ReturnType<typeof profileHandlers>>
type PageHandlers = Readonly<Record<Exclude<keyof typeof PAGE_ROUTES, 'playerCard'>, Handler>> & {
  readonly playerCard?: Handler
}

/** Creates the handlers of the pages for people, and of the pictures in link previews. */
export function pageHandlers(files: Pages, services: PageServices, loadProfiles: LoadProfiles): PageHandlers {
  const pages = siteOf(files, services)
  return {
    homePage: fixedPage(pages, 'collection', HOME),
    playerPage: playerPage(pages, services, loadProfiles),
    ...(services.renderCard ? { playerCard: async (context) => (await loadProfiles()).playerCard(context) } : {}),
    playerBadge: async (context) => (await loadProfiles()).playerBadge(context),
    versusPage: namedPage(pages, 'collection', ({ name, other }) => ({
      title: `${name} vs ${other} · ${SITE}`,
      description: `The collections of ${name} and ${other} side by side: what one has and the other lacks.`,
    })),
    leaderboardPage: fixedPage(pages, 'collection', LEADERBOARD),
    overlaySetupPage: fixedPage(pages, 'overlay-setup', {
      title: `Stream overlay · ${SITE}`,
      description: 'Show what you catch on your stream.',
    }),
    overlayPage: namedPage(
      pages,
      'overlay',
      ({ name }) => ({ title: `${name} · Stream overlay`, description: `What ${name} catches, for a stream.` }),
      OVERLAY_HEADERS,
    ),
    // The page itself is public. Its data comes from the endpoints below `/admin`, which need a session.
    adminPage: fixedPage(pages, 'admin', ADMIN, SECRET_HEADERS),
    // The link's token is in the fragment, which browsers send to no server.
    loginPage: fixedPage(pages, 'login', LOGIN, SECRET_HEADERS),
  }
}

const firstSegment = (path: string) => path.split('/', 2)[1]
const API_SEGMENTS = new Set(
  [
    ...Object.entries(ROUTES).flatMap(([name, { path }]) => (name in PAGE_ROUTES ? [] : [path])),
    ...Object.values(ASSET_FOLDERS),
  ].map(firstSegment),
)

/**
 * Responds to unknown paths with a page for browsers and an error for programs. Below the paths of the API, browsers
 * get the error, too.
 */
export function notFoundHandler(files: Pages, services: PageServices): Handler {
  const pages = siteOf(files, services)
  return async (context) => {
    const { request } = context
    const isApi = API_SEGMENTS.has(firstSegment(canonicalPath(request.url)))
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isApi || !isRead || !/\btext\/html\b/i.test(request.headers.get('accept') ?? '')) return notFound(context)
    return missingPage(pages, 'collection', { preview: NO_PAGE, code: 'not_found' })
  }
}

function siteOf(files: Pages, { gamemodes, publicUrl = '', publicLeaderboard }: PageServices): Site {
  return { ...files, gamemodes: gamemodes.names.join(','), publicUrl, leaderboard: publicLeaderboard ? 'public' : '' }
}

type Headers = Readonly<Record<string, string>>

/** Creates the handler of a page that is the same for every client. */
function fixedPage(pages: Site, page: PageName, preview: Preview, headers: Headers = PAGES_HEADERS): Handler {
  return async ({ request, path = '' }) => staticFile(request, await pageFile(pages, page, preview, path), headers)
}

/**
 * Creates the handler of a page with player names in its path. The page looks up the players with requests to the API,
 * so that every lookup counts against the rate limit.
 */
function namedPage(
  pages: Site,
  page: PageName,
  previewOf: (params: Readonly<Record<string, string>>) => Preview,
  headers: Headers = PAGES_HEADERS,
): Handler {
  return async ({ request, route = 'homePage', params }) => {
    if (Object.values(params).every(isUserName)) {
      return staticFile(request, await pageFile(pages, page, previewOf(params), routePath(route, params)), headers)
    }
    return missingPage(pages, page, { preview: IMPOSSIBLE, code: 'user_not_found', headers })
  }
}

/**
 * Creates the handler of a player's page, which looks up the player for the link preview. Each lookup counts as a
 * request. Above the rate limit, and while the storage does not respond, the preview has no figures.
 */
function playerPage(pages: Site, services: PageServices, loadProfiles: LoadProfiles): Handler {
  const { users, limitRate, renderCard, logger, publicUrl } = services

  function cardOf(name: string): Image | undefined {
    if (!renderCard || publicUrl === undefined) return undefined
    const alt = `The rarest catches and the totals of ${name}`
    return { ...CARD_SIZE, url: publicUrl + routePath('playerCard', { name }), alt }
  }

  async function previewOf(name: string, profile?: Profile): Promise<Preview> {
    return {
      title: `${name} · ${SITE}`,
      description: profile
        ? descriptionOf(profile)
        : `The fish and crabs that ${name} has caught: species, rarities, counts and dates.`,
      image: profile && cardOf(name),
    }
  }

  return async (context) => {
    const { request, requestId, params } = context
    const { name = '' } = params
    const missing = (preview: Preview) => missingPage(pages, 'collection', { preview, code: 'user_not_found' })
    if (!isUserName(name)) return missing(IMPOSSIBLE)
    let profile: Profile | undefined
    try {
      // Start the lookup before the count, so that both share a round trip to Redis.
      const user = users.find(name)
      user.catch(() => {})
      await limitRate(context)
      const moved = movedTo('playerPage', context, await user)
      if (moved) return moved
      profile = await (await loadProfiles()).lookUp(context, user)
    } catch (error) {
      if (error instanceof HttpError && error.code === 'user_not_found') return missing(UNKNOWN)
      request.signal.throwIfAborted()
      if (!(error instanceof HttpError)) logger.error({ requestId, err: error }, 'a page has no figures of its player')
    }
    const current = profile?.user ?? name
    const path = routePath('playerPage', { name: current })
    const file = await pageFile(pages, 'collection', await previewOf(current, profile), path)
    return staticFile(request, file, PAGES_HEADERS)
  }
}

interface Missing {
  readonly preview: Preview
  readonly code: ErrorCode
  /** @default `PAGES_HEADERS` */
  readonly headers?: Headers
}

async function missingPage(
  pages: Site,
  page: PageName,
  { preview, code, headers = PAGES_HEADERS }: Missing,
): Promise<HandlerResponse> {
  const { body, contentType } = await pageFile(pages, page, preview, '/')
  const all = { 'content-type': contentType, 'content-length': String(body.byteLength), ...headers }
  return { status: 404, body, headers: all, code }
}

async function pageFile(
  pages: Site,
  page: PageName,
  { title, description, image }: Preview,
  path: string,
): Promise<StaticFile> {
  const { gamemodes, publicUrl, leaderboard } = pages
  const parts = { title, description, gamemodes, publicUrl, leaderboard }
  const url = publicUrl && publicUrl + path
  const html = (await pages.template(page)).replace(
    /\{\{(title|description|gamemodes|publicUrl|leaderboard)\}\}|<!--\{\{preview\}\}-->/g,
    (_, part?: keyof typeof parts) => (part ? escapeMarkup(parts[part]) : previewTags(url, image)),
  )
  const contentType = 'text/html; charset=utf-8'
  return { contentType, body: new TextEncoder().encode(html), version: await sha256Hex(html) }
}

/**
 * Returns the meta tags of a link preview. See https://ogp.me, and https://developer.x.com/en/docs/x-for-websites/cards
 * for the card.
 */
function previewTags(url: string, image: Image | undefined): string {
  const meta = (key: 'property' | 'name', name: string, content: string | number) =>
    `<meta ${key}="${name}" content="${escapeMarkup(String(content))}">`
  return [
    ...(url === '' ? [] : [`<link rel="canonical" href="${escapeMarkup(url)}">`, meta('property', 'og:url', url)]),
    ...(image
      ? [
          meta('property', 'og:image', image.url),
          meta('property', 'og:image:width', image.width),
          meta('property', 'og:image:height', image.height),
          meta('property', 'og:image:alt', image.alt),
        ]
      : []),
    meta('name', 'twitter:card', image ? 'summary_large_image' : 'summary'),
  ].join('\n')
}
