// States of the program for players. The pictures show its built page with these states, without its process, so that
// paths and times are the same at every run.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import type { AppCatch, AppState } from '../../server/web/src/player-app/api-types.ts'
import { PROJECT } from '../test-support/language-tools.ts'

const FOLDER = join(PROJECT, 'cli/dist/player-app')
const ORIGIN = 'http://127.0.0.1:8798'
const CAUGHT: readonly (readonly [name: string, rarity: string | null, time: string])[] = [
  ['Blue Tang', 'Platinum', '17:58'],
  ['Salmon', 'Silver', '17:52'],
  ['Crab', null, '17:49'],
  ['Cod', 'Bronze', '17:41'],
  ['Coelacanth', 'Gold', '17:38'],
  ['Seahorse', 'Mythical', '17:21'],
  ['Perch', 'Bronze', '17:14'],
  ['Lionfish', 'Diamond', '17:06'],
  ['Mackerel', 'Silver', '17:03'],
  ['Koi', 'Gold', '16:55'],
  ['Pike', 'Bronze', '16:47'],
  ['Anglerfish', 'Silver', '16:40'],
]
const CATCHES = CAUGHT.map(([name, rarity, time]): AppCatch => {
  const kind = rarity === null ? 'crab' : 'fish'
  return { kind, name, rarity, gamemode: 'earth', caughtAt: `2026-11-22T${time}:00Z` }
})
const crabs = CATCHES.filter(({ kind }) => kind === 'crab').length
const best = CATCHES.find(({ rarity }) => rarity === 'Mythical') ?? null

const LOGGED_OUT: AppState = {
  version: '0.1.0',
  account: null,
  running: false,
  starting: false,
  games: [],
  day: { date: '2026-11-22', fish: 0, crabs: 0, best: null, catches: [] },
  queue: { waiting: 0, waitingReason: null, rejected: 0, rejectedReason: null },
  question: null,
  progress: null,
  newerVersion: null,
  problem: null,
  startsWithComputer: false,
}

const RUNNING: AppState = {
  ...LOGGED_OUT,
  account: { user: 'Alex', service: 'https://fish.example.org', gamemode: 'earth' },
  running: true,
  games: [
    {
      path: 'C:\\Users\\Alex\\AppData\\Roaming\\.minecraft\\logs\\latest.log',
      launcher: null,
      followed: true,
      note: 'Your catches go to earth.',
    },
    {
      path: 'C:\\Users\\Alex\\AppData\\Roaming\\PrismLauncher\\instances\\Fabric\\minecraft\\logs\\latest.log',
      launcher: 'Prism',
      followed: true,
      note: 'Your catches go to survival. The log has 14 older catches: see Old logs.',
    },
  ],
  day: { date: '2026-11-22', fish: CATCHES.length - crabs, crabs, best, catches: CATCHES },
  startsWithComputer: true,
}

const WAITING: AppState = {
  ...RUNNING,
  queue: {
    ...RUNNING.queue,
    waiting: 1,
    waitingReason: 'The service does not respond. Sending continues at 18:00:30.',
  },
}

const ASKING: AppState = {
  ...RUNNING,
  question: {
    id: 1,
    kind: 'confirm',
    text: 'Add 128 catches for Alex at https://fish.example.org?',
    about: ['4 logs: 128 catches to add, 2026-10-04 to 2026-11-21; 41 already added.', 'earth: 120 fish, 8 crabs'],
    choices: [],
  },
}

/** Returns a function that opens the page with a state. */
function openApp(state: AppState) {
  return async (page: Page): Promise<void> => {
    let isStreaming = false
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/api/session') return route.fulfill({ json: { secret: 'secret' } })
      if (pathname === '/api/events') {
        // The page opens another stream when this one ends. That stream stays silent.
        if (isStreaming) return
        isStreaming = true
        return route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(state)}\n\n` })
      }
      // The request for old logs waits for the reply to the question.
      if (pathname.startsWith('/api/')) return
      const isPage = pathname === '/'
      const path = join(FOLDER, isPage ? 'player-app.html' : `assets/${basename(pathname)}`)
      const contentType = isPage ? { contentType: 'text/html; charset=utf-8' } : {}
      return route.fulfill({ path, ...contentType, body: await readFile(path) })
    })
    await page.goto(`${ORIGIN}/#code=code`)
    await page.locator('main h1').waitFor({ state: 'attached' })
  }
}

/** The pictures of the program for players, like those of the other pages. */
export const PLAYER_APP_VIEWS = {
  'player-app-login-1440-light': openApp(LOGGED_OUT),
  async 'player-app-home-1440-light'(page: Page) {
    await page.setViewportSize({ width: 1440, height: 1260 })
    await openApp(RUNNING)(page)
  },
  async 'player-app-home-390-dark'(page: Page) {
    await page.setViewportSize({ width: 390, height: 1200 })
    await openApp(WAITING)(page)
  },
  async 'player-app-question-768-dark'(page: Page) {
    await page.setViewportSize({ width: 768, height: 1320 })
    await openApp(ASKING)(page)
    await page.getByRole('button', { name: 'Old logs' }).click()
    await page.getByRole('button', { name: 'Read the logs of my games' }).click()
    await page.evaluate(() => scrollTo(0, 0))
  },
}
