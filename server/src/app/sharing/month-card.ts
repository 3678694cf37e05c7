import type { Month, MonthFigures } from '../../page-data.ts'
import { figureRow, panel, panelWidth } from './card.ts'
import { type CardOptions, cardFrame, emblem, emptyPanel, heading, MARGIN, PANEL, QUIET, text } from './card-frame.ts'
import { CARD_SIZE, counted, formatNumber, LABEL_COLOURS, monthName } from './figures.ts'

/** Returns the month of a player as an SVG picture. */
export function monthCardOf({ user, month, figures }: Month, { site, address }: CardOptions): string {
  const best = figures?.best
  const rarest = best && { label: best.rarity, rarity: best.rarity }
  const trophy = rarest && best.name !== undefined ? { ...rarest, kind: 'fish' as const, name: best.name } : undefined
  const ring = rarest ?? (figures && figures.crabs > 0 ? { label: 'Crab' as const } : undefined)
  const head = [emblem(user, ring), heading(user, `${monthName(month)} · ${site}`)]
  if (!figures || figures.total === 0) {
    const nothing = figures ? 'No catches in this month.' : 'Too many days to count a month.'
    return cardFrame([...head, emptyPanel(nothing)], address)
  }
  const left = MARGIN + (trophy ? panelWidth(3) + PANEL.gap : 0)
  const shown = trophy ? [panel(trophy, { index: 0, count: 3 })] : []
  return cardFrame([...head, rowOf(figures), ...shown, chart(figures, left)], address)
}

function rowOf({ fish, crabs, fresh, streak, activeDays }: MonthFigures): string {
  return figureRow([
    [formatNumber(fish), 'fish'],
    [formatNumber(crabs), crabs === 1 ? 'crab' : 'crabs'],
    ...(fresh ? [[formatNumber(fresh.count), 'new species'] as const] : []),
    streak > 1 ? [counted(streak, 'day'), 'streak'] : [counted(activeDays, 'day'), 'with catches'],
  ])
}

const PADDING = 28
/** Height of the highest column. */
const COLUMNS = 118
/** Fewer catches do not fill the height. */
const LEAST_SCALE = 4

/** Draws a panel with a column for each day. */
function chart({ days, bestDay }: MonthFigures, left: number): string {
  const { y, height } = PANEL
  const width = CARD_SIZE.width - MARGIN - left
  const step = (width - 2 * PADDING) / days.length
  const bottom = y + height - 24
  const most = bestDay?.count ?? 1
  const columns = days.map((count, index) => {
    const tall = count === 0 ? 3 : Math.max(8, (count / Math.max(LEAST_SCALE, most)) * COLUMNS)
    const fill = index === days.indexOf(most) ? LABEL_COLOURS.Gold : '#5fd0e8'
    const x = left + PADDING + index * step + step * 0.14
    return `<rect x="${x.toFixed(1)}" y="${(bottom - tall).toFixed(1)}" width="${(step * 0.72).toFixed(1)}" height="${tall.toFixed(1)}" rx="3" fill="${fill}" fill-opacity="${count === 0 ? 0.35 : 1}"/>`
  })
  const caption = `Best day: ${counted(most, 'catch', 'catches')}`
  return `<rect x="${left}" y="${y}" width="${width}" height="${height}" rx="22" fill="#06202f" fill-opacity=".72"/>
${text(caption, { x: left + PADDING, y: y + 38, size: 24, weight: 600, fill: QUIET })}
${columns.join('')}`
}
