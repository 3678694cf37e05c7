import { useState } from 'preact/hooks'
import type {
  Versus,
  VersusFigure,
  VersusPart,
  VersusPlayer,
  VersusSide,
  VersusSpecies,
} from '../../../src/page-data.ts'
import { playerPath, VERSUS_PARTS, versusPath } from '../data/address.ts'
import { Creature, LateCreature, tintOf } from '../parts/creature.tsx'
import { formatNumber } from '../parts/format.ts'
import { isPlainClick } from '../parts/plain-click.ts'
import { ShareButton } from '../parts/share-button.tsx'
import { compareTexts as texts } from '../texts/compare.ts'
import { Empty } from './empty.tsx'
import { Emblem } from './player/head.tsx'
import { PlayerSearch } from './search.tsx'

interface VersusPageProps {
  readonly drawn: Versus
  readonly part: VersusPart
  readonly onPart: (part: VersusPart) => void
}

/** Two collections side by side. Only the server compares, so an open page never changes. */
export function VersusPage({ drawn, part, onPart }: VersusPageProps) {
  const { players, species, counts } = drawn
  const [one, other] = [players[0].user, players[1].user]
  const rows = species.filter((row) => isIn(row, part))
  const incomplete = players.filter(({ unique }) => unique === undefined)
  return (
    <>
      <Score {...drawn} />
      <div class="versus-bar">
        <nav class="board-filter" aria-label={texts.filter}>
          {VERSUS_PARTS.map((name) => (
            <a
              key={name}
              href={versusPath(one, other, name)}
              aria-current={name === part ? 'true' : undefined}
              onClick={(event) => {
                if (!isPlainClick(event)) return
                event.preventDefault()
                onPart(name)
              }}
            >
              {texts.parts[name](one, other)} <span class="quiet">{formatNumber(counts[name])}</span>
            </a>
          ))}
        </nav>
        <ShareButton title={texts.title(one, other)} path={versusPath(one, other, part)} />
      </div>
      {incomplete.map(({ user }) => (
        <p key={user} class="quiet">
          {texts.incomplete(user)}
        </p>
      ))}
      {species.length < counts.all && <p class="quiet">{texts.listed(species.length, counts.all)}</p>}
      {counts[part] === 0 ? (
        <p class="panel quiet">{nothing(part, one, other)}</p>
      ) : (
        <Rows key={part} rows={rows} players={players} />
      )}
    </>
  )
}

function nothing(part: VersusPart, one: string, other: string): string {
  const text = texts.nothing[part]
  return typeof text === 'string' ? text : text(one, other)
}

/** The page of a player who is compared with the same player. */
export function SamePlayer({ user }: { readonly user: string }) {
  return (
    <Empty title={texts.sameTitle(user)}>
      <p>{texts.same}</p>
      <PlayerSearch
        label={texts.compareWith}
        action={texts.compare}
        except={user}
        pathOf={(name) => versusPath(user, name)}
      />
    </Empty>
  )
}

function isIn({ sides: [one, other] }: VersusSpecies, part: VersusPart): boolean {
  switch (part) {
    case 'different':
      return !one || !other || one.rarity !== other.rarity
    case 'one':
      return !other
    case 'other':
      return !one
    case 'both':
      return one !== null && other !== null
    default:
      return true
  }
}

const FIGURES: readonly VersusFigure[] = ['species', 'catches', 'rarest', 'ahead']

