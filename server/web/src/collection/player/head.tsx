import type { Gamemode } from '@fish-crab/sdk/constants'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { monthPath, playerPath, setupPath } from '../../data/address.ts'
import { readOwnName, saveOwnName } from '../../data/own-name.ts'
import { kindTotal, type PlayerProfile } from '../../data/profile.ts'
import type { ListOptions } from '../../data/species-list.ts'
import type { Species } from '../../data/summary.ts'
import { Creature, tintOf } from '../../parts/creature.tsx'
import { formatNumber, UTC } from '../../parts/format.ts'
import { Ring } from '../../parts/ring.tsx'
import { ShareButton } from '../../parts/share-button.tsx'
import { Time } from '../../parts/time.tsx'
import { catchesTexts } from '../../texts/catches.ts'
import { playerTexts as texts } from '../../texts/player.tsx'
import { siteTexts } from '../../texts/site.ts'
import { Compare } from './compare.tsx'
import { LinkedName, type SpeciesLink } from './species-list.tsx'

interface HeadProps {
  readonly profile: PlayerProfile
  readonly gamemode: Gamemode | undefined
  readonly options: ListOptions
  readonly isDemo: boolean
  /** How many of the known species the player has. @default no species are known */
  readonly known: PlayerProfile['knownSpecies']
  /** The last month, if the page links to it. */
  readonly recentMonth: string | undefined
  readonly link: SpeciesLink | undefined
}

const DISPLAYED = 3

/** An overview of the player: the name, the emblem, the rarest catches and the totals. */
export function Head({ profile, gamemode, options, isDemo, known, recentMonth, link }: HeadProps) {
  const { user } = profile
  const rarest = profile.rarest.slice(0, DISPLAYED)
  return (
    <section class={isDemo ? 'banner brief' : 'banner'} aria-label={texts.overview}>
      <Emblem user={user} rarest={rarest[0]} />
      <div class="who">
        <h1>{isDemo ? siteTexts.demo : user}</h1>
        {isDemo ? <p>{texts.demo}</p> : null}
        <Counts profile={profile} known={known} />
        <Dates profile={profile} />
      </div>
      {rarest.length > 0 && (
        <ol class="showcase" aria-label={texts.rarest}>
          {rarest.map(({ name, rarity }) => (
            <li key={`${rarity} ${name}`} class={`display ${tintOf(rarity)}`} title={name}>
              <Creature kind="fish" name={name} rarity={rarity} />
              <span class="display-name">
                <LinkedName entry={{ kind: 'fish', name }} link={link} />
              </span>
              <span class="display-rarity">{rarity}</span>
            </li>
          ))}
        </ol>
      )}
      {!isDemo && (
        <div class="actions">
          <ShareButton title={texts.title(user)} path={playerPath(user, gamemode, options)} />
          <Compare user={user} />
          <OwnButton user={user} />
          <a class="button" href={setupPath(user, gamemode)}>
            {texts.overlay}
          </a>
          {recentMonth !== undefined && (
            <a class="button" href={monthPath(user, recentMonth)}>
              {texts.month(user, <time dateTime={recentMonth}>{UTC.month(recentMonth)}</time>)}
            </a>
          )}
        </div>
      )}
    </section>
  )
}

/** Marks the player as the one who uses this device. Leaderboards then show the place of the player. */
function OwnButton({ user }: { readonly user: string }) {
  const [isOwn, setOwn] = useState(false)
  useEffect(() => setOwn(readOwnName() === user), [user])
  function toggle(): void {
    saveOwnName(isOwn ? undefined : user)
    setOwn(!isOwn)
  }
  return (
    <button type="button" aria-pressed={isOwn} onClick={toggle}>
      {texts.own}
    </button>
  )
}

interface EmblemProps {
  readonly user: string
  readonly rarest: Pick<Species, 'rarity'> | undefined
}

/** A fish that is drawn from the player's name, in a ring in the colour of the player's rarest fish. */
export function Emblem({ user, rarest }: EmblemProps) {
  const rarity = rarest?.rarity ?? 'Unknown/Other'
  return (
    <div class={`emblem ${tintOf(rarity)}`}>
      <Creature kind="fish" name={user} rarity={rarity} />
    </div>
  )
}

function Counts({ profile, known }: Pick<HeadProps, 'profile' | 'known'>) {
  const { labels } = catchesTexts
  const crabs = kindTotal(profile, 'crab')
  const { current, longest } = profile.streak
  const counts = [
    { label: labels.fish(), value: kindTotal(profile, 'fish') },
    { label: labels.crab(crabs), value: crabs },
    ...(profile.unique === undefined || known ? [] : [{ label: labels.species(), value: profile.unique }]),
    ...(longest > 1
      ? [{ label: current > 1 ? labels.streak() : texts.longestStreak, value: current > 1 ? current : longest }]
      : []),
  ]
  return (
    <CountList counts={counts}>
      {known && (
        <li class="progress" title={texts.inAll(profile.unique ?? known.caught)}>
          <Ring part={known.caught} whole={known.total} />
          <span>{texts.ofKnown(<strong>{formatNumber(known.caught)}</strong>, known.total)}</span>
        </li>
      )}
    </CountList>
  )
}

interface CountListProps {
  readonly counts: readonly { readonly label: string; readonly value: number }[]
  readonly children?: ComponentChildren
}

/** Figures in one line, or in two columns on a phone. */
export function CountList({ counts, children }: CountListProps) {
  return (
    <ul class={counts.length > 3 ? 'counts four' : 'counts'}>
      {counts.map(({ label, value }) => (
        <li key={label}>
          <strong>{formatNumber(value)}</strong> {label}
        </li>
      ))}
      {children}
    </ul>
  )
}

function Dates({ profile: { firstCaughtAt, lastCaughtAt } }: { readonly profile: PlayerProfile }) {
  if (firstCaughtAt === undefined || lastCaughtAt === undefined) return null
  return (
    <p class="since">
      {texts.since(<Time at={firstCaughtAt} format="date" />)} ·{' '}
      {texts.lastCatch(<Time at={lastCaughtAt} format="dateTime" />)}
    </p>
  )
}
