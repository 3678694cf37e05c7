import { ASSET_FOLDERS, PAGE_ROUTES, ROUTES, routePath } from '@fish-crab/sdk/contract'
import { HttpError } from '../http/http-error.ts'
import { canonicalPath } from '../http/path.ts'
import { type PageName, type Pages, staticFile } from '../http/response.ts'
import { type Handler, notFound } from '../http/router.ts'
import { drawnPages, LEADERBOARD, type PageSources } from './drawn-pages.ts'
import { SITE } from './page.ts'
import { PAGES_HEADERS, pageHeaders } from './page-headers.ts'
import { drawingOf, missingPage, missingPlayers, NO_PAGE, type Preview, pageFile, type Site } from './page-response.ts'
import { findPathPlayers } from './path-players.ts'
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

const ADMIN: Preview = { title: `Administration · ${SITE}`, description: 'For administrators of this service.' }
const LOGIN: Preview = { title: `Log in · ${SITE}`, description: 'Log in with a link of this service.' }

/** Streaming software and other sites may embed overlays. This is safe, because overlays have nothing to click. */
const OVERLAY_HEADERS = pageHeaders({
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
  'frame-ancestors': '*',
})

type CardRoute = 'playerCard' | 'monthCard' | 'speciesCard' | 'versusCard'
type PageHandlers = Readonly<Record<Exclude<keyof typeof PAGE_ROUTES, CardRoute>, Handler>> &
  Partial<Readonly<Record<CardRoute, Handler>>>

/** Creates the handlers of the pages for people, and of the pictures in link previews. */
export function pageHandlers(files: Pages, services: Services, sources: PageSources): PageHandlers {
  const pages = siteOf(files, services)
  const { loadProfiles } = sources
  const drawn = drawnPages(pages, services, sources)
  return {
    ...drawn,
    ...(services.renderCard
      ? {
          playerCard: async (context) => (await loadProfiles()).playerCard(context),
          monthCard: async (context) => (await loadProfiles()).monthCard(context),
          speciesCard: async (context) => (await loadProfiles()).speciesCard(context),
          versusCard: async (context) => (await loadProfiles()).versusCard(context),
        }
      : {}),
    playerBadge: async (context) => (await loadProfiles()).playerBadge(context),
    leaderboardPage: services.publicLeaderboard ? drawn.leaderboardPage : closedLeaderboard(pages),
    overlaySetupPage: fixedPage(pages, 'overlay-setup', {
      title: `Stream overlay · ${SITE}`,
      description: 'Show what you catch on your stream.',
    }),
    overlayPage: overlayPage(pages, services),
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
export function notFoundHandler(files: Pages, services: Services): Handler {
  const pages = siteOf(files, services)
  return async (context) => {
    const { request } = context
    const isApi = API_SEGMENTS.has(firstSegment(canonicalPath(request.url)))
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isApi || !isRead || !/\btext\/html\b/i.test(request.headers.get('accept') ?? '')) return notFound(context)
    return missingPage(pages, { page: 'collection', preview: NO_PAGE }, 'not_found')
  }
}

function siteOf(files: Pages, { gamemodes, publicUrl = '', publicLeaderboard }: Services): Site {
  return { ...files, gamemodes: gamemodes.names, publicUrl, hasLeaderboard: publicLeaderboard }
}

type Headers = Readonly<Record<string, string>>

/** Creates the handler of a page that is the same for every client. */
function fixedPage(pages: Site, page: PageName, preview: Preview, headers: Headers = PAGES_HEADERS): Handler {
  return async ({ request, path = '' }) => staticFile(request, await pageFile(pages, { page, preview, path }), headers)
}

/** Creates the handler of the page of a leaderboard that is not public. */
function closedLeaderboard(pages: Site): Handler {
  return async ({ request }) => {
    const path = routePath('leaderboardPage')
    const drawing = await drawingOf(pages, { pathname: path, search: '' }, { view: 'closed' })
    const file = await pageFile(pages, { page: 'collection', preview: LEADERBOARD, path, drawing })
    return staticFile(request, file, PAGES_HEADERS)
  }
}

/** Creates the handler of an overlay, which waits for its player above the rate limit and without the storage. */
function overlayPage(pages: Site, services: Services): Handler {
  return async (context) => {
    const { request, requestId, params } = context
    const { name = '' } = params
    try {
      const { moved, missing } = await findPathPlayers(services, 'overlayPage', context, services.limitRate)
      if (moved) return moved
      if (missing) return await missingPlayers(pages, 'overlay', missing, OVERLAY_HEADERS)
    } catch (error) {
      request.signal.throwIfAborted()
      if (!(error instanceof HttpError)) services.logger.error({ requestId, err: error }, 'a player could not be found')
    }
    const preview = { title: `${name} · Stream overlay`, description: `What ${name} catches, for a stream.` }
    const path = routePath('overlayPage', { name })
    return staticFile(request, await pageFile(pages, { page: 'overlay', preview, path }), OVERLAY_HEADERS)
  }
}
