import type { Administrator, NewUser } from '@fish-crab/sdk/admin'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { PageGamemodes } from '../../data/gamemodes.ts'
import type { LoginSecrets } from '../../parts/login-file.ts'
import { fragmentOf, type View } from '../data/location.ts'
import type { PlayerList } from '../data/player-list.ts'
import type { RemovalState, Removals } from '../data/removals.ts'
import type { AdminSession } from '../data/session.ts'

/** The list of players as the administrator left it. */
export interface LastList {
  readonly fragment: string
  readonly list: PlayerList
  /** The scroll position in pixels. */
  readonly scroll: number
}

/** The context of all views of a signed-in administrator. */
export interface Page {
  readonly admin: Administrator
  readonly gamemodes: PageGamemodes
  readonly request: AdminSession['request']
  readonly requestWith: AdminSession['requestWith']
  /** Shows a message, also to screen readers, until the next view opens. */
  readonly announce: (text: string) => void
  readonly removals: Removals
  /** The removed catches, which views hide before the service removes them. */
  readonly hidden: RemovalState['hidden']
  /** Lets a return to the list of players show the same rows at the same position. */
  readonly lastList: { current: LastList | undefined }
  /** Shows secrets in a dialog until the administrator confirms that they are saved. */
  readonly reveal: (user: string, secrets: LoginSecrets) => void
  /** Creates players in a dialog, which stays open until their secrets are saved. */
  readonly importPlayers: (players: readonly NewUser[]) => void
}

export const PageContext = createContext<Page | undefined>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (!page) throw new Error('Nobody is signed in.')
  return page
}

/** Opens a view, as a link does. */
export function openView(view: View): void {
  location.hash = fragmentOf(view)
}

/**
 * Changes the options of the current view and its address, without a new entry in the browser's history. Does nothing if
 * the user has left the view, because the address changes before the view does.
 */
export function replaceView(view: View): void {
  if (pathOf(location.hash) !== pathOf(fragmentOf(view))) return
  history.replaceState(null, '', fragmentOf(view))
  dispatchEvent(new Event('hashchange'))
}

/** Returns the part of a fragment that names the view, without the empty parts that `readView` ignores. */
function pathOf(fragment: string): string {
  const [path = ''] = fragment.split('?', 1)
  return path
    .split('/')
    .filter((part) => part !== '')
    .join('/')
}

interface TitleProps {
  readonly children: string
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren
}

/** The heading of a view. It takes the focus when the view opens, so that screen readers announce the view. */
export function Title({ children, actions }: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${children} · Administration`
  }, [children])
  // Set the focus synchronously: later, the user may already be typing in another field.
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <div class="title-row">
      <h1 ref={heading} tabIndex={-1}>
        {children}
      </h1>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </div>
  )
}
