import type { Gamemode } from '@fish-crab/sdk/constants'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { demoPath, type PlayerAddress, playerPath, speciesPath } from '../../data/address.ts'
import {
  type DrawnProfile,
  type Followed,
  type Following,
  followCollection,
  type StreamState,
} from '../../data/follow.ts'
import { type KnownIndex, missingOf } from '../../data/known-species.ts'
import { readLastKnown, saveLastKnown } from '../../data/last-known.ts'
import { loadDemo, loadPlayer } from '../../data/load.ts'
import { collectionOf, countByRarity, type Fresh, type PlayerProfile, totalOf } from '../../data/profile.ts'
import { entriesOf, entryKey, isUsual, type ListOptions, type SpeciesName } from '../../data/species-list.ts'
import { openStream } from '../../data/stream.ts'
import { addVisit } from '../../data/visits.ts'
import { Creature } from '../../parts/creature.tsx'
import { useLazy } from '../../parts/use-lazy.ts'
import { playerTexts as texts } from '../../texts/player.tsx'
import { siteTexts } from '../../texts/site.ts'
import { MissingPage } from '../missing.tsx'
import { ProblemNotice } from '../problem.tsx'
import type { Services } from '../services.ts'
import { Head } from './head.tsx'
import { Latest } from './latest.tsx'
import { Live } from './live.tsx'
import { Ghosts, PLACES, type SpeciesLink, SpeciesList } from './species-list.tsx'
import { type SpeciesAddress, SpeciesPage } from './species-page.tsx'
import { Tabs } from './tabs.tsx'
import type { ToastsProps } from './toasts.tsx'
import { useKnownSpecies } from './use-known-species.ts'

/** The page of a player, or of the sample collection. */
export type CollectionAddress = PlayerAddress | { readonly view: 'demo'; readonly list: ListOptions }

export interface DrawnPlayer extends DrawnProfile {
  readonly recentMonth?: string | undefined
}

interface PlayerPageProps {
  readonly services: Services
  readonly address: CollectionAddress
  /** The profile from which the server has drawn the page. @default the browser loads the profile */
  readonly drawn: DrawnPlayer | undefined
  readonly onChange: (address: CollectionAddress) => void
}

/** Charts include a drawing library. They load in parallel with the data, so that they do not delay the first view. */
const loadCharts = () => import('./charts.tsx')
const loadToasts = () => import('./toasts.tsx')

function LazyToasts(props: ToastsProps) {
  const toasts = useLazy(loadToasts)
  return toasts && toasts !== 'failed' ? <toasts.Toasts {...props} /> : null
}

