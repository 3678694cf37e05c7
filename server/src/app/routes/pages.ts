import { isUserName, type PAGE_ROUTES, routePath } from '@fish-crab/sdk/contract'
import { sha256Hex } from '../core/bytes.ts'
import { type PageName, type Pages, type StaticFile, staticFile } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { pageHeaders } from './page.ts'
import type { Services } from './services.ts'

/** Scripts cannot turn text into markup: the pages build no HTML from text. */
export const PAGES_HEADERS = pageHeaders({ 'require-trusted-types-for': "'script'", 'trusted-types': "'none'" })

/**
 * Stored by no cache, also not by the one behind the back button: a page that is left ends, and with it the session in its
 * memory. A site that opens it gets no reference to its window.
 */
const ADMIN_HEADERS = {
  ...PAGES_HEADERS,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
}

interface Site extends Pages {
  /** Separated by commas: pages need no request to know them. */
  readonly gamemodes: string
  /** Empty if it is unknown. */
  readonly publicUrl: string
}

interface Preview {
  readonly title: string
  readonly description: string
}

const SITE = 'Fish and Crab Collection'
const HOME: Preview = { title: SITE, description: 'Look up the fish and crabs that a player has caught.' }
const ADMIN: Preview = { title: `Administration · ${SITE}`, description: 'For administrators of this service.' }
const UNKNOWN: Preview = { title: `Player not found · ${SITE}`, description: 'No player can have this name.' }

/** Streaming software and other pages may show overlays within theirs: nothing on them can be clicked. */
const OVERLAY_HEADERS = pageHeaders({
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
  'frame-ancestors': '*',
})

/** The handlers of the pages for people. */
export function pageHandlers(
  files: Pages,
  { gamemodes, publicUrl = '' }: Pick<Services, 'gamemodes' | 'publicUrl'>,
): Readonly<Record<keyof typeof PAGE_ROUTES, Handler>> {
  const pages: Site = { ...files, gamemodes: gamemodes.names.join(','), publicUrl }
  return {
    homePage: fixedPage(pages, 'collection', HOME),
    playerPage: playerPage(pages, 'collection', (name) => ({
      title: `${name} · ${SITE}`,
      description: `The fish and crabs that ${name} has caught: species, rarities, counts and dates.`,
    })),
    overlaySetupPage: fixedPage(pages, 'overlay-setup', {
      title: `Stream overlay · ${SITE}`,
      description: 'Show what you catch on your stream.',
    }),
    overlayPage: playerPage(
      pages,
      'overlay',
      (name) => ({ title: `${name} · Stream overlay`, description: `What ${name} catches, for a stream.` }),
      OVERLAY_HEADERS,
    ),
    // What it shows comes from the endpoints below it, which need a session.
    adminPage: fixedPage(pages, 'admin', ADMIN, ADMIN_HEADERS),
  }
}

type Headers = Readonly<Record<string, string>>

/** The same for everybody. */
function fixedPage(pages: Site, page: PageName, preview: Preview, headers: Headers = PAGES_HEADERS): Handler {
  return async ({ request, path = '' }) => staticFile(request, await pageFile(pages, page, preview, path), headers)
}

/** Whether the player exists is left to the page, so that nobody learns it without being counted. */
function playerPage(
  pages: Site,
  page: PageName,
  previewOf: (name: string) => Preview,
  headers: Headers = PAGES_HEADERS,
): Handler {
  return async ({ request, route = 'playerPage', params: { name = '' } }) => {
    if (isUserName(name)) {
      return staticFile(request, await pageFile(pages, page, previewOf(name), routePath(route, { name })), headers)
    }
    const { body, contentType } = await pageFile(pages, page, UNKNOWN, '/')
    const shown = { 'content-type': contentType, 'content-length': String(body.byteLength), ...headers }
    return { status: 404, body, headers: shown }
  }
}

async function pageFile(pages: Site, page: PageName, preview: Preview, path: string): Promise<StaticFile> {
  const { gamemodes, publicUrl } = pages
  const parts = { ...preview, gamemodes, publicUrl, url: publicUrl && publicUrl + path }
  const html = (await pages.template(page)).replace(
    /\{\{(title|description|gamemodes|publicUrl|url)\}\}/g,
    (_, part: keyof typeof parts) => escapeHtml(parts[part]),
  )
  const contentType = 'text/html; charset=utf-8'
  return { contentType, body: new TextEncoder().encode(html), version: await sha256Hex(html) }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
