import type { Kind, RarityLabel } from '@fish-crab/sdk/contract'
import { escapeMarkup } from '../core/markup.ts'
import { drawingOf } from './drawing.ts'
import { CARD_SIZE, LABEL_COLOURS } from './figures.ts'

const WIDTH = CARD_SIZE.width
const HEIGHT = CARD_SIZE.height

/** The space left and right of the content of a card. */
export const MARGIN = 56

/** The panels in the lower half of a card. */
export const PANEL = { y: 366, height: 196, gap: 25 } as const

export interface CardOptions {
  /** The name of the service. */
  readonly site: string
  /** The address of the page, such as `fish.example.org/@Alex`. @default not shown */
  readonly address: string | undefined
}

/** Returns a card with the content as an SVG picture. The text is in Manrope, weights 600 and 800. */
export function cardFrame(content: readonly string[], address: string | undefined): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Manrope">
${[SEA, ...content, footer(address)].join('\n')}
</svg>
`
}

/** The colour of text that matters less. */
export const QUIET = '#8fbdd0'

const SEA = `<defs>
<linearGradient id="sea" x2="0" y2="1"><stop stop-color="#0f5570"/><stop offset=".45" stop-color="#0a3550"/><stop offset="1" stop-color="#051827"/></linearGradient>
<linearGradient id="beam" x2="0" y2="1"><stop stop-color="#bff0ff" stop-opacity=".2"/><stop offset="1" stop-color="#bff0ff" stop-opacity="0"/></linearGradient>
<radialGradient id="surface" cx=".72" cy="0" r=".62"><stop stop-color="#5fd0e8" stop-opacity=".42"/><stop offset="1" stop-color="#5fd0e8" stop-opacity="0"/></radialGradient>
<radialGradient id="bubble" cx=".35" cy=".3" r=".8"><stop stop-color="#e6fbff" stop-opacity=".34"/><stop offset=".6" stop-color="#bff0ff" stop-opacity=".06"/><stop offset="1" stop-color="#bff0ff" stop-opacity=".3"/></radialGradient>
</defs>
<path fill="url(#sea)" d="M0 0h${WIDTH}v${HEIGHT}H0z"/>
<path fill="url(#surface)" d="M0 0h${WIDTH}v${HEIGHT}H0z"/>
<path fill="url(#beam)" d="M760 0h130l-190 ${HEIGHT}h-300zM960 0h64l60 ${HEIGHT}h-230zM1090 0h40l150 ${HEIGHT}h-120z"/>
<path fill="#04121e" opacity=".55" d="M0 ${HEIGHT}v-34c150-26 300-22 450-4s330 20 480-4 200-18 270-6v48z"/>
${[
  [1120, 96, 20],
  [1152, 150, 10],
  [1098, 172, 6],
  [1140, 214, 5],
  [1060, 60, 8],
  [24, 300, 9],
  [36, 250, 5],
  [1176, 420, 7],
]
  .map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}" fill="url(#bubble)"/>`)
  .join('')}`

const RING = { x: 150, y: 150, r: 92 } as const

interface Rarest {
  readonly label: RarityLabel | 'Crab'
  /** Absent for crabs. */
  readonly rarity?: RarityLabel
}

/**
 * Draws the fish of the player in a ring in the colour of the rarest catch, as on the page. The fish is pale if the
 * player has no catch.
 * @param x the middle of the ring
 */
export function emblem(user: string, rarest: Rarest | undefined, x: number = RING.x): string {
  const colour = rarest ? LABEL_COLOURS[rarest.label] : QUIET
  const { y, r } = RING
  const drawn = { kind: 'fish', name: user, rarity: rarest?.rarity ?? 'Unknown/Other' } as const
  return `<radialGradient id="glow-${x}"><stop offset=".55" stop-color="${colour}" stop-opacity=".5"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>
