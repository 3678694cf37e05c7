import { type Client, NotFoundError, type Profile, RateLimitError } from '@fish-crab/sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { playerPath, versusPath } from '../data/address.ts'
import { loadPlayer } from '../data/load.ts'
import { collectionOf, kindTotal, type PlayerProfile, playerProfileOf } from '../data/profile.ts'
import { entriesOf, inOrder, type SpeciesEntry } from '../data/species-list.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber, formatTime } from '../parts/format.ts'
import { ShareButton } from '../parts/share-button.tsx'
import { Empty } from './empty.tsx'
import { Emblem } from './player/head.tsx'

interface VersusPageProps {
  readonly client: Client
  readonly names: readonly [string, string]
  /** The profiles from which the server has drawn the page. @default the browser loads the profiles */
  readonly drawn: readonly [Profile, Profile] | undefined
}

type State =
  | { readonly step: 'loading' }
  | { readonly step: 'loaded'; readonly profiles: readonly PlayerProfile[] }
  | { readonly step: 'failed'; readonly problem: string }

/** Two collections side by side. Loading the collections takes two requests. */
export function VersusPage({ client, names, drawn }: VersusPageProps) {
  const [state, setState] = useState<State>(() =>
    drawn ? { step: 'loaded', profiles: drawn.map(playerProfileOf) } : { step: 'loading' },
  )
  useEffect(() => {
    if (drawn) return undefined
    const left = new AbortController()
    const load = (name: string) =>
      loadPlayer(name)(client, left.signal).catch((error: unknown) => {
        if (!left.signal.aborted) setState({ step: 'failed', problem: problemOf(error, name) })
      })
    void Promise.all(names.map(load)).then((loaded) => {
      const profiles = loaded.flatMap((one) => (one ? [one.profile] : []))
      if (!left.signal.aborted && profiles.length === names.length) setState({ step: 'loaded', profiles })
    })
    return () => left.abort()
  }, [client, names, drawn])
  if (state.step === 'failed') {
    return (
      <Empty title="Nothing to compare">
        <p>{state.problem}</p>
      </Empty>
    )
  }
  const [one, other] = state.step === 'loaded' ? state.profiles : []
  if (!one || !other) return <div class="placeholder tall" aria-busy="true" />
  return <Versus one={one} other={other} />
}

function problemOf(error: unknown, name: string): string {
  if (error instanceof NotFoundError) return `This server does not know ${name}. Check the spelling.`
  if (error instanceof RateLimitError) {
    return `Too many requests from your network. Reload the page after ${formatTime(error.resetAt.getTime())}.`
  }
  return 'The server does not respond. Reload the page to try again.'
}

function Versus({ one, other }: { readonly one: PlayerProfile; readonly other: PlayerProfile }) {
  const lists = useMemo(() => [one, other].map((profile) => entriesOf(collectionOf(profile))), [one, other])
  const [oneList = [], otherList = []] = lists
  const keys = lists.map((list) => new Set(list.map(({ key }) => key)))
  const only = (list: readonly SpeciesEntry[], others: ReadonlySet<string> | undefined) =>
    inOrder(
      list.filter(({ key }) => !others?.has(key)),
      'rarity',
    )
  const shared = inOrder(
    oneList.filter(({ key }) => keys[1]?.has(key)),
    'rarity',
  )
  return (
    <>
      <section class="banner versus" aria-label="Players">
        <h1 class="visually-hidden">
          {one.user} and {other.user}
        </h1>
        {[one, other].map((profile) => (
          <Player key={profile.user} profile={profile} />
        ))}
        <span class="versus-sign" aria-hidden="true">
          vs
        </span>
      </section>
      <p class="versus-share">
        <ShareButton title={`${one.user} and ${other.user}`} path={versusPath(one.user, other.user)} />
      </p>
      <div class="versus-columns">
        <SpeciesOf title={`Only ${one.user} has`} entries={only(oneList, keys[1])} />
        <SpeciesOf title={`Only ${other.user} has`} entries={only(otherList, keys[0])} />
        <SpeciesOf title="Both have" entries={shared} />
      </div>
    </>
  )
}

function Player({ profile }: { readonly profile: PlayerProfile }) {
  return (
    <div class="versus-player">
      <Emblem user={profile.user} rarest={profile.rarest[0]} />
      <h2>
        <a href={playerPath(profile.user)}>{profile.user}</a>
      </h2>
      <ul class="counts">
        <li>
          <strong>{formatNumber(kindTotal(profile, 'fish'))}</strong> fish
        </li>
        <li>
          <strong>{formatNumber(kindTotal(profile, 'crab'))}</strong> crabs
        </li>
        {profile.unique !== undefined && (
          <li>
            <strong>{formatNumber(profile.unique)}</strong> species
          </li>
        )}
      </ul>
    </div>
  )
}

/** Number of species in the first view of a column. Each drawing adds 1 KB to the page of the server. */
const SHOWN = 6
/** Number of species that the button for more adds. */
const MORE = 48

function SpeciesOf({ title, entries }: { readonly title: string; readonly entries: readonly SpeciesEntry[] }) {
  const [shown, setShown] = useState(SHOWN)
  return (
    <section class="panel">
      <h2>
        {title} <span class="quiet">{formatNumber(entries.length)}</span>
      </h2>
      <ul class="versus-species">
        {entries.slice(0, shown).map(({ key, kind, name, rarity }) => (
          <li key={key} class={tintOf(rarity)}>
            <Creature kind={kind} name={name} rarity={rarity} />
            <span>{name}</span>
            <span class="card-rarity">{rarity ?? 'Crab'}</span>
          </li>
        ))}
      </ul>
      {shown < entries.length && (
        <button type="button" onClick={() => setShown(shown + MORE)}>
          Show more
        </button>
      )}
    </section>
  )
}
