import type { Versus, VersusFigure, VersusPlayer } from '../../page-data.ts'
import { type CardOptions, cardFrame, emblem, fitted, MARGIN, QUIET, text } from './card-frame.ts'
import { CARD_SIZE, counted, formatNumber, LABEL_COLOURS } from './figures.ts'

const MIDDLE = CARD_SIZE.width / 2
/** The middle of the half of a player. */
const middleOf = (side: number) => (side === 0 ? 250 : CARD_SIZE.width - 250)
/** The space between the middle of the card and the sign of the better player. */
const SIGN = 120
const ROWS: readonly (readonly [VersusFigure, string])[] = [
  ['species', 'species'],
  ['catches', 'catches'],
  ['rarest', 'rarest'],
  ['ahead', 'species ahead'],
]

/** The number of figures in which each player is better. */
function scoreOf({ winners }: Versus): readonly [number, number] {
  const won = Object.values(winners)
  return [won.filter((winner) => winner === 0).length, won.filter((winner) => winner === 1).length]
}

/** Returns the score of two players as an SVG picture. */
export function versusCardOf(versus: Versus, { address }: CardOptions): string {
  const { players, winners } = versus
  const [one, other] = scoreOf(versus)
  return cardFrame(
    [
      ...players.map(headOf),
      text(`${one} : ${other}`, { x: MIDDLE, y: 180, size: 84, weight: 800, fill: '#ffffff', anchor: 'middle' }),
      ...ROWS.flatMap(([figure, label], row) => {
        const y = 372 + row * 60
        return [
          `<path fill="#bff0ff" opacity=".16" d="M${MARGIN} ${y + 17}h${CARD_SIZE.width - 2 * MARGIN}v2H${MARGIN}z"/>`,
          text(label, { x: MIDDLE, y, size: 28, weight: 600, fill: QUIET, anchor: 'middle' }),
          ...players.map((player, side) => figureOf(player, figure, { side, y, isBetter: winners[figure] === side })),
        ]
      }),
    ],
    address,
  )
}

function headOf({ user, rarest }: VersusPlayer, side: number): string {
  const x = middleOf(side)
  const name = fitted(user, { width: 420, size: 44, smallest: 22 })
  const shown = rarest && { label: rarest.rarity, rarity: rarest.rarity }
  return [
    emblem(user, shown, x),
    text(name.text, { x, y: 304, size: name.size, weight: 800, fill: '#ffffff', anchor: 'middle' }),
  ].join('')
}

interface Position {
  readonly side: number
  readonly y: number
  readonly isBetter: boolean
}

/** Draws a figure of a player. A triangle points at the better one, because colour alone is not a sign. */
function figureOf(player: VersusPlayer, figure: VersusFigure, { side, y, isBetter }: Position): string {
  const { rarest } = player
  const shown = {
    species: player.unique === undefined ? 'too many' : formatNumber(player.unique),
    catches: formatNumber(player.total),
    ahead: player.ahead === undefined ? '–' : formatNumber(player.ahead),
    rarest: rarest ? `${rarest.rarity} ×${formatNumber(rarest.count)}` : 'none',
  }[figure]
  const sign = side === 0 ? -1 : 1
  const x = middleOf(side)
  const colour = figure === 'rarest' && rarest ? LABEL_COLOURS[rarest.rarity] : '#ffffff'
  const value = fitted(shown, { width: 300, size: 40, smallest: 20 })
  const tip = MIDDLE + sign * SIGN
  return [
    text(value.text, {
      x,
      y,
      size: value.size,
      weight: isBetter ? 800 : 600,
      fill: isBetter ? colour : QUIET,
      anchor: 'middle',
    }),
    isBetter ? `<path fill="${LABEL_COLOURS.Gold}" d="M${tip + sign * 18} ${y - 10}l${-sign * 18} -11v22z"/>` : '',
  ].join('')
}

/** @example 'Anna leads Ben 3 : 1. Anna has 320 catches against 410, 53 species against 41.' */
export function versusDescriptionOf(versus: Versus): string {
  const [one, other] = versus.players
  const [won, lost] = scoreOf(versus)
  const score =
    won === lost
      ? `${one.user} and ${other.user} are equal, ${won} : ${lost}.`
      : won > lost
        ? `${one.user} leads ${other.user} ${won} : ${lost}.`
        : `${other.user} leads ${one.user} ${lost} : ${won}.`
  const catches = `${counted(one.total, 'catch', 'catches')} against ${formatNumber(other.total)}`
  const species =
    one.unique === undefined || other.unique === undefined
      ? ''
      : `, ${formatNumber(one.unique)} species against ${formatNumber(other.unique)}`
  return `${score} ${one.user} has ${catches}${species}.`
}
