import { useEffect, useRef, useState } from 'preact/hooks'
import { versusPath } from '../../data/address.ts'
import { compareTexts as texts } from '../../texts/compare.ts'
import { PlayerSearch } from '../search.tsx'

const focusField = (element: HTMLElement | null) => element?.querySelector('input')?.focus()

/** Prompts for the player to compare with. */
export function Compare({ user }: { readonly user: string }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    const actions = button.current?.parentElement
    const onKey = (event: KeyboardEvent) => {
      if (!isOpen || event.key !== 'Escape' || event.defaultPrevented) return
      setOpen(false)
      button.current?.focus()
    }
    actions?.addEventListener('keydown', onKey)
    return () => actions?.removeEventListener('keydown', onKey)
  }, [isOpen])

  return (
    <>
      <button type="button" ref={button} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {texts.compare}
      </button>
      {isOpen && (
        <div class="compare" ref={focusField}>
          <PlayerSearch
            label={texts.compareWith}
            action={texts.compare}
            except={user}
            pathOf={(name) => versusPath(user, name)}
          />
        </div>
      )}
    </>
  )
}
