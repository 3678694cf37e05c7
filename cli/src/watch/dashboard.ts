import { type Gamemode, RARITIES } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'
import { catchesText, flushCommand } from '../client/flush.ts'
import type { Target } from '../config/target.ts'
import type { Context, Notes } from '../core/context.ts'
import { duration, timeOfDay } from '../core/time.ts'
import { readKeys } from '../output/keys.ts'
import { createLiveView } from '../output/live-view.ts'
import { canPrompt } from '../output/prompt.ts'
import { paint, RARITY_STYLES, type Screen } from '../output/screen.ts'
import { displayWidth, printable, truncate } from '../output/text.ts'
import type { PlayerLocation } from './gamemode.ts'
import type { HeldCatch, RecordedCatch } from './recorder.ts'
import { type CatchPrinter, totalsText } from './report.ts'

interface DashboardOptions {
  readonly user: string
  readonly target: Target
  readonly path: string
  readonly launcher: string | undefined
  readonly location: PlayerLocation
  /** Those to choose from. */
  readonly gamemodes: readonly Gamemode[]
  readonly outbox: Outbox
  readonly noInput: boolean | undefined
  /** The gamemode of catches somewhere, unless a key has chosen another. */
  readonly gamemodeOf: (where: PlayerLocation) => Gamemode | undefined
  readonly quit: () => void
  /** When what is queued is sent, in milliseconds since 1970, as far as known. */
  readonly nextSendAt: () => number
}

const REDRAW_MS = 10_000
// Catches are always collected for some seconds.
const SOON_MS = 5000
const HOUR_MS = 3_600_000
// Earlier, a rate says little.
const RATE_FROM_MS = 60_000
const ESCAPE = '\u001b'

/**
 * The screen of `watch`: catches as they come, which stay, and below them who, where and how it goes. Its `context` shows
 * what others say above it, and waits in it.
 */
export function createDashboard(context: Context & Notes, options: DashboardOptions) {
  const { clock, line, stdin } = context
  const { user, target, path, launcher, outbox, quit } = options
  const view = createLiveView(context)
  const stats = createSession(clock.now())
  const waits = new Map<string, string | undefined>()
  const ending = new AbortController()
  let { location } = options
  let chosen: { readonly gamemode: Gamemode; readonly where: PlayerLocation } | undefined
  let isChoosing = false
  let sent = 0
  let queued = 0

  const choiceFor = (where: PlayerLocation) => {
    // Until the log says that the player is somewhere else.
    const isThere = chosen?.where.gamemode === where.gamemode && chosen?.where.elsewhere === where.elsewhere
    return isThere ? chosen?.gamemode : undefined
  }
  const gamemodeOf = (where: PlayerLocation) => choiceFor(where) ?? options.gamemodeOf(where)

  const gamemodeText = () => {
    const gamemode = gamemodeOf(location)
    if (gamemode === undefined) return `no gamemode, in ${printable(location.elsewhere ?? 'an unknown place')}`
    const from = choiceFor(location) ? '' : location.gamemode === gamemode ? ', from the log' : ''
    return `${gamemode}${from}`
  }

  const hasKeys = canPrompt(context, options.noInput)
  const panel = (screen: Screen): string => {
    const { colours, unicode, width = 80 } = screen
    const cells = Math.max(20, width - 1)
    const separator = unicode ? ' · ' : ' - '
    const rule = paint('dim', (unicode ? '─' : '-').repeat(cells), colours)
    const fit = (parts: readonly string[]) => joinParts(parts, { cells, separator })
    const where = `Watching ${launcher === undefined ? '' : `the log of ${launcher}, `}`
    const file = truncateStart(printable(path), Math.max(10, cells - displayWidth(where)), unicode ? '…' : '...')
    const waiting = [...waits.values()].filter((text) => text !== undefined)
    const isSendingLater = queued > 0 && waiting.length === 0 && options.nextSendAt() - clock.now() > SOON_MS
    const next = isSendingLater ? [`sends at ${timeOfDay(options.nextSendAt())}, within the rate limit`] : []
    const keys = !hasKeys ? ['Ctrl-C: quit'] : ['g: gamemode', 'q: quit']
    const lines = [
      rule,
      ...fit([`${where}${file}`]),
      ...fit([printable(user), gamemodeText(), printable(target.url.value)]),
      ...fit([`${queued} queued`, `${sent} sent`, ...waiting, ...next]),
      ...fit([totalsText(stats.totals()), ...stats.rarities()]).map((text) => colourRarities(text, screen)),
      ...fit(stats.facts(clock.now())),
      ...(isChoosing ? fit(choiceTexts(options.gamemodes)) : fit(keys)).map((text) => paint('dim', text, colours)),
    ]
    // Taller than the screen, it could not be erased.
    return lines.slice(0, Math.max(1, (screen.height ?? Number.POSITIVE_INFINITY) - 2)).join('\n')
  }

  const refresh = async () => {
    queued = (await outbox.status()).pending
    view.draw()
  }
  const unsubscribe = outbox.subscribe((event) => {
    if (event.type === 'delivered') sent += event.count
    // Closed meanwhile.
    refresh().catch(() => {})
  })
  const tick = async () => {
    for (;;) {
      await clock.sleep(REDRAW_MS, ending.signal)
      view.draw()
    }
  }
  const onKey = (key: string) => {
    if (isChoosing) {
      const gamemode = options.gamemodes[CHOICES.indexOf(key.toLowerCase())]
      if (gamemode !== undefined) chosen = { gamemode, where: location }
      else if (key !== ESCAPE && key !== 'g') return
      isChoosing = false
    } else if (key === 'g') isChoosing = true
    else if (key === 'q') return quit()
    view.draw()
  }
  const stopKeys = hasKeys ? readKeys(stdin, { onKey, onContinue: view.drawBelow }) : () => {}
  const end = () => {
    if (ending.signal.aborted) return
    ending.abort()
    unsubscribe()
    stopKeys()
    view.remove()
  }
  line.onEnd(end)
  view.show(panel)
  refresh().catch(() => {})
  tick().catch(() => {})

  const panelLine = {
    ...line,
    set(part: string, text: string | undefined) {
      waits.set(part, text)
      view.draw()
    },
    say: view.say,
  }
  return {
    context: Object.create(context, {
      line: { value: panelLine },
      note: { value: view.say },
    }) as Context & Notes,
    print: view.print,
    gamemodeOf,
    add: stats.add,
    moved(where: PlayerLocation): void {
      if (where.gamemode === location.gamemode && where.elsewhere === location.elsewhere) return
      location = where
      view.draw()
    },
    /** Removes the panel, gives the terminal back, and says how the session was. */
    async finish(): Promise<void> {
      end()
      const { pending: left } = await outbox.status()
      context.note(`fish-cli: ${stats.summary(clock.now()).join('\n  ')}`)
      context.note(
        left === 0
          ? `  ${sent} sent, nothing is queued.`
          : `  ${sent} sent; ${catchesText(left)} ${left === 1 ? 'is' : 'are'} queued on this machine. Send them: ${flushCommand(target)}`,
      )
    },
    end,
  }
}

