import type { Client, RarityLabel } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { playerPath } from '../data/address.ts'
import { type Followed, type Following, followCollection, type PageContext } from '../data/follow.ts'
import type { PageGamemodes } from '../data/gamemodes.ts'
import { rowsOf } from '../data/list.ts'
import { type CollectionTarget, type Load, loadDemo, loadProfile } from '../data/load-collection.ts'
import { publicUrl } from '../data/public-url.ts'
import { openStream } from '../data/stream.ts'
import { type Collection, latestCatchOf, speciesKey, totalOf } from '../data/summary.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Drawing } from '../parts/drawings.tsx'
import { formatDateTime, formatNumber, formatTime, plural } from '../parts/format.ts'
import { useLazy } from '../parts/use-lazy.ts'
import { ProblemNotice } from './problem.tsx'
import { PlayerSearch } from './search.tsx'
import { SpeciesList } from './species-list.tsx'

/** What pages need of the world around them. */
export interface Services {
  readonly client: Client
  readonly context: PageContext
}

/** Whose collection, by default in the gamemode of the latest catch; `undefined`: the sample collection. */
interface CollectionPageProps {
  readonly services: Services
  readonly player: { readonly name: string; readonly gamemode: Gamemode | undefined } | undefined
  readonly gamemodes: PageGamemodes
  readonly usualGamemode: Gamemode
  readonly onGamemode: (gamemode: Gamemode) => void
}

/** With the library that they are drawn with: loaded beside the data, not before the first view. */
const loadCharts = () => import('./charts.tsx')

const EMPTY: Followed = { fresh: [] }

export function CollectionPage({ services, player, gamemodes, usualGamemode, onGamemode }: CollectionPageProps) {
  const { client, context } = services
  const [followed, setFollowed] = useState<Followed>(EMPTY)
  const following = useRef<Following>(null)
  const charts = useLazy(loadCharts)
  const { name, gamemode: wanted } = player ?? {}
  const [found, setFound] = useState<Gamemode>()
  const [counts, setCounts] = useState<ReadonlyMap<Gamemode, number>>(new Map())
  const gamemode = wanted ?? found

  useEffect(() => {
    setFollowed(EMPTY)
    setFound(undefined)
    let target: CollectionTarget | undefined
    const load: Load = async (client, signal) => {
      if (name === undefined) return loadDemo(client, signal)
      const options = { user: name, gamemode: target?.gamemode ?? wanted, usual: usualGamemode }
      const { counts, gamemode, ...collection } = await loadProfile(client, options, signal)
      setCounts(counts)
      if (target) return collection
      target = { user: name, gamemode }
      // Then the address leads others to the shown gamemode, and the way back leads here again.
      if (wanted === undefined) history.replaceState(null, '', playerPath(name, gamemode))
      setFound(gamemode)
      return collection
    }
    const started = followCollection({
      client,
      load,
      context,
      // A stream is opened after the first load.
      listen: name === undefined ? undefined : (listener) => openStream(client, target as CollectionTarget)(listener),
      onUpdate: setFollowed,
    })
    following.current = started
    return () => started.stop()
  }, [client, context, name, wanted, usualGamemode])

  const { collection, problem, isUnknown, updatedAt } = followed
  const shownCounts = collection && gamemode ? new Map([...counts, [gamemode, totalOf(collection)]]) : counts
  if (isUnknown) return <UnknownPlayer name={name ?? ''} />
  return (
    <>
      <div class="title-row">
        <div>
          <h1>{player ? (collection?.user ?? name) : 'Demo collection'}</h1>
          {!player && <p class="quiet">Made-up catches that every server has, to see what a collection looks like.</p>}
        </div>
        {player && (
          <CopyButton
            text={new URL(playerPath(collection?.user ?? player.name, gamemode), publicUrl()).href}
            label="Copy link"
          />
        )}
      </div>
      {player && (
        <GamemodeTabs
          name={player.name}
          gamemode={gamemode}
          gamemodes={gamemodes}
          counts={shownCounts}
          onGamemode={(next) => {
            setCounts(shownCounts)
            onGamemode(next)
          }}
        />
      )}
      {problem && (
        <ProblemNotice
          problem={problem}
          updatedAt={collection && updatedAt}
          onRetry={() => following.current?.retry()}
        />
      )}
      {collection ? (
        <Content
          player={player && { ...player, gamemode }}
          collection={collection}
          followed={followed}
          charts={charts}
        />
      ) : (
        !problem && <Loading />
      )}
    </>
  )
}

interface ContentProps {
  readonly player: CollectionPageProps['player']
  readonly collection: Collection
  readonly followed: Followed
  readonly charts: typeof import('./charts.tsx') | 'failed' | undefined
}

