import type { Administrator } from '@fish-crab/sdk/admin'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { LoginSecrets } from '../../../../../sdk/src/internal/login-file.ts'
import type { PageGamemodes } from '../../data/gamemodes.ts'
import { fragmentOf, type View } from '../data/location.ts'
import type { AdminSession } from '../data/session.ts'

/** What the views of a signed-in administrator share. */
export interface Page {
  readonly admin: Administrator
  /** Those of the service. */
  readonly gamemodes: PageGamemodes
  readonly request: AdminSession['request']
  readonly requestWith: AdminSession['requestWith']
  /** Says what was done, also to screen readers, until the next view is opened. */
  readonly announce: (text: string) => void
  /** Shows secrets over whatever is shown, until somebody says that they are saved. */
  readonly reveal: (user: string, secrets: LoginSecrets) => void
}

export const PageContext = createContext<Page | undefined>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (!page) throw new Error('Nobody is signed in.')
  return page
}

/** Opens a view, as its link does. */
export function openView(view: View): void {
  location.hash = fragmentOf(view)
}

/** Changes what a view shows, and its address: no step for the back button. */
export function replaceView(view: View): void {
  history.replaceState(null, '', fragmentOf(view))
  dispatchEvent(new Event('hashchange'))
}

interface TitleProps {
  readonly children: string
  /** Beside it. */
  readonly actions?: ComponentChildren
}

/** The heading of a view. It takes the focus when the view opens, so that screen readers say where one is. */
export function Title({ children, actions }: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${children} · Administration`
  }, [children])
  // At once: later, somebody may be typing elsewhere already.
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