// Keys for gamemodes: g would be ambiguous, and q quits.
const CHOICES = [...'123456789abcdefhijklmnoprstuvwxyz']

function choiceTexts(gamemodes: readonly Gamemode[]): readonly string[] {
  return [...gamemodes.map((gamemode, index) => `${CHOICES[index]}: ${gamemode}`), 'Esc: keep']
}

/** In as many lines as needed, without breaking a part that fits in one. */
function joinParts(
  parts: readonly string[],
  { cells, separator }: { readonly cells: number; readonly separator: string },
): readonly string[] {
  const lines: string[] = []
  for (const part of parts.map((text) => truncate(text, cells, separator === ' · ' ? '…' : '...'))) {
    const last = lines.at(-1)
    const longer = `${last}${separator}${part}`
    if (last === undefined || displayWidth(longer) > cells) lines.push(part)
    else lines.splice(-1, 1, longer)
  }
  return lines
}

/** The end of a path says more than its start. */
function truncateStart(text: string, cells: number, ellipsis: string): string {
  if (displayWidth(text) <= cells) return text
  let rest = [...text]
  while (rest.length > 0 && displayWidth(rest.join('')) > cells - displayWidth(ellipsis)) rest = rest.slice(1)
  return ellipsis + rest.join('')
}

function colourRarities(text: string, { colours }: Screen): string {
  return RARITIES.reduce((sum, { label }) => {
    const style = RARITY_STYLES[label]
    return style === undefined ? sum : sum.replace(label, () => paint(style, label, colours))
  }, text)
}

/** What was caught since the start. */
function createSession(startedAt: number) {
  let totals: ReturnType<CatchPrinter['totals']> = { fish: 0, crabs: 0 }
  const rarities = new Map<string, number>()
  let firsts = 0
  let held = 0
  let live = 0
  let best: RecordedCatch | undefined

  const rankOf = ({ rarity }: RecordedCatch) => RARITIES.findIndex(({ label }) => label === rarity)
  const isBetter = (one: RecordedCatch, other: RecordedCatch) =>
    rankOf(one) - rankOf(other) || (one.lengthCm ?? 0) - (other.lengthCm ?? 0)
  const perHour = (now: number) =>
    now - startedAt < RATE_FROM_MS ? [] : [`${Math.round((live / (now - startedAt)) * HOUR_MS)} an hour`]
  const rarityTexts = () =>
    RARITIES.flatMap(({ label }) => {
      const count = rarities.get(label)
      return count === undefined ? [] : [`${label} ${count}`]
    })
  const bestText = () => {
    if (!best) return []
    const parts = [printable(best.name), best.rarity ?? '', best.lengthCm === undefined ? '' : `${best.lengthCm} cm`]
    return [`best: ${parts.filter((part) => part !== '').join(', ')} at ${timeOfDay(Date.parse(best.caughtAt))}`]
  }
  const firstsText = () => (firsts === 0 ? [] : [`${firsts} first of ${firsts === 1 ? 'its' : 'their'} kind`])

  return {
    add(one: RecordedCatch | HeldCatch): void {
      if (one.gamemode === null) {
        held += 1
        return
      }
      totals = one.kind === 'fish' ? { ...totals, fish: totals.fish + 1 } : { ...totals, crabs: totals.crabs + 1 }
      if (one.rarity !== undefined) rarities.set(one.rarity, (rarities.get(one.rarity) ?? 0) + 1)
      if (one.firstTime) firsts += 1
      // Those of an earlier time say nothing about the rate.
      if (Date.parse(one.caughtAt) >= startedAt - RATE_FROM_MS) live += 1
      if (one.kind === 'fish' && (!best || isBetter(one, best) > 0)) best = one
    },
    totals: () => totals,
    rarities: rarityTexts,
    facts: (now: number) => [
      `for ${duration(now - startedAt)}`,
      ...perHour(now),
      ...firstsText(),
      ...bestText(),
      ...(held === 0 ? [] : [`${held} held back`]),
    ],
    summary(now: number): readonly string[] {
      const rate = perHour(now).map((text) => `, ${text}`)
      const lists = [rarityTexts(), [...firstsText(), ...bestText()]].filter((texts) => texts.length > 0)
      return [
        `${totalsText(totals)} in ${duration(now - startedAt)}${rate.join('')}.`,
        ...lists.map((texts) => texts.join(', ')),
      ]
    },
  }
}
