import { FishCrabError, type RarityLabel, RateLimitError, type RateLimitState } from '@fish-crab/sdk'
import { LIMITS, rarityLabel } from '@fish-crab/sdk/constants'
import type { Outbox, OutboxEvent } from '@fish-crab/sdk/outbox'
import { catchesText } from '../../core/amounts.ts'
import { rejectionText } from '../../core/describe-error.ts'
import { usageError } from '../../core/errors.ts'
import { parseRarity } from '../../core/parse-values.ts'
import { timeOfDay } from '../../core/time.ts'
import { createWaitListener } from '../../session/delivery.ts'
import type { Session } from '../../session/session.ts'
import { suggestOutbox } from '../../session/target.ts'
import { RARITY_STYLES } from '../../terminal/screen.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Line } from '../../terminal/text.ts'
import type { HeldCatch, RecordedCatch } from './recorder.ts'

interface Totals {
  readonly fish: number
  readonly crabs: number
}

export function totalsText({ fish, crabs }: Totals): string {
  return `${fish} fish, ${crabs} ${crabs === 1 ? 'crab' : 'crabs'}`
}

/** Returns the command that adds the held catches of a log, or the held catches of another player. */
type AddHeld = (player: string | undefined) => string

export function createCatchPrinter(terminal: Terminal, notify: ReadonlySet<string>) {
  let totals: Totals = { fish: 0, crabs: 0 }
  /** Reasons that were reported: players, and servers that are not a gamemode. `null` stands for an unknown server. */
  const reported = new Set<string | null>()

  function noteHeld({ server, player }: HeldCatch, addHeld: AddHeld): void {
    const reason = player === undefined ? server : `player ${player}`
    if (reported.has(reason)) return
    reported.add(reason)
    const why =
      player !== undefined
        ? `The game runs as ${player}, so these catches`
        : server === null
          ? 'The log names no gamemode, so these catches'
          : `${server} is not a gamemode, so these catches`
    const next = player === undefined ? 'To add them' : `If ${player} is also you, add them`
    terminal.note(`fish-cli: ${why} are not added. They stay in the log. ${next}: ${addHeld(player)}`)
  }

  const isNotable = ({ rarity = '', firstTime }: RecordedCatch | HeldCatch) =>
    notify.has(rarity) || (firstTime === true && notify.has(FIRST))

  return {
    print(one: RecordedCatch | HeldCatch, addHeld: AddHeld): void {
      const isHeld = one.gamemode === null
      if (isNotable(one)) terminal.bell()
      if (!isHeld)
        totals = one.kind === 'fish' ? { ...totals, fish: totals.fish + 1 } : { ...totals, crabs: totals.crabs + 1 }
      if (terminal.flags.json || !isHeld) terminal.printLine({ ...one, totals }, () => catchLine(one, totals))
      if (isHeld) noteHeld(one, addHeld)
    },
    totals: () => totals,
  }
}

const FIRST = 'first'

/**
 * Parses the value of --notify to labels of rarities and `first`.
 * @throws CliError `usage`
 */
export function parseNotify(text = ''): ReadonlySet<string> {
  const words = text.split(',').map((word) => word.trim().toLowerCase())
  const labels = words
    .filter((word) => word !== '' && word !== 'off')
    .map((word) => {
      const value = word === FIRST ? undefined : parseRarity(word)
      if (word !== FIRST && value === undefined) {
        throw usageError(
          'Unknown rarity in --notify (FISH_NOTIFY).',
          'For example: fish-cli watch --notify gold,mythical,first',
        )
      }
      return value === undefined ? FIRST : rarityLabel(value)
    })
  return new Set(labels)
}

function catchLine(one: RecordedCatch | HeldCatch, totals: Totals): Line {
  const { rarity: label = '' } = one
  const details = [
    one.lengthCm === undefined ? '' : `${one.lengthCm} cm`,
    one.firstTime ? 'first of its kind' : '',
    one.byAugment ? 'by augment' : '',
    one.gamemode ?? '',
  ].filter((part) => part !== '')
  const rarity = { text: label, style: RARITY_STYLES[label as RarityLabel] }
  const comma = label !== '' && details.length > 0 ? ', ' : ''
  const before = `${timeOfDay(Date.parse(one.caughtAt))}  ${one.name}  `
  return { spans: [before, rarity, `${comma}${details.join(', ')}  (${totalsText(totals)})`] }
}

/** On a terminal, shows the numbers of waiting and sent catches in the status line. */
export function showQueue({ flags, isLive, setStatus }: Terminal, outbox: Outbox): void {
  if (flags.json || !isLive) return
  let sent = 0
  const show = async () => {
    const { pending, rejected } = await outbox.status()
    setStatus('queue', `${pending} waiting, ${sent} sent${rejected === 0 ? '' : `, ${rejected} rejected`}`)
  }
  outbox.subscribe((event) => {
    if (event.type === 'delivered') sent += event.count
    // The outbox may already be closed.
    show().catch(() => {})
  })
  show().catch(() => {})
}

/** Reports problems of the delivery. A repeated problem is not reported again until a request succeeds. */
export function reportDelivery({ target, terminal }: Session, outbox: Outbox): () => void {
  const wait = createWaitListener(terminal)
  let reported = ''
  return outbox.subscribe((event: OutboxEvent) => {
    wait(event)
    if (event.type === 'delivered') reported = ''
    if (event.type === 'rejected') {
      terminal.say(
        `fish-cli: ${catchesText(event.count)} rejected: ${rejectionText(event.reason)} See: ${suggestOutbox(target)}`,
      )
    }
    if (event.type !== 'error' || event.error instanceof RateLimitError) return
    const { code, summary } =
      event.error instanceof FishCrabError ? event.error : { code: 'unknown', summary: 'Sending failed.' }
    if (reported === code) return
    reported = code
    terminal.say(`fish-cli: ${summary} Your catches wait in the outbox and are sent later.`)
  })
}

const DEFAULT_MS = 2000
// The share of the requests in a window that is reserved for the other commands of the player.
const RESERVE = 0.4

/**
 * Returns the time to collect catches, in milliseconds. The time is longer once half of the available requests are
 * used, so that the remaining requests last until the end of the window.
 */
export function sendDelayMs(state: RateLimitState | undefined, now: number): number {
  if (!state) return DEFAULT_MS
  const { limit, remaining, resetAt } = state
  // A wrong local clock must not extend the window.
  const restMs = Math.min(Math.max(resetAt.getTime() - now, 0), LIMITS.windowSeconds * 1000)
  const reserve = Math.ceil(limit * RESERVE)
  const available = remaining - reserve
  if (available >= (limit - reserve) / 2) return DEFAULT_MS
  return Math.max(DEFAULT_MS, Math.ceil(restMs / Math.max(1, available + 1)))
}
