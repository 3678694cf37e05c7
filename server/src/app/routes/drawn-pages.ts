import { isUserName, type Kind, type PAGE_ROUTES, routePath, type User } from '@fish-crab/sdk/contract'
import type { PageData } from '../../page-data.ts'
import { type FirstView, firstViewOf, type WantedSpecies } from '../catches/first-view.ts'
import { recentMonth } from '../catches/month.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createSlices } from '../core/slices.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { canonicalPath } from '../http/path.ts'
import { staticFile } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { CARD_SIZE, descriptionOf, monthDescriptionOf, monthName, withoutDirections } from '../sharing/figures.ts'
import { caughtSpeciesOf, readSpeciesQuery, speciesDescriptionOf, speciesSearch } from '../sharing/species.ts'
import { isVisible } from '../users/users.ts'
import { createFindLeaders } from './leaderboard.ts'
import { movedTo } from './moved.ts'
import { SITE } from './page.ts'
import { PAGES_HEADERS } from './page-headers.ts'
import {
  IMPOSSIBLE,
  missingPage,
  NO_PAGE,
  PAGE_TYPE,
  type Preview,
  pageFile,
  pageHtml,
  type Site,
} from './page-response.ts'
import type { profileHandlers } from './profile.ts'
import type { Services } from './services.ts'

export type LoadProfiles = () => Promise<ReturnType<typeof profileHandlers>>

export const LEADERBOARD: Preview = {
  title: `Leaderboard · ${SITE}`,
  description: 'Who has caught the most fish and crabs.',
}
const UNKNOWN: Preview = { title: `Player not found · ${SITE}`, description: 'No player has this name.' }

/** Number of players on the page of the leaderboard. */
const PLACES = 50

/** A view of a page that is read on demand. */
interface FoundView {
  /** Text that changes whenever the view changes. */
  readonly version: string
  /** The name of the view in the cache. */
  readonly name: string
  readonly read: (signal: AbortSignal) => Promise<{ readonly preview: Preview; readonly data: PageData | undefined }>
}

interface DrawnPage {
  readonly route: keyof typeof PAGE_ROUTES
  /** The preview of the page without data. */
  readonly plain: (params: Readonly<Record<string, string>>) => Preview
  /** The part of the query on which the canonical address depends, or `undefined` if it has no page. @default empty */
  readonly search?: (query: URLSearchParams) => string | undefined
  /** Finds the view of the players in the path. */
  readonly find: (context: RequestContext, players: readonly User[]) => Promise<FoundView>
}

/**
 * Creates the handlers of the pages that the service draws. Each counts as a request. Above the rate limit, and while
 * the storage does not respond, the page is plain, and the browser loads the data.
 */