function Score({ players, winners }: Versus) {
  const [one, other] = players
  const won = (side: number) => FIGURES.filter((figure) => winners[figure] === side).length
  return (
    <section class="banner versus" aria-label={texts.scoreLabel}>
      <h1 class="visually-hidden">{texts.title(one.user, other.user)}</h1>
      <Player player={one} />
      <p class="versus-score">
        <strong>{texts.score(won(0), won(1))}</strong>
        {won(0) === won(1) && <span class="quiet">{texts.equal}</span>}
      </p>
      <Player player={other} />
      <table class="versus-figures">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{one.user}</th>
            <td>{texts.figure}</td>
            <th scope="col">{other.user}</th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map((figure) => (
            <tr key={figure}>
              <Figure player={one} figure={figure} isBetter={winners[figure] === 0} />
              <th scope="row">{texts.figures[figure]}</th>
              <Figure player={other} figure={figure} isBetter={winners[figure] === 1} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Player({ player: { user, rarest } }: { readonly player: VersusPlayer }) {
  return (
    <div class="versus-player">
      <Emblem user={user} rarest={rarest} />
      <h2>
        <a href={playerPath(user)}>{user}</a>
      </h2>
    </div>
  )
}

interface FigureProps {
  readonly player: VersusPlayer
  readonly figure: VersusFigure
  readonly isBetter: boolean
}

function Figure({ player, figure, isBetter }: FigureProps) {
  const { rarest } = player
  const tint = figure === 'rarest' && rarest ? tintOf(rarest.rarity) : ''
  return (
    <td class={isBetter ? `better ${tint}` : tint}>
      {textOf(player, figure)}
      {isBetter && <Better />}
    </td>
  )
}

function textOf({ unique, total, rarest, ahead }: VersusPlayer, figure: VersusFigure): string {
  switch (figure) {
    case 'rarest':
      return rarest ? texts.caught(rarest.rarity, rarest.count) : texts.none
    case 'catches':
      return formatNumber(total)
    case 'ahead':
      return ahead === undefined ? texts.tooMany : formatNumber(ahead)
    case 'species':
      return unique === undefined ? texts.tooMany : formatNumber(unique)
  }
}

/** The sign of the better side, since colour alone is not a sign. */
function Better() {
  return (
    <>
      <svg class="better-sign" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
        <path d="M5 1 9 9H1z" />
      </svg>
      <span class="visually-hidden"> ({texts.better})</span>
    </>
  )
}

/** Number of species in the first view. */
const SHOWN = 24
/** Number of species whose drawings the page of the server contains. Each drawing adds 1 KB. */
const DRAWN = 4
/** Number of species that the button for more adds. */
const MORE = 96

interface RowsProps {
  readonly rows: readonly VersusSpecies[]
  readonly players: Versus['players']
}

function Rows({ rows, players }: RowsProps) {
  const [shown, setShown] = useState(SHOWN)
  return (
    <>
      <div class="versus-names" aria-hidden="true">
        {players.map(({ user }) => (
          <span key={user}>{user}</span>
        ))}
      </div>
      <ul class="versus-rows">
        {rows.slice(0, shown).map((row, index) => (
          <Row key={`${row.kind} ${row.name}`} row={row} players={players} isLate={index >= DRAWN} />
        ))}
      </ul>
      {shown < rows.length && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + MORE)}>
            {texts.more} <span class="quiet">{formatNumber(rows.length - shown)}</span>
          </button>
        </p>
      )}
    </>
  )
}

interface RowProps extends Pick<RowsProps, 'players'> {
  readonly row: VersusSpecies
  /** Whether the row is below the first view. */
  readonly isLate: boolean
}

function Row({ row, players, isLate }: RowProps) {
  const Drawing = isLate ? LateCreature : Creature
  const { kind, name, sides, better } = row
  const best = sides[better ?? 0]
  return (
    <li class="versus-row">
      <span class="versus-species">
        <Drawing kind={kind} name={name} rarity={best?.rarity} />
        <span class="versus-name">{name}</span>
      </span>
      {sides.map((side, index) => (
        <Side key={index} side={side} player={players[index]?.user ?? ''} isBetter={better === index} />
      ))}
    </li>
  )
}

interface SideProps {
  readonly side: VersusSide | null
  readonly player: string
  readonly isBetter: boolean
}

function Side({ side, player, isBetter }: SideProps) {
  return (
    <span class={['versus-side', side && tintOf(side.rarity), isBetter && 'better'].filter(Boolean).join(' ')}>
      <span class="visually-hidden">{player}: </span>
      {side ? (
        <>
          <span class="versus-rarity">{side.rarity ?? texts.crab}</span>{' '}
          <span class="versus-count">×{formatNumber(side.count)}</span>
          {isBetter && <Better />}
        </>
      ) : (
        <span class="quiet">{texts.missing}</span>
      )}
    </span>
  )
}
