import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useId, useState } from 'preact/hooks'
import { playerPath, readTypedName } from '../data/address.ts'
import { useLazy } from '../parts/use-lazy.ts'
import { searchTexts as texts } from '../texts/search.ts'
import type { PlayerListProps } from './known-players.tsx'

interface PlayerSearchProps {
  readonly isLarge?: boolean
  readonly label?: string
  readonly action?: string
  /** A player to omit from the list. @default none */
  readonly except?: string
  /** The page to open. @default the page of the player */
  readonly pathOf?: (name: string) => string
}

const loadKnownPlayers = () => import('./known-players.tsx')

function LazyList(props: PlayerListProps) {
  const known = useLazy(loadKnownPlayers)
  return known && known !== 'failed' ? <known.PlayerList {...props} /> : null
}

/** The field for the name of a player, with a list of matching players from the first focus on. */
export function PlayerSearch({
  isLarge = false,
  label = texts.label,
  action = texts.action,
  except,
  pathOf = playerPath,
}: PlayerSearchProps) {
  const [mistake, setMistake] = useState<string>()
  const [used, setUsed] = useState<HTMLInputElement>()
  const id = useId()
  const listId = `${id}-list`

  function open(event: SubmitEvent): void {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('name') as HTMLInputElement
    const name = readTypedName(field.value)
    if (isUserName(name)) {
      location.assign(pathOf(name))
      return
    }
    setMistake(name === '' ? texts.empty : texts.invalid(USER_NAME_RULE))
    field.focus()
  }

  return (
    <search>
      <form class={isLarge ? 'player-search large' : 'player-search'} onSubmit={open} noValidate>
        <label for={id} class={isLarge ? '' : 'visually-hidden'}>
          {label}
        </label>
        <div class="field-row">
          <input
            id={id}
            name="name"
            type="text"
            role="combobox"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={64}
            placeholder={isLarge ? texts.example : label === texts.label ? texts.placeholder : label}
            aria-autocomplete="list"
            aria-controls={listId}
            aria-expanded={false}
            aria-invalid={mistake !== undefined}
            aria-describedby={mistake === undefined ? undefined : `${id}-mistake`}
            onFocus={(event) => setUsed(event.currentTarget)}
            onInput={(event) => {
              setMistake(undefined)
              // The field can have the focus before this script runs.
              setUsed(event.currentTarget)
            }}
          />
          <button type="submit" class="primary">
            {action}
          </button>
          {used && <LazyList field={used} id={listId} except={except} />}
        </div>
        {mistake !== undefined && (
          <p id={`${id}-mistake`} class="mistake" role="alert">
            {mistake}
          </p>
        )}
      </form>
    </search>
  )
}
