import { type ErrorCode, routePath } from '@fish-crab/sdk/contract'
import type { PageData } from '../../page-data.ts'
import { sha256Hex } from '../core/bytes.ts'
import { escapeMarkup } from '../core/markup.ts'
import type { HandlerResponse, PageName, Pages, PageView, StaticFile } from '../http/response.ts'
import { SITE } from './page.ts'
import { PAGES_HEADERS } from './page-headers.ts'
import type { Services } from './services.ts'

export const PAGE_TYPE = 'text/html; charset=utf-8'

const PLAYER_NOT_FOUND = `Player not found · ${SITE}`
const IMPOSSIBLE: Preview = { title: PLAYER_NOT_FOUND, description: 'No player can have this name.' }
const UNKNOWN: Preview = { title: PLAYER_NOT_FOUND, description: 'No player has this name.' }

export const NO_PAGE: Preview = {
  title: `Page not found · ${SITE}`,
  description: 'There is no page at this address.',
}

/** The pages of the host, and the settings of the service that they show. */
export interface Site extends Pages {
  readonly gamemodes: Services['gamemodes']['names']
  /** Public address of the service; empty if the address is unknown. */
  readonly publicUrl: string
  readonly hasLeaderboard: boolean
}

/** How other sites show a link to a page. */
export interface Preview {
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

/** A first view, and the data from which it was drawn. */
interface Drawing {
  /** @default the browser draws the page */
  readonly html: string | undefined
  readonly data: PageData
}

interface PageContent {
  readonly page: PageName
  readonly preview: Preview
  /** The canonical path of the page. */
  readonly path: string
  /** @default the browser draws the page */
  readonly drawing?: Drawing | undefined
}

/** Returns a page that is the same for every client. */
export async function pageFile(site: Site, content: PageContent): Promise<StaticFile> {
  const html = await pageHtml(site, content)
  return { contentType: PAGE_TYPE, body: new TextEncoder().encode(html), version: await sha256Hex(html) }
}

/** Draws a page from its data. If the host draws no pages, the browser draws the page from the data. */
export async function drawingOf(site: Site, place: PageView['place'], data: PageData): Promise<Drawing> {
  const { gamemodes, hasLeaderboard, render } = site
  return { html: await render?.({ site: { gamemodes, hasLeaderboard }, place, data }), data }
}

interface MissingPage extends Pick<PageContent, 'page' | 'preview'> {
  /** The players who do not exist, without names that no player can have. @default the page does not exist */
  readonly names?: readonly string[]
}

/** Returns a page that reports that something does not exist. */
export async function missingPage(
  site: Site,
  { page, preview, names }: MissingPage,
  code: ErrorCode,
  headers: Readonly<Record<string, string>> = PAGES_HEADERS,
): Promise<HandlerResponse> {
  const place = { pathname: '/', search: '' }
  const drawing =
    page === 'collection' ? await drawingOf(site, place, { view: 'missing', ...(names ? { names } : {}) }) : undefined
  const { body, contentType } = await pageFile(site, { page, preview, path: '/', drawing })
  const all = { 'content-type': contentType, 'content-length': String(body.byteLength), ...headers }
  return { status: 404, body, headers: all, code }
}

/**
 * Returns a page that reports that players do not exist.
 * @param names as in {@link MissingPage}
 */
export function missingPlayers(
  site: Site,
  page: PageName,
  names: readonly string[],
  headers?: Readonly<Record<string, string>>,
): Promise<HandlerResponse> {
  const preview = names.length > 0 ? UNKNOWN : IMPOSSIBLE
  return missingPage(site, { page, preview, names }, 'user_not_found', headers)
}

/** Fills in the template of a page. */
export async function pageHtml(site: Site, { page, preview, path, drawing }: PageContent): Promise<string> {
  const { title, description, image } = preview
  const { gamemodes, publicUrl, hasLeaderboard } = site
  const parts = {
    title,
    description,
    gamemodes: gamemodes.join(','),
    publicUrl,
    leaderboard: hasLeaderboard ? 'public' : '',
  }
  const sections = { preview: previewTags(publicUrl && publicUrl + path, image), app: appTags(preview, drawing) }
  return (await site.template(page)).replace(
    /\{\{(title|description|gamemodes|publicUrl|leaderboard)\}\}|<!--\{\{(preview|app)\}\}-->/g,
    (_, part?: keyof typeof parts, section?: keyof typeof sections) =>
      part ? escapeMarkup(parts[part]) : section ? sections[section] : '',
  )
}

/** Returns the page as it is drawn, or a text for browsers that cannot draw it. */
function appTags({ title, description }: Preview, drawing: Drawing | undefined): string {
  const data = drawing ? `<script type="application/json" id="page-data">${scriptText(drawing.data)}</script>` : ''
  if (drawing?.html !== undefined) return `${data}\n<div id="app">${drawing.html}</div>`
  return `${data}<noscript>
<div class="unscripted">
<h1>${escapeMarkup(title)}</h1>
<p>${escapeMarkup(description)}</p>
<p>This page needs JavaScript. The API is described at <a href="${routePath('docs')}">${routePath('docs')}</a>.</p>
</div>
</noscript>
<div id="app"></div>`
}

/**
 * Returns JSON without `<`, which could end the element or hide its end, and without line separators. See
 * https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
 */
function scriptText(data: PageData): string {
  return JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
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
