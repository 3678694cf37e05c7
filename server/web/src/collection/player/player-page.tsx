import type { Gamemode } from '@fish-crab/sdk/constants'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { demoPath, type PlayerAddress, playerPath } from '../../data/address.ts'
import { type BookOptions, bookKey, bookOf } from '../../data/book.ts'
import { type Cabinet, collectionOf, type Fresh } from '../../data/cabinet.ts'
import { type Followed, type Following, followCollection } from '../../data/follow.ts'
import { forgetLastKnown, readLastKnown, saveLastKnown } from '../../data/last-known.ts'
import { loadDemo, loadPlayer } from '../../data/load.ts'
import { openStream } from '../../data/stream.ts'
import { Creature } from '../../parts/creature.tsx'
import { formatNumber, formatTime } from '../../parts/format.ts'
import { useLazy } from '../../parts/use-lazy.ts'
import { Empty } from '../empty.tsx'
import { ProblemNotice } from '../problem.tsx'
import type { Services } from '../services.ts'
import { Book } from './book.tsx'
import { Head } from './head.tsx'
import { Tabs } from './tabs.tsx'

/** The page of a player, or of the sample collection. */
export type CollectionAddress = PlayerAddress | { readonly view: 'demo'; readonly book: BookOptions }

interface PlayerPageProps {
  readonly services: Services
  readonly address: CollectionAddress
  readonly onChange: (address: CollectionAddress) => void
}

/** Charts include a drawing library. They load in parallel with the data, so that they do not delay the first view. */
const loadCharts = () => import('./charts.tsx')

export function PlayerPage({ services: { client, context }, address, onChange }: PlayerPageProps) {
  const [followed, setFollowed] = useState<Followed>({ fresh: [] })
  const following = useRef<Following>(null)
  const name = address.view === 'player' ? address.name : undefined
  const gamemode = address.view === 'player' ? address.gamemode : undefined

  useEffect(() => {
    const started = followCollection({
      client,
      load: name === undefined ? loadDemo : loadPlayer(name),
      lastKnown: name === undefined ? undefined : readLastKnown(name),
      context,
      listen: name === undefined ? undefined : openStream(client, { user: name }),
      onUpdate(next) {
        setFollowed(next)
        const { cabinet, updatedAt, problem, isUnknown } = next
        if (name === undefined) return
        if (isUnknown) forgetLastKnown(name)
        if (cabinet && updatedAt && !problem) saveLastKnown({ cabinet, updatedAt })
      },
    })
    following.current = started
    return () => started.stop()
  }, [client, context, name])

  function change(next: CollectionAddress, isNewPage: boolean): void {
    const path = next.view === 'player' ? playerPath(next.name, next.gamemode, next.book) : demoPath(next.book)
    if (isNewPage) history.pushState(null, '', path)
    else history.replaceState(null, '', path)
    onChange(next)
  }

  const { cabinet, problem, isUnknown, updatedAt } = followed
  if (isUnknown) return <UnknownPlayer name={name ?? ''} />
  return (
    <>
      {problem && (
        <ProblemNotice problem={problem} updatedAt={cabinet && updatedAt} onRetry={() => following.current?.retry()} />
      )}
      {cabinet ? (
        <CabinetView
          cabinet={cabinet}
          fresh={followed.fresh}
          isDemo={name === undefined}
          isLive={!problem}
          updatedAt={updatedAt}
          gamemode={gamemode}
          book={address.book}
          onGamemode={(next) => address.view === 'player' && change({ ...address, gamemode: next }, true)}
          onBook={(book) => change({ ...address, book }, false)}
        />
      ) : (
        <Loading name={name} isBusy={!problem} />
      )}
    </>
  )
}

