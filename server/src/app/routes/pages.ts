import { ASSET_FOLDERS, isUserName, PAGE_ROUTES, ROUTES, routePath } from '@fish-crab/sdk/contract'
import { canonicalPath } from '../http/path.ts'
import { type PageName, type Pages, staticFile } from '../http/response.ts'
import { type Handler, notFound } from '../http/router.ts'
import { drawnPages, LEADERBOARD, type LoadProfiles } from './drawn-pages.ts'
import { SITE } from './page.ts'
import { PAGES_HEADERS, pageHeaders } from './page-headers.ts'
import { IMPOSSIBLE, missingPage, NO_PAGE, type Preview, pageFile, type Site } from './page-response.ts'
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

const HOME: Preview = { title: SITE, description: 'Look up the fish and crabs that a player has caught.' }
const ADMIN: Preview = { title: `Administration · ${SITE}`, description: 'For administrators of this service.' }
const LOGIN: Preview = { title: `Log in · ${SITE}`, description: 'Log in with a link of this service.' }

/** Streaming software and other sites may embed overlays. This is safe, because overlays have nothing to click. */
const OVERLAY_HEADERS = pageHeaders({
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
  'frame-ancestors': '*',
})

type CardRoute = 'playerCard' | 'monthCard' | 'speciesCard'
type PageHandlers = Readonly<Record<Exclude<keyof typeof PAGE_ROUTES, CardRoute>, Handler>> &
  Partial<Readonly<Record<CardRoute, Handler>>>

/** Creates the handlers of the pages for people, and of the pictures in link previews. */
export function pageHandlers(files: Pages, services: Services, loadProfiles: LoadProfiles): PageHandlers {
  const pages = siteOf(files, services)
  const drawn = drawnPages(pages, services, loadProfiles)
  return {
    homePage: fixedPage(pages, 'collection', HOME),
    ...drawn,
    ...(services.renderCard
      ? {
          playerCard: async (context) => (await loadProfiles()).playerCard(context),
          monthCard: async (context) => (await loadProfiles()).monthCard(context),
          speciesCard: async (context) => (await loadProfiles()).speciesCard(context),
        }
      : {}),
    playerBadge: async (context) => (await loadProfiles()).playerBadge(context),
    leaderboardPage: services.publicLeaderboard ? drawn.leaderboardPage : fixedPage(pages, 'collection', LEADERBOARD),
    overlaySetupPage: fixedPage(pages, 'overlay-setup', {
      title: `Stream overlay · ${SITE}`,
      description: 'Show what you catch on your stream.',
    }),
    overlayPage: overlayPage(pages),
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

/**
 * Creates the handler of an overlay, which looks up its player with requests to the API, so that every lookup counts
 * against the rate limit.
 */
function overlayPage(pages: Site): Handler {
  return async ({ request, params }) => {
    const { name = '' } = params
    if (!isUserName(name)) {
      return missingPage(pages, { page: 'overlay', preview: IMPOSSIBLE }, 'user_not_found', OVERLAY_HEADERS)
    }
    const preview = { title: `${name} · Stream overlay`, description: `What ${name} catches, for a stream.` }
    const path = routePath('overlayPage', { name })
    return staticFile(request, await pageFile(pages, { page: 'overlay', preview, path }), OVERLAY_HEADERS)
  }
}