function Content({ player, collection, followed, charts }: ContentProps) {
  const { fish, crab, user } = collection
  const { fresh, updatedAt, problem } = followed
  const [rarity, setRarity] = useState<RarityLabel>()
  const rows = useMemo(() => rowsOf(collection), [collection])
  const freshKeys = useMemo(() => new Set(fresh.map((one) => `${one.kind} ${speciesKey(one)}`)), [fresh])
  const gamemode = player?.gamemode
  const latest = latestCatchOf(collection)
  return (
    <>
      <dl class="totals">
        <Total label="Fish" value={formatNumber(fish.total)} more={plural(fish.unique, 'species', 'species')} />
        <Total label="Crabs" value={formatNumber(crab.total)} more={plural(crab.unique, 'species', 'species')} />
        {latest !== undefined && (
          <div class="total wide">
            <dt>Last catch</dt>
            <dd>
              <time dateTime={latest}>{formatDateTime(latest)}</time>
            </dd>
          </div>
        )}
      </dl>
      {player && !problem && updatedAt !== undefined && (
        <p class="live">
          <span class="dot" aria-hidden="true" /> New catches appear by themselves. Updated at {formatTime(updatedAt)}.
        </p>
      )}
      <p class={fresh.length > 0 ? 'notice fresh' : 'visually-hidden'} role="status">
        {fresh.length > 0 &&
          `New: ${fresh.slice(0, 5).map(describeFresh).join(', ')}${fresh.length > 5 ? ' and more' : ''}`}
      </p>
      {rows.length === 0 ? (
        <div class="panel empty">
          <Drawing shape="unknown" />
          <p>
            <strong>
              {user} has caught nothing in {gamemode} yet.
            </strong>
          </p>
          <p class="quiet">Catches appear here as they come. Other gamemodes have collections of their own.</p>
        </div>
      ) : (
        <>
          {fish.total > 0 && (
            <div class="charts">
              {charts === undefined ? (
                <ChartPlaceholders />
              ) : charts === 'failed' ? (
                <p class="panel quiet">The charts could not be loaded. Reload the page to try again.</p>
              ) : (
                <charts.Charts fish={fish} days={collection.days} rarity={rarity} onRarity={setRarity} />
              )}
            </div>
          )}
          <SpeciesList
            rows={rows}
            fresh={freshKeys}
            rarity={rarity}
            onRarity={setRarity}
            hasTimes={latest !== undefined}
          />
        </>
      )}
    </>
  )
}

function describeFresh({ name, rarity, added }: Followed['fresh'][number]): string {
  return `${name}${rarity === undefined ? '' : ` (${rarity})`}${added > 1 ? ` ×${formatNumber(added)}` : ''}`
}

function Total({ label, value, more }: { readonly label: string; readonly value: string; readonly more: string }) {
  return (
    <div class="total">
      <dt>{label}</dt>
      <dd>
        <span class="total-value">{value}</span> <span class="quiet">{more}</span>
      </dd>
    </div>
  )
}

interface GamemodeTabsProps {
  readonly name: string
  readonly gamemode: Gamemode | undefined
  readonly gamemodes: readonly Gamemode[]
  /** Numbers of catches, where they are known. */
  readonly counts: ReadonlyMap<Gamemode, number>
  readonly onGamemode: (gamemode: Gamemode) => void
}

/** Links, so that each gamemode can be opened in a tab of its own. */
function GamemodeTabs({ name, gamemode, gamemodes, counts, onGamemode }: GamemodeTabsProps) {
  const links = useRef<HTMLElement>(null)
  // On phones, not all of them are in sight. Counts make them wider.
  useEffect(() => {
    const current = links.current?.querySelector(`[data-gamemode="${gamemode}"]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [gamemode, counts.size])
  return (
    <nav class="tabs" aria-label="Gamemode" ref={links}>
      {gamemodes.map((one) => (
        <a
          key={one}
          data-gamemode={one}
          href={playerPath(name, one)}
          aria-current={one === gamemode ? 'page' : undefined}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
            event.preventDefault()
            onGamemode(one)
          }}
        >
          {counts.has(one) ? `${one} ${formatNumber(counts.get(one) ?? 0)}` : one}
        </a>
      ))}
    </nav>
  )
}

function UnknownPlayer({ name }: { readonly name: string }) {
  return (
    <div class="panel empty">
      <Drawing shape="unknown" />
      <h1>Player not found</h1>
      <p>This server knows no player called “{name}”.</p>
      <p class="quiet">Check the spelling, or ask the owner of this server for an account.</p>
      <PlayerSearch isLarge />
    </div>
  )
}

function Loading() {
  return (
    <div aria-busy="true">
      <p class="visually-hidden" role="status">
        Loading the collection
      </p>
      <div class="totals">
        <div class="placeholder" />
        <div class="placeholder" />
      </div>
      <div class="charts">
        <ChartPlaceholders />
      </div>
    </div>
  )
}

function ChartPlaceholders() {
  return (
    <>
      <div class="placeholder tall" />
      <div class="placeholder tall" />
    </>
  )
}