interface CabinetViewProps {
  readonly cabinet: Cabinet
  readonly fresh: readonly Fresh[]
  readonly isDemo: boolean
  readonly isLive: boolean
  readonly updatedAt: number | undefined
  /** @default all */
  readonly gamemode: Gamemode | undefined
  readonly book: BookOptions
  readonly onGamemode: (gamemode: Gamemode | undefined) => void
  readonly onBook: (book: BookOptions) => void
}

function CabinetView(props: CabinetViewProps) {
  const { cabinet, fresh, isDemo, isLive, updatedAt, gamemode, book, onGamemode, onBook } = props
  const charts = useLazy(loadCharts)
  const all = useMemo(() => bookOf(collectionOf(cabinet)), [cabinet])
  const collection = useMemo(() => collectionOf(cabinet, gamemode), [cabinet, gamemode])
  const entries = useMemo(() => (gamemode === undefined ? all : bookOf(collection)), [all, collection, gamemode])
  const freshKeys = useMemo(() => new Set(fresh.map(({ kind, name }) => bookKey(kind, name))), [fresh])
  const isPartial = collection.fish.isPartial || collection.crab.isPartial
  const { user, days } = cabinet
  return (
    <>
      <Head cabinet={cabinet} book={all} gamemode={gamemode} options={book} isDemo={isDemo} />
      <p class={fresh.length > 0 ? 'notice fresh' : 'visually-hidden'} role="status">
        {fresh.length > 0 &&
          `New: ${fresh.slice(0, 5).map(describeFresh).join(', ')}${fresh.length > 5 ? ' and more' : ''}`}
      </p>
      {!isDemo && (
        <div class="tabs-row">
          <Tabs cabinet={cabinet} gamemode={gamemode} onGamemode={onGamemode} />
          {isLive && updatedAt !== undefined && (
            <p class="live" title={`Updated at ${formatTime(updatedAt)}`}>
              <span class="dot" aria-hidden="true" /> Live
            </p>
          )}
        </div>
      )}
      {isPartial && <p class="panel quiet">Some species are not listed, because there are too many species or days.</p>}
      {entries.length === 0 && !isPartial ? (
        <div class="panel empty">
          <Creature kind="fish" name="nothing" rarity="Unknown/Other" />
          <p>
            <strong>
              {user} has caught nothing {gamemode === undefined ? '' : `in ${gamemode} `}yet.
            </strong>
          </p>
          <p class="quiet">
            Catches appear here as they are stored. <a href="/#start">How do I start?</a>
          </p>
        </div>
      ) : (
        <>
          {entries.length > 0 && <Book entries={entries} fresh={freshKeys} options={book} onOptions={onBook} />}
          {charts === undefined ? (
            <div class="placeholder tall" />
          ) : charts === 'failed' ? (
            <p class="panel quiet">The charts could not be loaded. Reload the page to try again.</p>
          ) : (
            <charts.Charts book={all} fish={collection.fish} days={days} />
          )}
        </>
      )}
    </>
  )
}

function describeFresh({ name, rarity, added }: Fresh): string {
  return `${name}${rarity === undefined ? '' : ` (${rarity})`}${added > 1 ? ` ×${formatNumber(added)}` : ''}`
}

function UnknownPlayer({ name }: { readonly name: string }) {
  return (
    <Empty title="Player not found">
      <p>No player “{name}” on this server.</p>
      <p class="quiet">Check the spelling, or ask the owner of this server for an account.</p>
    </Empty>
  )
}

interface LoadingProps {
  /** @default the name of the demo collection */
  readonly name: string | undefined
  /** Whether the collection is loading. */
  readonly isBusy: boolean
}

function Loading({ name = 'Demo collection', isBusy }: LoadingProps) {
  return (
    <div aria-busy={isBusy}>
      {isBusy && (
        <p class="visually-hidden" role="status">
          Loading the collection
        </p>
      )}
      <div class="cabinet brief">
        <div class="emblem" />
        <div class="who">
          <h1>{name}</h1>
        </div>
      </div>
      {isBusy && <div class="placeholder tall" />}
    </div>
  )
}