<circle cx="${x}" cy="${y}" r="${r * 1.45}" fill="url(#glow-${x})"/>
<circle cx="${x}" cy="${y}" r="${r}" fill="#082a3e" stroke="${colour}" stroke-width="6"/>
<circle cx="${x}" cy="${y}" r="${r - 9}" fill="none" stroke="${colour}" stroke-opacity=".35" stroke-width="2"/>
${drawingOf(drawn, { x, y, scale: 1.28, opacity: rarest ? 1 : 0.35 })}`
}

/** The name of the player, and a quiet line below. */
export function heading(user: string, below: string): string {
  const x = 280
  const name = fitted(user, { width: WIDTH - MARGIN - x, size: 92, smallest: 26 })
  return [
    text(name.text, { x, y: 150, size: name.size, weight: 800, fill: '#ffffff' }),
    text(below, { x: x + 3, y: 208, size: 28, weight: 600, fill: QUIET }),
  ].join('\n')
}

function footer(address: string | undefined): string {
  if (address === undefined) return ''
  const shown = fitted(address, { width: WIDTH - 2 * MARGIN, size: 26, smallest: 16 })
  return text(shown.text, { x: WIDTH / 2, y: 604, size: shown.size, weight: 600, fill: '#cfeaf4', anchor: 'middle' })
}

/** Draws an empty panel with a sentence between the shadows of catches to come. */
export function emptyPanel(sentence: string): string {
  const { y, height } = PANEL
  const shadow = (kind: Kind, x: number) =>
    drawingOf({ kind, name: sentence }, { x, y: y + height / 2, scale: 1.6, opacity: 0.28 })
  return [
    `<rect x="${MARGIN}" y="${y}" width="${WIDTH - 2 * MARGIN}" height="${height}" rx="22" fill="#06202f" fill-opacity=".72" stroke="${QUIET}" stroke-width="2.5" stroke-dasharray="4 12" stroke-linecap="round"/>`,
    shadow('fish', 200),
    text(sentence, { x: WIDTH / 2, y: y + height / 2 + 12, size: 34, weight: 600, fill: QUIET, anchor: 'middle' }),
    shadow('crab', WIDTH - 200),
  ].join('\n')
}

interface TextLook {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly weight: 600 | 800
  readonly fill: string
  /** @default start */
  readonly anchor?: 'middle' | undefined
}

export function text(content: string, { x, y, size, weight, fill, anchor }: TextLook): string {
  const aligned = anchor ? ` text-anchor="${anchor}"` : ''
  return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}"${aligned}>${escapeMarkup(content)}</text>`
}

/** Control, format and unassigned characters, and variation selectors, which would be boxes or turn the text around. */
const INVISIBLE = /[\p{C}\p{Variation_Selector}]/gu

/** Returns the characters of a name that a picture can show. */
export function readable(name: string): string {
  return name.normalize('NFC').replace(INVISIBLE, '').replace(/\s+/g, ' ').trim()
}

interface Room {
  readonly width: number
  readonly size: number
  readonly smallest: number
}

/** Shrinks text to the given width. Truncates text that would become too small. */
export function fitted(
  content: string,
  { width, size, smallest }: Room,
): { readonly text: string; readonly size: number } {
  const shrunk = Math.min(size, width / emsOf(content))
  if (shrunk >= smallest) return { text: content, size: Math.floor(shrunk) }
  const kept = [...content]
  let ems = emsOf(content) + ELLIPSIS_EMS
  while (ems > width / smallest) ems -= emsOf(kept.pop() ?? '')
  return { text: `${kept.join('').trimEnd()}…`, size: smallest }
}

const ELLIPSIS_EMS = 1

/** Estimates the width of text in Manrope 800 as slightly too large, in units of the font size. */
function emsOf(content: string): number {
  return [...content].reduce((sum, character) => {
    if (/[ijlI.,:;'!| ]/.test(character)) return sum + 0.36
    if (/\p{M}/u.test(character)) return sum
    if (/[mwMW@%#ÆŒæœЖШЩЮФЫжшщюфыΩω]/.test(character)) return sum + 0.98
    if (/[\p{Lo}\p{So}]/u.test(character)) return sum + 1.1
    return sum + (/[\p{Lu}\d_]/u.test(character) ? 0.74 : 0.64)
  }, 0)
}