export function drawnPages(site: Site, services: Services, loadProfiles: LoadProfiles) {
  const { users, limitRate, renderCard, logger, publicUrl, responses, readQueue, clock } = services
  const findLeaders = createFindLeaders(services, (user) => isVisible(user))

  function drawnPage({ route, plain, search = () => '', find }: DrawnPage): Handler {
    return async (context) => {
      const { request, requestId, params, query } = context
      const { month: _, ...named } = params
      const more = search(query)
      if (more === undefined) return missingPage(site, { page: 'collection', preview: NO_PAGE }, 'not_found')
      const missing = (preview: Preview) => missingPage(site, { page: 'collection', preview }, 'user_not_found')
      if (!Object.values(named).every(isUserName)) return missing(IMPOSSIBLE)
      try {
        // Start the lookups before the count, so that all share a round trip to Redis.
        const lookups = Object.values(named).map((name) => users.find(name))
        for (const lookup of lookups) lookup.catch(() => {})
        await limitRate(context)
        const found = await Promise.all(lookups)
        const moved = movedTo(route, context, Object.fromEntries(Object.keys(named).map((key, at) => [key, found[at]])))
        if (moved) return moved
        const players = found.filter((user) => user !== undefined && isVisible(user)) as User[]
        if (players.length < found.length) return missing(UNKNOWN)
        const names = Object.fromEntries(Object.keys(named).map((key, at) => [key, players[at]?.name ?? '']))
        const path = routePath(route, { ...params, ...names }) + more
        return await draw(context, path, await find(context, players))
      } catch (error) {
        request.signal.throwIfAborted()
        if (!(error instanceof HttpError)) logger.error({ requestId, err: error }, 'a page could not be drawn')
      }
      const path = routePath(route, params) + more
      const file = await pageFile(site, { page: 'collection', preview: plain(params), path })
      return staticFile(request, file, PAGES_HEADERS)
    }
  }

  async function draw({ request, site: client }: RequestContext, path: string, { version, name, read }: FoundView) {
    const pathname = canonicalPath(request.url)
    const { search } = new URL(request.url)
    const template = await site.template('collection')
    const etag = `W/"${(await sha256Hex(JSON.stringify([template, version, pathname, search]))).slice(0, 32)}"`
    const headers = { ...PAGES_HEADERS, 'content-type': PAGE_TYPE }
    const response = responses(request, { etag, version: etag, name: `page ${name}`, client, headers })
    return (
      response.unchanged() ??
      response.cached() ??
      response.shared(async (signal) => {
        const { preview, data } = await read(signal)
        const { gamemodes, hasLeaderboard, render } = site
        const html =
          data && (await render?.({ site: { gamemodes, hasLeaderboard }, place: { pathname, search }, data }))
        const drawing = data && html !== undefined ? { html, data } : undefined
        return new TextEncoder().encode(
          await pageHtml(site, { page: 'collection', preview, path, drawing }),
        ) as Uint8Array<ArrayBuffer>
      })
    )
  }

  async function findProfiles(context: RequestContext, players: readonly User[], wanted?: WantedSpecies) {
    const { profiles } = await loadProfiles()
    return Promise.all(
      players.map(async (user) => {
        const { version, read } = await profiles({ user, withSpecies: true, client: context.site })
        return {
          version,
          read: async (signal: AbortSignal) => firstViewOf(await read(signal), createSlices(signal), wanted),
        }
      }),
    )
  }

  function cardAt(path: string, alt: string) {
    return renderCard && publicUrl !== undefined ? { ...CARD_SIZE, url: publicUrl + path, alt } : undefined
  }

  return {
    playerPage: drawnPage({
      route: 'playerPage',
      plain: ({ name = '' }) => ({
        title: `${name} · ${SITE}`,
        description: `The fish and crabs that ${name} has caught: species, rarities, counts and dates.`,
      }),
      async find(context, players) {
        const [user] = players
        const [found] = await findProfiles(context, players)
        if (!user || !found) throw new HttpError('user_not_found')
        return {
          version: found.version,
          name: `player ${user.id}`,
          async read(signal) {
            const view = await found.read(signal)
            const { profile } = view
            const { user: name } = profile
            const image = cardAt(routePath('playerCard', { name }), `The rarest catches and the totals of ${name}`)
            const preview = { title: `${name} · ${SITE}`, description: descriptionOf(profile), image }
            return { preview, data: { view: 'player', ...view, recentMonth: recentMonth(profile.days, clock()) } }
          },
        }
      },
    }),

    monthPage: drawnPage({
      route: 'monthPage',
      plain: ({ name = '', month = '' }) => ({
        title: monthTitle(name, month),
        description: `The fish and crabs that ${name} caught in ${monthName(month)}.`,
      }),
      async find({ params: { month = '' }, site: client }, players) {
        const [user] = players
        if (!user) throw new HttpError('user_not_found')
        const found = await (await loadProfiles()).months({ user, month, client })
        return {
          version: found.version,
          name: `month ${user.id} ${month}`,
          async read(signal) {
            const data = await found.read(signal)
            const image = cardAt(
              routePath('monthCard', { name: data.user, month }),
              `The catches of ${data.user} in ${monthName(month)}`,
            )
            const preview = { title: monthTitle(data.user, month), description: monthDescriptionOf(data), image }
            return { preview, data: { view: 'month', ...data } }
          },
        }
      },
    }),

    speciesPage: drawnPage({
      route: 'speciesPage',
      plain: speciesPreview,
      search(query) {
        const wanted = readSpeciesQuery(query, site.gamemodes)
        return wanted && speciesSearch(wanted)
      },
      async find(context, players) {
        const wanted = readSpeciesQuery(context.query, site.gamemodes)
        const [user] = players
        const [found] = await findProfiles(context, players, wanted)
        if (!user || !found || !wanted) throw new HttpError('user_not_found')
        return {
          version: found.version,
          name: `species ${user.id}`,
          async read(signal) {
            const view = await found.read(signal)
            const { user: name } = view.profile
            const caught = caughtSpeciesOf(view.profile, wanted)
            // The preview of a species that the player has not caught would show any text that stands in its address.
            if (!caught) return { preview: speciesPreview({ name }), data: { view: 'player', ...view } }
            const species = withoutDirections(caught.name)
            const path = routePath('speciesCard', { name }) + speciesSearch({ ...wanted, name: caught.name })
            const preview = {
              title: `${species} · ${name} · ${SITE}`,
              description: speciesDescriptionOf(caught),
              image: cardAt(path, `${species}, caught by ${name}`),
            }
            return { preview, data: { view: 'player', ...view } }
          },
        }
      },
    }),

    versusPage: drawnPage({
      route: 'versusPage',
      plain: versusPreview,
      async find(context, players) {
        const found = await findProfiles(context, players)
        return {
          version: found.map(({ version }) => version).join(' '),
          name: `versus ${players.map(({ id }) => id).join(' ')}`,
          async read(signal) {
            const views: FirstView[] = []
            for (const { read } of found) views.push(await read(signal))
            const [one, other] = views.map(({ profile }) => profile)
            const isWhole = views.every(({ isPartial }) => !isPartial)
            return {
              preview: versusPreview({ name: one?.user ?? '', other: other?.user ?? '' }),
              data: one && other && isWhole ? { view: 'versus', profiles: [one, other] } : undefined,
            }
          },
        }
      },
    }),

    leaderboardPage: drawnPage({
      route: 'leaderboardPage',
      plain: () => LEADERBOARD,
      async find({ query, site: client, request: { signal } }) {
        const kind: Kind = query.get('kind') === 'crab' ? 'crab' : 'fish'
        const work = () => findLeaders({ kind, limit: PLACES }, signal)
        const leaders = await readQueue.run({ client, signal, work })
        const data = { view: 'leaderboard', kind, leaders } as const
        return {
          version: JSON.stringify(data),
          name: `leaderboard ${kind}`,
          read: async () => ({ preview: LEADERBOARD, data }),
        }
      },
    }),
  }
}

function monthTitle(name: string, month: string): string {
  return `${name} in ${monthName(month)} · ${SITE}`
}

function speciesPreview({ name = '' }: Readonly<Record<string, string>>): Preview {
  return {
    title: `A species of ${name} · ${SITE}`,
    description: `How often ${name} has caught a species, in which rarities and when.`,
  }
}

function versusPreview({ name = '', other = '' }: Readonly<Record<string, string>>): Preview {
  return {
    title: `${name} vs ${other} · ${SITE}`,
    description: `The collections of ${name} and ${other} side by side: what one has and the other lacks.`,
  }
}
