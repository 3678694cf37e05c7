import type { Gamemode } from '@fish-crab/sdk/constants'
import type { ComponentChildren, Ref } from 'preact'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { type PlayerAddress, playerPath, speciesPath } from '../../data/address.ts'
import { type KnownIndex, shareOf } from '../../data/known-species.ts'
import { collectionOf, type PlayerProfile } from '../../data/profile.ts'
import { gamemodesOf, loadedGamemodes, type RarityRow, rarityRows, spanOf } from '../../data/species.ts'
import {
  entriesOf,
  findEntry,
  inOrder,
  matching,
  RAREST_FIRST,
  type SpeciesEntry,
  type SpeciesName,
} from '../../data/species-list.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatNumber } from '../../parts/format.ts'
import { isPlainClick } from '../../parts/plain-click.ts'
import { ShareButton } from '../../parts/share-button.tsx'
import { Time } from '../../parts/time.tsx'
import { catchesTexts } from '../../texts/catches.ts'
import { speciesTexts as texts } from '../../texts/species.tsx'
import type { Services } from '../services.ts'
import { SpeciesDays } from './species-days.tsx'
import { Times } from './species-list.tsx'
import './species-page.css'

/** An address that shows a species. */
export type SpeciesAddress = PlayerAddress & { readonly species: SpeciesName }

interface SpeciesPageProps {
  readonly services: Services
  readonly profile: PlayerProfile
  /** Whether the profile lacks most of its species. */
  readonly isPartial: boolean
  readonly address: SpeciesAddress
  /** @default no species are known, or they are not loaded yet */
  readonly known: KnownIndex | undefined
  readonly heading: Ref<HTMLHeadingElement>
  /** Shows another species, or the same in another gamemode. */
  readonly onMove: (address: SpeciesAddress) => void
  /** Returns to the list. */
  readonly onClose: () => void
}

/** A species of a player in all of its rarities. */
export function SpeciesPage(props: SpeciesPageProps) {
  const { services, profile, isPartial, address, known, heading, onMove, onClose } = props
  const { name: player, gamemode, list, species } = address
  const entries = useMemo(() => entriesOf(collectionOf(profile, gamemode)), [profile, gamemode])
  const listed = useMemo(() => matching(inOrder(entries, list.order), list), [entries, list])
  const entry = findEntry(entries, species)
  const knownAs = known?.find(species)
  const { kind, name } = entry ?? knownAs ?? species
  const caughtIn = gamemodesOf(profile, { kind, name })
  const at = entry && !isPartial ? listed.indexOf(entry) : -1
  const [previous, next] = [listed[at - 1], at === -1 ? undefined : listed[at + 1]]
  const listPath = playerPath(player, gamemode, list)

  // A key that follows immediately must find the new neighbours.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      // Fields and areas that scroll use these keys themselves.
      if (event.target instanceof Element && event.target.closest('input, select, textarea, .scroll-area')) return
      const sibling = event.key === 'ArrowLeft' ? previous : event.key === 'ArrowRight' ? next : undefined
      if (sibling) onMove({ ...address, species: sibling })
      else if (event.key === 'Escape') onClose()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  const loaded = loadedGamemodes(
    profile,
    kind,
    caughtIn.filter((one) => gamemode === undefined || one.gamemode === gamemode),
  )
  return (
    <article class="species-page" aria-label={name}>
      <nav class="species-nav" aria-label={texts.title}>
        <InPlaceLink href={listPath} onOpen={onClose}>
          {texts.all}
        </InPlaceLink>
        <Sibling direction="previous" species={previous} address={address} onMove={onMove} />
        <Sibling direction="next" species={next} address={address} onMove={onMove} />
      </nav>
      <section class="banner species" aria-label={texts.overview}>
        <div
          class={`display species-picture ${tintOf(kind === 'crab' ? undefined : (entry?.rarity ?? 'Unknown/Other'))}`}
        >
          <Creature
            kind={kind}
            name={name}
            rarity={kind === 'crab' ? undefined : (entry?.rarity ?? 'Unknown/Other')}
            isSilhouette={!entry}
          />
        </div>
        <div class="who">
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{name}</bdi>
          </h1>
          <p>
            {(entry ? texts.caughtBy : texts.notCaughtBy)(
              <InPlaceLink href={listPath} onOpen={onClose}>
                {profile.user}
              </InPlaceLink>,
            )}
          </p>
          {entry ? (
            <Counts entry={entry} />
          ) : (
            <p class="quiet">{missingText(profile.user, gamemode, caughtIn.length)}</p>
          )}
          {known && knownAs && (
            <p class="quiet">{texts.playersOf(knownAs.players, known.players, shareOf(knownAs, known))}</p>
          )}
          {knownAs?.hint !== undefined && <p class="card-hint">{knownAs.hint}</p>}
        </div>
        <div class="actions">
          <ShareButton title={`${name} · ${profile.user}`} path={speciesPath(player, { kind, name }, gamemode)} />
        </div>
      </section>
      {caughtIn.length > 0 && (
        <nav class="tabs" aria-label={catchesTexts.gamemode}>
          {[undefined, ...caughtIn].map((one) => (
            <InPlaceLink
              key={one?.gamemode ?? ''}
              href={speciesPath(player, species, one?.gamemode as Gamemode | undefined, list)}
              isCurrent={one?.gamemode === gamemode}
              onOpen={() => onMove({ ...address, gamemode: one?.gamemode as Gamemode | undefined })}
            >
              {one?.gamemode ?? catchesTexts.all}{' '}
              {formatNumber(one?.count ?? caughtIn.reduce((total, { count }) => total + count, 0))}
            </InPlaceLink>
          ))}
        </nav>
      )}
      {entry && <Rarities entry={entry} />}
      {entry && loaded.length > 0 && (
        <SpeciesDays
          key={`${entry.key} ${gamemode}`}
          {...services}
          user={profile.user}
          species={entry}
          count={entry.count}
          gamemodes={loaded}
        />
      )}
    </article>
  )
}

