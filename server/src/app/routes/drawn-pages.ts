import {
  ALL_TIME,
  KINDS,
  LEADERBOARD_FIGURES,
  leaderboardIssue,
  leaderboardSearch,
  MONTH_PATTERN,
  routePath,
  type User,
} from '@fish-crab/sdk/contract'
import type { Board } from '../../page-data.ts'
import { firstViewOf, type WantedSpecies } from '../catches/first-view.ts'
import { recentMonth } from '../catches/month.ts'
import { createSlices } from '../core/slices.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { CARD_SIZE, descriptionOf, monthDescriptionOf, monthName, withoutDirections } from '../sharing/figures.ts'
import { caughtSpeciesOf, readSpeciesQuery, speciesDescriptionOf, speciesSearch } from '../sharing/species.ts'
import { versusDescriptionOf } from '../sharing/versus-card.ts'
import { createDrawing } from './drawn-page.ts'
import type { leaderboardHandlers } from './leaderboard.ts'
import { SITE } from './page.ts'
import type { Preview, Site } from './page-response.ts'
import type { profileHandlers } from './profile.ts'
import type { Services } from './services.ts'

/** The sources of the data of pages, whose code loads at the first use. */
export interface PageSources {
  readonly loadProfiles: () => Promise<ReturnType<typeof profileHandlers>>
  readonly loadLeaderboards: () => Promise<ReturnType<typeof leaderboardHandlers>>
}

export const LEADERBOARD: Preview = {
  title: `Leaderboard · ${SITE}`,
  description: 'Who has caught the most fish and crabs.',
}
const HOME: Preview = { title: SITE, description: 'Look up the fish and crabs that a player has caught.' }

const DEMO: Preview = { title: `Demo collection · ${SITE}`, description: 'A made-up collection of fish and crabs.' }

const HOUR_MS = 60 * 60 * 1000
/** Number of players on the page of the leaderboard. */
const PLACES = 50
/** Number of players on the home page. */
const HOME_PLACES = 5
const MOST_FISH: Board = { kind: 'fish', by: 'catches', period: ALL_TIME }
/** How long the home page waits for the leaderboard. The first count of a large service takes seconds. */
const HOME_WAIT_MS = 500

/** Creates the handlers of the pages that the service draws. */
export function drawnPages(site: Site, services: Services, { loadProfiles, loadLeaderboards }: PageSources) {
  const { renderCard, publicUrl, clock, schedule, publicLeaderboard } = services
  const { drawnPage, draw, plainPage } = createDrawing(site, services)

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

  /** Reads the first players, unless a count of all players takes longer than the page may wait. */
  async function homeLeaders() {
    const waiting = new AbortController()
    const cancel = schedule(HOME_WAIT_MS, () => waiting.abort())
    try {
      const { readLeaders } = await loadLeaderboards()
      return await readLeaders(MOST_FISH, { limit: HOME_PLACES }, waiting.signal)
    } catch {
      return undefined
    } finally {
      cancel()
    }
  }

  return {
    async homePage(context: RequestContext) {
      const leaders = publicLeaderboard ? (await homeLeaders())?.leaders : undefined
      const data = { view: 'home', ...(leaders ? { leaders } : {}) } as const
      return draw(context, routePath('homePage'), {
        version: JSON.stringify(data),
        name: 'home',
        dependsOnQuery: false,
        read: async () => ({ preview: HOME, data }),
      })
    },

    demoPage(context: RequestContext) {
      // This page is not counted, so it is drawn only in its usual order. The browser draws the others.
      if (context.query.size > 0) return plainPage(context, DEMO, routePath('demoPage'))
      const now = Math.floor(clock() / HOUR_MS) * HOUR_MS
      return draw(context, routePath('demoPage'), {
        version: String(now),
        name: 'demo',
        read: async () => ({ preview: DEMO, data: { view: 'demo', now } }),
      })
    },

    playerPage: drawnPage({
      route: 'playerPage',
      isBrowserDrawn: true,
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
      isBrowserDrawn: true,
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
      async find(context, [one, other]) {
        if (!one || !other) throw new HttpError('user_not_found')
        if (one.id === other.id) {
          const data = { view: 'same', user: one.name } as const
          const preview = versusPreview({ name: one.name, other: one.name })
          return { version: `same ${one.name}`, name: `same ${one.id}`, read: async () => ({ preview, data }) }
        }
        const found = await (await loadProfiles()).comparisons({ users: [one, other], client: context.site })
        return {
          version: found.version,
          name: `versus ${one.id} ${other.id}`,
          async read(signal) {
            const versus = await found.read(signal)
            const names = { name: one.name, other: other.name }
            const image = cardAt(routePath('versusCard', names), `The score of ${one.name} against ${other.name}`)
            const preview = { ...versusPreview(names), description: versusDescriptionOf(versus), image }
            return { preview, data: { view: 'versus', ...versus } }
          },
        }
      },
    }),

    leaderboardPage: drawnPage({
      route: 'leaderboardPage',
      plain: () => LEADERBOARD,
      search: (query) => leaderboardSearch(readBoard(query, site.gamemodes)),
      async find({ query, request: { signal } }) {
        const board = readBoard(query, site.gamemodes)
        const thisMonth = new Date(clock()).toISOString().slice(0, 'YYYY-MM'.length)
        const leaders = await (await loadLeaderboards()).readLeaders(board, { limit: PLACES }, signal)
        const data = { view: 'leaderboard', board, thisMonth, ...leaders } as const
        return {
          version: JSON.stringify(data),
          name: `leaderboard ${leaderboardSearch(board)}`,
          read: async () => ({ preview: LEADERBOARD, data }),
        }
      },
    }),
  }
}

/** Reads a leaderboard from a query. Ignores invalid values, so that a link with a typo still has a page. */
function readBoard(query: URLSearchParams, gamemodes: readonly string[]): Board {
  const [kind, by, gamemode, period] = ['kind', 'by', 'gamemode', 'period'].map((name) => query.get(name) ?? '')
  const board: Board = {
    kind: KINDS.find((one) => one === kind) ?? 'fish',
    by: LEADERBOARD_FIGURES.find((one) => one === by) ?? 'catches',
    gamemode: gamemodes.find((one) => one === gamemode),
    period: period !== undefined && MONTH_PATTERN.test(period) ? period : ALL_TIME,
  }
  return leaderboardIssue(board) ? { ...board, by: 'catches' } : board
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
