import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { useId, useState } from 'preact/hooks'
import { playerPath } from '../data/address.ts'

interface PlayerSearchProps {
  readonly isLarge?: boolean
  readonly label?: string
  readonly action?: string
  /** The page to open. @default the page of the player */
  readonly pathOf?: (name: string) => string
}

/** The field for the name of a player. */
export function PlayerSearch({
  isLarge = false,
  label = 'Player',
  action = 'Show',
  pathOf = playerPath,
}: PlayerSearchProps) {
  const [mistake, setMistake] = useState<string>()
  const id = useId()

  function open(event: SubmitEvent): void {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('name') as HTMLInputElement
    const name = field.value.trim().replace(/^@/, '')
    if (isUserName(name)) {
      location.assign(pathOf(name))
      return
    }
    setMistake(name === '' ? 'Enter the name of a player.' : `A name must be ${USER_NAME_RULE}.`)
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
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={64}
            placeholder={isLarge ? 'Alex' : label === 'Player' ? 'Find a player' : label}
            aria-invalid={mistake !== undefined}
            aria-describedby={mistake === undefined ? undefined : `${id}-mistake`}
            onInput={() => setMistake(undefined)}
          />
          <button type="submit" class="primary">
            {action}
          </button>
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