function missingText(user: string, gamemode: string | undefined, others: number): string {
  if (gamemode === undefined) return texts.nowhere(user)
  return (others > 0 ? texts.elsewhere : texts.notIn)(user, gamemode)
}

interface InPlaceLinkProps {
  readonly href: string
  readonly isCurrent?: boolean
  readonly onOpen: () => void
  readonly children: ComponentChildren
}

function InPlaceLink({ href, isCurrent = false, onOpen, children }: InPlaceLinkProps) {
  return (
    <a
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => {
        if (!isPlainClick(event)) return
        event.preventDefault()
        onOpen()
      }}
    >
      {children}
    </a>
  )
}

interface SiblingProps extends Pick<SpeciesPageProps, 'address' | 'onMove'> {
  readonly direction: 'previous' | 'next'
  /** Absent at an end of the list. */
  readonly species: SpeciesEntry | undefined
}

/** A link to the species before or after this one in the list. */
function Sibling({ direction, species, address, onMove }: SiblingProps) {
  if (!species) return <span class="sibling" />
  return (
    <span class="sibling" title={species.name}>
      <InPlaceLink
        href={speciesPath(address.name, species, address.gamemode, address.list)}
        onOpen={() => onMove({ ...address, species })}
      >
        {direction === 'previous' && <span aria-hidden="true">← </span>}
        {texts.siblings[direction]}
        <span class="visually-hidden">: {species.name}</span>
        {direction === 'next' && <span aria-hidden="true"> →</span>}
      </InPlaceLink>
    </span>
  )
}

function Counts({ entry }: { readonly entry: SpeciesEntry }) {
  return (
    <ul class="counts">
      <li>
        <strong>{formatNumber(entry.count)}</strong> {catchesTexts.caught}
      </li>
      {entry.rarity !== undefined && (
        <li>
          <strong>{formatNumber(entry.rarities.length)}</strong> {texts.ofRarities(RAREST_FIRST.length)}
        </li>
      )}
    </ul>
  )
}

/** The catches of each rarity, with the time from the first to the last on one axis. */
function Rarities({ entry }: { readonly entry: SpeciesEntry }) {
  return (
    <section class="panel species-rarities" aria-labelledby="species-rarities">
      <h2 id="species-rarities">{entry.kind === 'crab' ? texts.catches : catchesTexts.rarities}</h2>
      <ul>
        {rarityRows(entry.kind, entry, RAREST_FIRST).map((row) => (
          <Row key={row.rarity} row={row} entry={entry} />
        ))}
      </ul>
      {entry.firstCaughtAt < entry.lastCaughtAt && (
        <p class="axis quiet" aria-hidden="true">
          <Time at={entry.firstCaughtAt} format="date" />
          <Time at={entry.lastCaughtAt} format="date" />
        </p>
      )}
    </section>
  )
}

function Row({ row: { rarity, caught }, entry }: { readonly row: RarityRow; readonly entry: SpeciesEntry }) {
  if (!caught) {
    return (
      <li class="rarity-row quiet">
        <span class="pip missing" aria-hidden="true" />
        <span class="rarity-name">{rarity}</span>
        <span class="rarity-count">{catchesTexts.notCaught}</span>
      </li>
    )
  }
  const { start, end } = spanOf(caught, entry)
  const { firstCaughtAt, lastCaughtAt } = caught
  return (
    <li class={`rarity-row ${tintOf(rarity)}`}>
      <span class="pip" aria-hidden="true" />
      <strong class="rarity-name">{rarity ?? catchesTexts.crab}</strong>
      <span class="rarity-count">
        <Times count={caught.count} />
      </span>
      <span class="rarity-times">
        <Time at={firstCaughtAt} format="date" />
        {firstCaughtAt !== lastCaughtAt && (
          <>
            <span aria-hidden="true"> – </span>
            <span class="visually-hidden"> {texts.to} </span>
            <Time at={lastCaughtAt} format="date" />
          </>
        )}
      </span>
      <svg class="span-track" aria-hidden="true">
        <line class="span-axis" x1="0" x2="100%" y1="50%" y2="50%" />
        <line class="span" x1={`${start}%`} x2={`${end}%`} y1="50%" y2="50%" />
      </svg>
    </li>
  )
}
