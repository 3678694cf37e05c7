import { type Client, NotFoundError, RateLimitError } from '@fish-crab/sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { playerPath } from '../data/address.ts'
import { type BookEntry, bookOf, inOrder, rarestOf } from '../data/book.ts'
import { type Cabinet, collectionOf } from '../data/cabinet.ts'
import { loadPlayer } from '../data/load.ts'
import { publicUrl } from '../data/site.ts'
import { Creature, tintOf } from '../parts/creature.tsx'
import { formatNumber, formatTime } from '../parts/format.ts'
import { ShareButton } from '../parts/share-button.tsx'
import { Empty } from './empty.tsx'
import { Emblem } from './player/head.tsx'

interface VersusPageProps {
  readonly client: Client
  readonly names: readonly [string, string]
}

type State =
  | { readonly step: 'loading' }
  | { readonly step: 'loaded'; readonly cabinets: readonly Cabinet[] }
  | { readonly step: 'failed'; readonly problem: string }

/** Two collections side by side. Loading the collections takes two requests. */
export function VersusPage({ client, names }: VersusPageProps) {
  const [state, setState] = useState<State>({ step: 'loading' })
  useEffect(() => {
    const left = new AbortController()
    const load = (name: string) =>
      loadPlayer(name)(client, left.signal).catch((error: unknown) => {
        if (!left.signal.aborted) setState({ step: 'failed', problem: problemOf(error, name) })
      })
    void Promise.all(names.map(load)).then((loaded) => {
      const cabinets = loaded.flatMap((one) => (one ? [one.cabinet] : []))
      if (!left.signal.aborted && cabinets.length === names.length) setState({ step: 'loaded', cabinets })
    })
    return () => left.abort()
  }, [client, names])
  if (state.step === 'failed') {
    return (
      <Empty title="Nothing to compare">
        <p>{state.problem}</p>
      </Empty>
    )
  }
  const [one, other] = state.step === 'loaded' ? state.cabinets : []
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

function Versus({ one, other }: { readonly one: Cabinet; readonly other: Cabinet }) {
  const books = useMemo(() => [one, other].map((cabinet) => bookOf(collectionOf(cabinet))), [one, other])
  const [oneBook = [], otherBook = []] = books
  const keys = books.map((book) => new Set(book.map(({ key }) => key)))
  const only = (book: readonly BookEntry[], others: ReadonlySet<string> | undefined) =>
    inOrder(
      book.filter(({ key }) => !others?.has(key)),
      'rarity',
    )
  const shared = inOrder(
    oneBook.filter(({ key }) => keys[1]?.has(key)),
    'rarity',
  )
  return (
    <>
      <section class="cabinet versus" aria-label="Players">
        <h1 class="visually-hidden">
          {one.user} and {other.user}
        </h1>
        {[one, other].map((cabinet, index) => (
          <Player key={cabinet.user} cabinet={cabinet} book={books[index] ?? []} />
        ))}
        <span class="versus-sign" aria-hidden="true">
          vs
        </span>
      </section>
      <p class="versus-share">
        <ShareButton title={`${one.user} and ${other.user}`} url={new URL(location.pathname, publicUrl()).href} />
      </p>
      <div class="versus-columns">
        <SpeciesOf title={`Only ${one.user} has`} entries={only(oneBook, keys[1])} />
        <SpeciesOf title={`Only ${other.user} has`} entries={only(otherBook, keys[0])} />
        <SpeciesOf title="Both have" entries={shared} />
      </div>
    </>
  )
}

function Player({ cabinet, book }: { readonly cabinet: Cabinet; readonly book: readonly BookEntry[] }) {
  const { fish, crab } = collectionOf(cabinet)
  return (
    <div class="versus-player">
      <Emblem user={cabinet.user} rarest={rarestOf(book, 1)[0]} />
      <h2>
        <a href={playerPath(cabinet.user)}>{cabinet.user}</a>
      </h2>
      <ul class="figures">
        <li>
          <strong>{formatNumber(fish.total)}</strong> fish
        </li>
        <li>
          <strong>{formatNumber(crab.total)}</strong> crabs
        </li>
        {!fish.isPartial && !crab.isPartial && (
          <li>
            <strong>{formatNumber(book.length)}</strong> species
          </li>
        )}
      </ul>
    </div>
  )
}

/** Maximum number of species in a column. Thousands of species would block the page for a moment. */
const SHOWN = 60

function SpeciesOf({ title, entries }: { readonly title: string; readonly entries: readonly BookEntry[] }) {
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
        <button type="button" onClick={() => setShown(shown + SHOWN)}>
          Show more
        </button>
      )}
    </section>
  )
}
