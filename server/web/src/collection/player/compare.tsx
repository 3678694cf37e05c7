import { useState } from 'preact/hooks'
import { versusPath } from '../../data/address.ts'
import { PlayerSearch } from '../search.tsx'

const focusField = (element: HTMLElement | null) => element?.querySelector('input')?.focus()

/** Prompts for the player to compare with. */
export function Compare({ user }: { readonly user: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Compare
      </button>
      {isOpen && (
        <div class="compare" ref={focusField}>
          <PlayerSearch label="Compare with" action="Compare" pathOf={(name) => versusPath(user, name)} />
        </div>
      )}
    </>
  )
}
