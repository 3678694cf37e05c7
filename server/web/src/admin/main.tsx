import { createAdminClient } from '@fish-crab/sdk/admin'
import { render } from 'preact'
import '../parts/page.css'
import '../parts/content.css'
import '../parts/form.css'
import './admin.css'
import { pageGamemodes } from '../data/gamemodes.ts'
import { AdminApp } from './app.tsx'
import { createAdminSession } from './data/session.ts'

// The client does not wait for a rate limit, because the page immediately shows a countdown.
const options = { baseUrl: location.origin, maxWaitMs: 0, maxRetries: 1, pace: false }

// The page restores the scroll position itself, because the rows of a view are not there yet when the browser would.
history.scrollRestoration = 'manual'

render(
  <AdminApp
    services={{
      session: createAdminSession((by) => createAdminClient({ ...options, ...by })),
      gamemodes: pageGamemodes(),
      // The service counts no requests for this address.
      isReady: () =>
        fetch('/readyz').then(
          ({ ok }) => ok,
          () => false,
        ),
    }}
  />,
  document.getElementById('app') as HTMLElement,
)
