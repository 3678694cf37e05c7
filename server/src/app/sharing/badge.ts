import type { Profile } from '@fish-crab/sdk/contract'
import { escapeMarkup } from '../core/markup.ts'
import { drawingOf, ringOf } from './drawing.ts'
import { counted, formatNumber, LABEL_COLOURS } from './figures.ts'

const HEIGHT = 24
const PADDING = 9
const FONT_SIZE = 11
/** Width of bold text relative to normal text. */
const BOLD = 1.14

/** Returns a small SVG picture for signatures. The browser draws the text with installed fonts. */
export function badgeOf({ user, total, unique, knownSpecies: known, rarest: [rarest] }: Profile): string {
  const name = { text: user, width: widthOf(user, BOLD), x: 37 }
  const left = name.x + name.width + PADDING
  const species = known
    ? `${formatNumber(known.caught)} of ${counted(known.total, 'species', 'species')}`
    : counted(unique, 'species', 'species')
  const counts = [counted(total, 'catch', 'catches'), species].join(' · ')
  const ring = known ? ringOf(known, { x: left + PADDING + 6, y: 12, radius: 5, width: 2.5 }) : ''
  const figures = { text: counts, width: widthOf(counts), x: left + PADDING + (ring ? 17 : 0) }
  const dot = figures.x + figures.width + PADDING + 4
  const label = rarest && { text: rarest.rarity, width: widthOf(rarest.rarity), x: dot + PADDING }
  const width = (label ? label.x + label.width : figures.x + figures.width) + PADDING
  const title = [user, counts, ...(rarest ? [rarest.rarity] : [])].join(' · ')
  const colour = LABEL_COLOURS[rarest?.rarity ?? 'Crab']
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${escapeMarkup(title)}">
<title>${escapeMarkup(title)}</title>
<defs>
<linearGradient id="sea" x2="0" y2="1"><stop stop-color="#17607d"/><stop offset="1" stop-color="#0d3d55"/></linearGradient>
<clipPath id="shape"><rect width="${width}" height="${HEIGHT}" rx="6"/></clipPath>
</defs>
<g clip-path="url(#shape)">
<path fill="#0a2a3c" d="M0 0h${width}v${HEIGHT}H0z"/>
<path fill="url(#sea)" d="M0 0h${left}v${HEIGHT}H0z"/>
<path fill="#fff" opacity=".08" d="M0 0h${width}v1H0z"/>
</g>
${drawingOf({ kind: 'fish', name: user, rarity: rarest?.rarity ?? 'Unknown/Other' }, { x: 18, y: 12, scale: 0.24 })}
<g font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${FONT_SIZE}">
${textElement(name, 'fill="#fff" font-weight="bold"')}
${ring}
${textElement(figures, 'fill="#d5e8f0"')}
${label ? `<circle cx="${dot}" cy="12" r="4" fill="${colour}"/>${textElement(label, `fill="${colour}"`)}` : ''}
</g>
</svg>
`
}

interface Line {
  readonly text: string
  readonly width: number
  readonly x: number
}

/**
 * Returns text that the browser stretches to a fixed width. Otherwise, a wider or narrower font would break the layout.
 */
function textElement({ text, width, x }: Line, attributes: string): string {
  return `<text x="${x}" y="16" textLength="${width}" ${attributes}>${escapeMarkup(text)}</text>`
}

/** Estimates the width of text in Verdana, in pixels. */
function widthOf(text: string, stretch = 1): number {
  const ems = [...text].map((character) => {
    if (/[ijl.,·*|' ]/.test(character)) return 0.33
    if (/[mwMW]/.test(character)) return 0.9
    return /[A-Z0-9_]/.test(character) ? 0.65 : 0.57
  })
  return Math.ceil(ems.reduce((sum, each) => sum + each, 0) * FONT_SIZE * stretch)
}