export function PlayerPage({ services: { client, context }, address, drawn, onChange }: PlayerPageProps) {
  const [followed, setFollowed] = useState<Followed>({ ...drawn, fresh: [] })
  const following = useRef<Following>(null)
  const name = address.view === 'player' ? address.name : undefined
  const gamemode = address.view === 'player' ? address.gamemode : undefined

  useEffect(() => {
    const started = followCollection({
      client,
      load: name === undefined ? loadDemo : loadPlayer(name),
      lastKnown: name === undefined ? undefined : readLastKnown(name),
      drawn,
      context,
      listen: name === undefined ? undefined : openStream(client, { user: name }),
      onUpdate(next) {
        setFollowed(next)
        const { profile, updatedAt, problem } = next
        if (name === undefined) return
        if (profile && updatedAt && !problem) saveLastKnown({ profile, updatedAt })
      },
    })
    following.current = started
    return () => started.stop()
  }, [client, context, name, drawn])

  const { user, rarest } = followed.profile ?? {}
  useEffect(() => {
    if (name !== undefined && user !== undefined) addVisit({ user, rarest: rarest?.[0]?.rarity })
  }, [name, user])

  function change(next: CollectionAddress, isNewPage: boolean): void {
    if (isNewPage) history.pushState(null, '', pathOf(next))
    else history.replaceState(history.state, '', pathOf(next))
    onChange(next)
  }

  const isWanted = name !== undefined && followed.profile !== undefined
  const { known, isLoading } = useKnownSpecies({ client, context }, { gamemode, isWanted })
  const opened = address.view === 'player' && address.species ? (address as SpeciesAddress) : undefined
  const list = useList(address.list)
  const link = useMemo<SpeciesLink | undefined>(() => {
    if (name === undefined) return undefined
    return {
      pathOf: (species) => speciesPath(name, species, gamemode, list),
      open: ({ kind, name: species }) =>
        openFromList({ view: 'player', name, gamemode, list, species: { kind, name: species } }),
    }
  }, [name, gamemode, list, onChange])

  function openFromList(next: SpeciesAddress): void {
    history.pushState(FROM_LIST, '', pathOf(next))
    onChange(next)
  }

  /** A catch in another gamemode than that of the page opens among all gamemodes. */
  function caughtAddress(player: string, { kind, name: species, gamemode: caughtIn }: Fresh): SpeciesAddress {
    const shown = caughtIn === gamemode ? gamemode : undefined
    return { view: 'player', name: player, gamemode: shown, list, species: { kind, name: species } }
  }
  const heading = useRef<HTMLHeadingElement>(null)
  const lister = useRef<HTMLDivElement>(null)
  useMovedFocus(opened?.species, ({ before, now }) => {
    const title = [now?.name, followed.profile?.user ?? name, siteTexts.name].filter(Boolean).join(' · ')
    document.title = title.replace(/\p{Bidi_Control}/gu, '')
    if (now) {
      heading.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    } else if (before) {
      const path = link?.pathOf(before)
      const links = lister.current?.querySelectorAll<HTMLElement>('.species-link') ?? []
      const card = [...links].find((one) => one.getAttribute('href') === path)
      const target = card ?? document.querySelector<HTMLElement>('main')
      target?.focus({ preventScroll: true })
    }
  })
  // The list stays as it was while a species is open, so that it is as long as before when it appears again.
  const isListed = useRef(!opened)
  isListed.current ||= !opened

  // A page without a stream or new catches needs no toasts.
  const hasToasts = useRef(false)
  hasToasts.current ||= followed.stream === 'open' || followed.fresh.length > 0

  function close(): void {
    if (history.state?.isFromList) history.back()
    else if (opened) change({ ...opened, species: undefined }, true)
  }

  const { profile, problem, isUnknown, updatedAt } = followed
  if (isUnknown) return <MissingPage names={[name ?? '']} />
  return (
    <>
      {problem && (
        <ProblemNotice problem={problem} updatedAt={profile && updatedAt} onRetry={() => following.current?.retry()} />
      )}
      {profile && opened && (
        <SpeciesPage
          services={{ client, context }}
          profile={profile}
          isPartial={followed.isPartial === true}
          address={opened}
          known={known}
          heading={heading}
          onMove={(next) => change(next, false)}
          onClose={close}
        />
      )}
      {profile && isListed.current && (
        <div hidden={opened !== undefined} ref={lister}>
          <ProfileView
            profile={profile}
            fresh={followed.fresh}
            isDemo={name === undefined}
            stream={followed.stream}
            isPartial={followed.isPartial === true}
            recentMonth={drawn?.recentMonth}
            known={known}
            isLoading={isLoading}
            updatedAt={updatedAt}
            gamemode={gamemode}
            list={list}
            link={link}
            onGamemode={(next) => address.view === 'player' && change({ ...address, gamemode: next }, true)}
            onList={(next) => change({ ...address, list: next }, false)}
          />
        </div>
      )}
      {!profile && <Loading name={name} isBusy={!problem} />}
      {name !== undefined && (
        <div class="toasts" role="status">
          {hasToasts.current && (
            <LazyToasts
              fresh={followed.fresh}
              pathOf={(caught) => pathOf(caughtAddress(name, caught))}
              onOpen={(caught) => {
                const next = caughtAddress(name, caught)
                if (opened) change(next, false)
                else openFromList(next)
              }}
            />
          )}
        </div>
      )}
    </>
  )
}

/** The state of a history entry that the list before it opened. */
const FROM_LIST = { isFromList: true }

function pathOf(address: CollectionAddress): string {
  if (address.view === 'demo') return demoPath(address.list)
  const { name, gamemode, list, species } = address
  return species ? speciesPath(name, species, gamemode, list) : playerPath(name, gamemode, list)
}

/** Keeps the identity of equal options, which each step in the history reads anew. */
function useList({ text, only, part, order, isTable }: ListOptions): ListOptions {
  return useMemo(() => ({ text, only, part, order, isTable }), [text, only, part, order, isTable])
}

interface Move {
  readonly before: SpeciesName | undefined
  readonly now: SpeciesName | undefined
}

/** Calls back when the page shows another species or the list, before the browser restores the place of scroll. */
function useMovedFocus(species: SpeciesName | undefined, onMove: (move: Move) => void): void {
  const shown = useRef(species)
  const key = species && entryKey(species.kind, species.name)
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = species
    if (key !== (before && entryKey(before.kind, before.name))) onMove({ before, now: species })
  }, [key])
}

interface ProfileViewProps {
  readonly known: KnownIndex | undefined
  /** Whether the known species are being loaded. */
  readonly isLoading: boolean
  readonly profile: PlayerProfile
  readonly fresh: readonly Fresh[]
  readonly isDemo: boolean
  /** Absent until the page takes over what the server drew. */
  readonly stream: StreamState | undefined
  /** Whether the profile lacks most of its species. */
  readonly isPartial: boolean
  /** The last month, if the page links to it. */
  readonly recentMonth: string | undefined
  readonly updatedAt: number | undefined
  /** @default all */
  readonly gamemode: Gamemode | undefined
  readonly list: ListOptions
  readonly link: SpeciesLink | undefined
  readonly onGamemode: (gamemode: Gamemode | undefined) => void
  readonly onList: (list: ListOptions) => void
}

