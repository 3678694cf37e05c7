import {
  ALL_TIME,
  LEADERBOARD_FIGURES,
  type LeaderboardFigure,
  leaderboardIssue,
  rarityOfFigure,
} from '@fish-crab/sdk/constants'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Board, Leader, Leaderboard } from '../../../src/page-data.ts'
import { boardPath, playerPath } from '../data/address.ts'
import { readOwnName } from '../data/own-name.ts'
import { Creature, LateCreature, tintOf } from '../parts/creature.tsx'
import { formatNumber, UTC } from '../parts/format.ts'
import { useSite } from '../parts/site-context.ts'
import { Time } from '../parts/time.tsx'
import { leaderboardTexts as texts } from '../texts/leaderboard.ts'
import { Empty } from './empty.tsx'
import { useServices } from './services.ts'

/** Only the server counts, so an open page never changes. Its filters are links. */
export function LeaderboardPage({ drawn }: { readonly drawn: Leaderboard }) {
  const { board, leaders, players } = drawn
  return (
    <div class="board">
      <h1>{texts.title}</h1>
      <Filters {...drawn} />
      {leaders.length === 0 ? (
        <div class="panel empty">
          <Creature kind={board.kind} name="nothing" rarity="Unknown/Other" />
          <p>{texts.empty}</p>
        </div>
      ) : (
        <>
          <p class="found">
            {texts.players(players)} · {texts.counted} <Time at={drawn.countedAt} format="dateTime" />
          </p>
          <Leaders board={board} leaders={leaders} players={players} hasPodium />
        </>
      )}
      <p class="quiet">{texts.countedAgain}</p>
    </div>
  )
}

export function ClosedLeaderboard() {
  return (
    <Empty title={texts.closedTitle}>
      <p>{texts.closed}</p>
    </Empty>
  )
}

function Filters({ board, thisMonth }: Pick<Leaderboard, 'board' | 'thisMonth'>) {
  const { gamemodes } = useSite()
  const lastMonth = monthBefore(thisMonth)
  const months = [
    thisMonth,
    lastMonth,
    ...([ALL_TIME, thisMonth, lastMonth].includes(board.period) ? [] : [board.period]),
  ]
  const figures = LEADERBOARD_FIGURES.filter((by) => !leaderboardIssue({ ...board, by, period: ALL_TIME }))
  return (
    <div class="board-filters">
      <Filter label={texts.filters.kind}>
        {(['fish', 'crab'] as const).map((kind) => (
          <FilterLink key={kind} to={{ ...board, kind }} board={board}>
            {texts.kinds[kind]}
          </FilterLink>
        ))}
      </Filter>
      <Filter label={texts.filters.period}>
        {[ALL_TIME, ...months].map((period) => (
          <FilterLink key={period} to={{ ...board, period }} board={board}>
            {period === ALL_TIME ? texts.allTime : UTC.month(period)}
          </FilterLink>
        ))}
      </Filter>
      <Filter label={texts.filters.by}>
        {[...figures.slice(0, 2), ...figures.slice(2).reverse()].map((by) => (
          <FilterLink key={by} to={{ ...board, by }} board={board}>
            <Figure by={by} />
          </FilterLink>
        ))}
      </Filter>
      {gamemodes.length > 1 && (
        <Filter label={texts.filters.gamemode}>
          {[undefined, ...gamemodes].map((gamemode) => (
            <FilterLink key={gamemode ?? ''} to={{ ...board, gamemode }} board={board}>
              {gamemode ?? texts.allGamemodes}
            </FilterLink>
          ))}
        </Filter>
      )}
    </div>
  )
}

function Figure({ by }: { readonly by: LeaderboardFigure }) {
  const rarity = rarityOfFigure(by)
  if (!rarity) return <>{by === 'species' ? texts.species : texts.catches}</>
  return (
    <span class={`figure ${tintOf(rarity)}`}>
      <span class="pip" aria-hidden="true" /> {rarity}
    </span>
  )
}

function Filter({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <nav class="board-filter" aria-label={label}>
      {children}
    </nav>
  )
}

interface FilterLinkProps {
  readonly to: Board
  readonly board: Board
  readonly children: ComponentChildren
}

/** Links to the nearest leaderboard that exists, and keeps the last choice of the reader. */
function FilterLink({ to, board, children }: FilterLinkProps) {
  const path = boardPath(nearest(to, board))
  return (
    <a href={path} aria-current={path === boardPath(board) ? 'page' : undefined}>
      {children}
    </a>
  )
}

