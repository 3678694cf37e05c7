import type { Kind, Profile, RarityLabel } from '@fish-crab/sdk/contract'
import { totalsOf } from '../catches/profile.ts'
import { type CardOptions, cardFrame, emblem, fitted, heading, MARGIN, QUIET, readable, text } from './card-frame.ts'
import { drawingOf, ringOf } from './drawing.ts'
import { CARD_SIZE, counted, formatNumber, LABEL_COLOURS } from './figures.ts'

const TROPHIES = 3

export interface Trophy {
  readonly kind: Kind
  readonly name: string
  readonly rarity?: RarityLabel
  readonly label: RarityLabel | 'Crab'
}

/** Returns the collection of a player as an SVG picture. */
export function cardOf(profile: Profile, { site, address }: CardOptions): string {
  const trophies = trophiesOf(profile)
  const content = [emblem(profile.user, trophies[0]), heading(profile.user, site), figures(profile)]
  const nothing = { x: MARGIN, y: 480, size: 34, weight: 600, fill: QUIET } as const
  const shown = trophies.length > 0 ? trophies.map(panel) : [text('The first catch is still out there.', nothing)]
  return cardFrame([...content, ...shown], address)
}

/** The rarest fish, then the latest crabs, which have no rarity. */
function trophiesOf({ rarest, latest }: Profile): readonly Trophy[] {
  const fish = rarest.map(({ name, rarity }): Trophy => ({ kind: 'fish', name, rarity, label: rarity }))
  const names = new Set(latest.flatMap(({ kind, name }) => (kind === 'crab' ? [name] : [])))
  const crabs = [...names].map((name): Trophy => ({ kind: 'crab', name, label: 'Crab' }))
  return [...fish, ...crabs].slice(0, TROPHIES)
}

const RING = { radius: 25, width: 9 } as const
const RING_SPACE = 72

function figures(profile: Profile): string {
  const { fish, crabs } = totalsOf(profile)
  const { unique, knownSpecies: known, streak } = profile
  const shown: readonly Figure[] = [
    [formatNumber(fish), 'fish'],
    [formatNumber(crabs), crabs === 1 ? 'crab' : 'crabs'],
    known
      ? [formatNumber(known.caught), `of ${formatNumber(known.total)} species`, known]
      : [formatNumber(unique), 'species'],
    ...(streak.current > 1 ? [[counted(streak.current, 'day'), 'streak'] as const] : []),
  ]
  return figureRow(shown)
}

/** A figure, its label, and the part of the ring before it. */
type Figure = readonly [value: string, label: string, ring?: Parameters<typeof ringOf>[0]]

/** Draws up to four figures. */
export function figureRow(shown: readonly Figure[]): string {
  const step = (CARD_SIZE.width - 2 * MARGIN) / 4
  const size = Math.min(...shown.map(([value]) => fitted(value, { width: step - 40, size: 50, smallest: 20 }).size))
  return shown
    .map(([value, label, part], index) => {
      const left = MARGIN + index * step
      const x = left + 20 + (part ? RING_SPACE : 0)
      return [
        `<path fill="#bff0ff" opacity=".16" d="M${left} 268h2v70h-2z"/>`,
        part ? ringOf(part, { x: left + 52, y: 303, ...RING }) : '',
        text(value, { x, y: 307, size, weight: 800, fill: '#ffffff' }),
        text(label, { x, y: 338, size: 24, weight: 600, fill: QUIET }),
      ].join('')
    })
    .join('\n')
}

export const PANEL = { y: 366, width: 346, height: 196, gap: 25 } as const

export function panel(trophy: Trophy, index: number): string {
  const { y, width, height, gap } = PANEL
  const colour = LABEL_COLOURS[trophy.label]
  const x = MARGIN + index * (width + gap)
  const middle = x + width / 2
  const known = readable(trophy.name)
  const name = fitted(known, { width: width - 40, size: 30, smallest: 22 })
  return `<radialGradient id="light-${index}" cx=".5" cy=".35" r=".6"><stop stop-color="${colour}" stop-opacity=".34"/><stop offset="1" stop-color="${colour}" stop-opacity=".04"/></radialGradient>
<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="22" fill="#06202f" fill-opacity=".72"/>
<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="22" fill="url(#light-${index})" stroke="${colour}" stroke-width="2.5"/>
${drawingOf(trophy, { x: middle, y: y + 66, scale: 1.45 })}
${known === '' ? '' : text(name.text, { x: middle, y: y + 150, size: name.size, weight: 800, fill: '#ffffff', anchor: 'middle' })}
${text(trophy.label, { x: middle, y: y + (known === '' ? 160 : 180), size: known === '' ? 28 : 22, weight: 600, fill: colour, anchor: 'middle' })}`
}
