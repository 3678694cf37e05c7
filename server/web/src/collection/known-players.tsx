import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { correctPath, type KnownPlayer, knownPlayers, matchingPlayers, readLeaders } from '../data/player-names.ts'
import { Creature } from '../parts/creature.tsx'
import { useSite } from '../parts/site-context.ts'
import { missingTexts } from '../texts/missing.tsx'
import { searchTexts as texts } from '../texts/search.ts'
import { useServices } from './services.ts'
import './search.css'

/** The first players of the leaderboard, if it is public. */
function useLeaders(isWanted: boolean): readonly KnownPlayer[] {
  const { client } = useServices()
  const { hasLeaderboard } = useSite()
  const [leaders, setLeaders] = useState<readonly KnownPlayer[]>([])
  useEffect(() => {
    if (isWanted && hasLeaderboard) readLeaders(client).then(setLeaders)
  }, [client, isWanted, hasLeaderboard])
  return leaders
}

export interface PlayerListProps {
  readonly field: HTMLInputElement
  readonly id: string
  /** A player to omit. @default none */
  readonly except: string | undefined
}

/**
 * The players whose names match a field: the popup of an editable combobox with list autocomplete (ARIA Authoring
 * Practices). An empty field lists the players of this device only.
 */
export function PlayerList({ field, id, except }: PlayerListProps) {
  const [text, setText] = useState(field.value)
  const [isOpen, setOpen] = useState(document.activeElement === field)
  const [activeName, setActiveName] = useState<string>()
  const leaders = useLeaders(text !== '')
  const known = knownPlayers(text === '' ? [] : leaders).filter(({ name }) => name !== except)
  const players = matchingPlayers(known, text)
  const isShown = isOpen && players.length > 0
  // The leaderboard may arrive while an option is active.
  const active = isShown ? players.findIndex(({ name }) => name === activeName) : -1
  const chosen = players[active]

  function show(isNowOpen: boolean): void {
    setText(field.value)
    setOpen(isNowOpen)
    setActiveName(undefined)
  }

  function onKey(event: KeyboardEvent): void {
    if (event.isComposing) return
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      const next = key === 'ArrowDown' ? (active + 1) % players.length : active < 1 ? players.length - 1 : active - 1
      setActiveName(players[next]?.name)
    } else if (key === 'Enter') {
      if (chosen) field.value = chosen.name
      show(false)
    } else if (key === 'Escape' && isShown) {
      // Otherwise the same key also closes the part of the page that contains the field.
      event.preventDefault()
      show(false)
    } else if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) setActiveName(undefined)
  }

  // The field belongs to the first view and this list does not, so the list controls the field.
  // A key that follows immediately must find the new list.
  useLayoutEffect(() => {
    field.setAttribute('aria-expanded', String(isShown))
    if (chosen) field.setAttribute('aria-activedescendant', `${id}-${active}`)
    else field.removeAttribute('aria-activedescendant')
    const removed = new AbortController()
    const { signal } = removed
    field.addEventListener('focus', () => show(field.value === ''), { signal })
    field.addEventListener('input', () => show(true), { signal })
    field.addEventListener('blur', () => show(false), { signal })
    field.addEventListener('keydown', onKey, { signal })
    return () => removed.abort()
  })

  useEffect(() => {
    if (chosen) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, chosen, active])

  if (!isShown) return null
  return (
    <div
      class="player-list"
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={texts.list}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {players.map((player, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field receives the keys
        <div
          key={player.name}
          id={`${id}-${index}`}
          class="player-option"
          role="option"
          tabIndex={-1}
          aria-selected={player === chosen}
          onClick={() => {
            field.value = player.name
            show(false)
            field.form?.requestSubmit()
          }}
        >
          <Creature kind="fish" name={player.name} rarity={player.rarest ?? 'Unknown/Other'} />
          {player.name}
        </div>
      ))}
    </div>
  )
}

/** A link to the same page of the players with the closest names. */
export function ClosestPlayers({ names }: { readonly names: readonly string[] }) {
  const known = knownPlayers(useLeaders(true)).map(({ name }) => name)
  const meant = correctPath(location.pathname, names, known)
  if (!meant) return null
  return missingTexts.meant(<a href={meant.path + location.search}>{meant.names.join(missingTexts.and)}</a>)
}