function ProfileView(props: ProfileViewProps) {
  const { profile, fresh, isDemo, stream, isPartial, recentMonth, known, isLoading, updatedAt } = props
  const { gamemode, list, link, onGamemode, onList } = props
  const charts = useLazy(loadCharts)
  const whole = useMemo(() => collectionOf(profile), [profile])
  const all = useMemo(() => entriesOf(whole), [whole])
  const collection = gamemode === undefined ? whole : collectionOf(profile, gamemode)
  const entries = useMemo(() => (collection === whole ? all : entriesOf(collection)), [all, whole, collection])
  const isListed = collection.fish.unique !== undefined && collection.crab.unique !== undefined
  const { knownSpecies } = profile
  const book = useMemo(() => {
    const missing = known && isListed && !isPartial ? missingOf(entries, known) : []
    const expected = knownSpecies && gamemode === undefined ? knownSpecies.total - knownSpecies.caught : undefined
    const missingCount = known ? missing.length : expected
    return { known, missing, missingCount, isLoading: isLoading && knownSpecies !== undefined }
  }, [known, entries, isListed, isPartial, isLoading, gamemode, knownSpecies])
  // The figure of the service does not contain streamed catches.
  const counted =
    known && gamemode === undefined && isListed && !isPartial
      ? { total: known.species.length, caught: known.species.length - book.missing.length }
      : knownSpecies
  const freshKeys = useMemo(() => new Set(fresh.map(({ kind, name }) => entryKey(kind, name))), [fresh])
  return (
    <>
      <Head
        profile={profile}
        gamemode={gamemode}
        options={list}
        isDemo={isDemo}
        known={counted}
        recentMonth={recentMonth}
        link={link}
      />
      {!isDemo && (
        <div class="tabs-row">
          <Tabs profile={profile} gamemode={gamemode} onGamemode={onGamemode} />
          <Live stream={stream} updatedAt={updatedAt} />
        </div>
      )}
      {totalOf(collection) === 0 ? (
        <>
          <div class="panel empty">
            <Creature kind="fish" name="nothing" rarity="Unknown/Other" />
            <p>
              <strong>
                {gamemode === undefined ? texts.nothing(profile.user) : texts.nothingIn(profile.user, gamemode)}
              </strong>
            </p>
            <p class="quiet">
              {texts.soon} <a href="/#start">{texts.start}</a>
            </p>
          </div>
          {book.missing.length > 0 && (
            <SpeciesList
              entries={entries}
              total={0}
              book={book}
              fresh={freshKeys}
              link={link}
              options={list}
              onOptions={onList}
            />
          )}
        </>
      ) : (
        <>
          {!isListed && <p class="panel quiet">{texts.unlisted}</p>}
          {gamemode === undefined && <Latest latest={profile.latest} />}
          {/* The server sends the rarest species first. Any other view of the list needs all species. */}
          {(!isPartial || (gamemode === undefined && isUsual(list))) && (
            <SpeciesList
              entries={entries}
              total={(isPartial ? profile.unique : undefined) ?? entries.length}
              book={book}
              fresh={freshKeys}
              link={link}
              options={list}
              onOptions={onList}
            />
          )}
          {charts === undefined || isPartial ? (
            <ChartsSkeleton />
          ) : charts === 'failed' ? (
            <p class="panel quiet">{texts.noCharts}</p>
          ) : (
            <charts.Charts
              profile={profile}
              entries={all}
              byRarity={gamemode === undefined ? profile.byRarity : countByRarity(collection.fish.species)}
            />
          )}
        </>
      )}
    </>
  )
}

/** The shapes of the charts, while the charts or their data load. */
function ChartsSkeleton() {
  return (
    <div class="placeholder skeleton">
      <div class="milestones">
        <div class="placeholder-round" />
        <div class="placeholder-round" />
        <div class="placeholder-round" />
      </div>
      <div class="charts">
        <div class="placeholder-panel" />
        <div class="placeholder-panel" />
      </div>
    </div>
  )
}

interface LoadingProps {
  /** @default the name of the demo collection */
  readonly name: string | undefined
  /** Whether the collection is loading. */
  readonly isBusy: boolean
}

function Loading({ name = siteTexts.demo, isBusy }: LoadingProps) {
  return (
    <div aria-busy={isBusy}>
      {isBusy && (
        <p class="visually-hidden" role="status">
          {texts.loading}
        </p>
      )}
      <div class="banner brief">
        <div class="emblem" />
        <div class="who">
          <h1>{name}</h1>
          {isBusy && <div class="placeholder" />}
        </div>
      </div>
      {isBusy && (
        <ul class="cards ghosts">
          <Ghosts count={PLACES} />
        </ul>
      )}
    </div>
  )
}
