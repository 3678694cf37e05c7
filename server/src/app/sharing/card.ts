import type { Kind, Profile, RarityLabel } from '@fish-crab/sdk/contract'
import { totalsOf } from '../catches/profile.ts'
import {
  type CardOptions,
  cardFrame,
  emblem,
  emptyPanel,
  fitted,
  heading,
  MARGIN,
  PANEL,
  QUIET,
  readable,
  text,
} from './card-frame.ts'
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
  const shown = trophies.map((trophy, index) => panel(trophy, { index, count: trophies.length }))
  const lower = shown.length > 0 ? shown : [emptyPanel('The first catch is still out there.')]
  return cardFrame([...content, ...lower], address)
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

/** Draws up to four figures across the card. */
export function figureRow(shown: readonly Figure[]): string {
  const step = (CARD_SIZE.width - 2 * MARGIN + PANEL.gap) / shown.length
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

interface PanelPlace {
  readonly index: number
  /** The number of panels that share the width of the card. */
  readonly count: number
}

/** @returns the width of each of some panels across the card */
export const panelWidth = (count: number) => (CARD_SIZE.width - 2 * MARGIN + PANEL.gap) / count - PANEL.gap

/** Draws a trophy above its name, or beside its name if the panel is wide. */
export function panel(trophy: Trophy, { index, count }: PanelPlace): string {
  const { y, height, gap } = PANEL
  const colour = LABEL_COLOURS[trophy.label]
  const width = panelWidth(count)
  const x = MARGIN + index * (width + gap)
  const isWide = count < TROPHIES
  const known = readable(trophy.name)
  const room = isWide
    ? { width: width / 2 - 24, size: 52, smallest: 26 }
    : { width: width - 40, size: 30, smallest: 22 }
  const name = fitted(known, room)
  const labelSize = isWide || known === '' ? 28 : 22
  const drawing = isWide
    ? { x: x + width * 0.26, y: y + height / 2, scale: 2.2 }
    : { x: x + width / 2, y: y + 66, scale: 1.45 }
  const texts = isWide
    ? { x: x + width / 2, y: y + 100, below: y + (known === '' ? 108 : 144) }
    : { x: x + width / 2, y: y + 150, below: y + (known === '' ? 160 : 180) }
  const anchor = isWide ? undefined : 'middle'
  return `<radialGradient id="light-${index}" cx="${isWide ? 0.26 : 0.5}" cy="${isWide ? 0.5 : 0.35}" r=".6"><stop stop-color="${colour}" stop-opacity=".34"/><stop offset="1" stop-color="${colour}" stop-opacity=".04"/></radialGradient>
<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="22" fill="#06202f" fill-opacity=".72"/>
<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="22" fill="url(#light-${index})" stroke="${colour}" stroke-width="2.5"/>
${drawingOf(trophy, drawing)}
${known === '' ? '' : text(name.text, { x: texts.x, y: texts.y, size: name.size, weight: 800, fill: '#ffffff', anchor })}
${text(trophy.label, { x: texts.x, y: texts.below, size: labelSize, weight: 600, fill: colour, anchor })}`
}