function nearest(to: Board, board: Board): Board {
  if (!leaderboardIssue(to)) return to
  return to.by === board.by ? { ...to, by: 'catches' } : { ...to, period: ALL_TIME }
}

/** @example monthBefore('2026-01') // '2025-12' */
function monthBefore(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 2)).toISOString().slice(0, 'YYYY-MM'.length)
}

interface LeadersProps {
  readonly board: Board
  readonly leaders: readonly Leader[]
  /** Number of players on the leaderboard, of whom `leaders` has the first. */
  readonly players: number
  /** Whether the first three stand on a podium. @default false */
  readonly hasPodium?: boolean
}

/** The first players of a leaderboard. The player of this device is marked, or follows below the others. */
export function Leaders({ board, leaders, players, hasPodium = false }: LeadersProps) {
  const own = useOwnPlace({ board, leaders, players })
  const rows = leaders.map((leader) => ({ ...leader, rank: rankOf(leaders, leader.count) }))
  const last = rows.at(-1)
  return (
    <ol class={hasPodium ? 'leaders podium' : 'leaders'} aria-label={texts.list}>
      {rows.map((row, index) => (
        <LeaderRow
          key={row.name}
          {...row}
          above={rows[index - 1]}
          isOwn={row.name === own?.name}
          isLate={index >= DRAWN}
        />
      ))}
      {own && !rows.some(({ name }) => name === own.name) && (
        <LeaderRow {...own} above={last} isOwn isBelow={last !== undefined && own.rank > rows.length + 1} />
      )}
    </ol>
  )
}

/** Number of players whose drawings the page of the server contains. Each drawing adds 1 KB. */
const DRAWN = 5

/** Players with equal counts share a rank. */
const rankOf = (leaders: readonly Leader[], count: number) => 1 + leaders.findIndex((one) => one.count === count)

interface RankedLeader extends Leader {
  readonly rank: number
}

/** Finds the place of the player of this device. A player below the list takes one request. */
function useOwnPlace({ board, leaders, players }: Pick<LeadersProps, 'board' | 'leaders' | 'players'>) {
  const { client } = useServices()
  const [own, setOwn] = useState<RankedLeader>()
  useEffect(() => {
    const name = readOwnName()
    if (name === undefined) return undefined
    const listed = leaders.find((leader) => leader.name.toLowerCase() === name.toLowerCase())
    if (listed) setOwn({ ...listed, rank: rankOf(leaders, listed.count) })
    if (listed || players <= leaders.length) return undefined
    const closed = new AbortController()
    client.leaderboard({ ...board, user: name, limit: 1, signal: closed.signal }).then(
      // A player with more catches than the last one is in the list, under a new name.
      ({ you }) => you && you.count <= (leaders.at(-1)?.count ?? 0) && setOwn({ name, ...you }),
      // The place of one player is not worth a message.
      () => {},
    )
    return () => closed.abort()
  }, [client, board, leaders, players])
  return own
}

interface LeaderRowProps extends RankedLeader {
  /** The player one place above. @default nobody is above */
  readonly above: Leader | undefined
  readonly isOwn: boolean
  /** Whether the row is below the first view. @default false */
  readonly isLate?: boolean
  /** Whether other players stand between this player and the one above. @default false */
  readonly isBelow?: boolean
}

function LeaderRow({ name, count, rarest, rank, above, isOwn, isLate = false, isBelow = false }: LeaderRowProps) {
  const Drawing = isLate ? LateCreature : Creature
  const gap = above ? above.count - count : 0
  return (
    <li
      class={['leader', tintOf(rarest ?? 'Unknown/Other'), isOwn && 'own', isBelow && 'below']
        .filter(Boolean)
        .join(' ')}
    >
      <span class="place">
        <span class="visually-hidden">{texts.place} </span>
        {formatNumber(rank)}
      </span>
      <span class="emblem">
        <Drawing kind="fish" name={name} rarity={rarest ?? 'Unknown/Other'} />
      </span>
      <span class="leader-name">
        <a href={playerPath(name)}>{name}</a>
        {isOwn && <span class="new">{texts.you}</span>}
        {above && <span class="quiet gap">{gap > 0 ? texts.behind(gap, above.name) : texts.equal(above.name)}</span>}
      </span>
      <strong class="number">{formatNumber(count)}</strong>
    </li>
  )
}
