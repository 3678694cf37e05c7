import { createClient } from '@fish-crab/sdk'
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
const client = createClient(options)

// The page restores the scroll position itself, because the rows of a view are not there yet when the browser would.
history.scrollRestoration = 'manual'

render(
  <AdminApp
    services={{
      session: createAdminSession((by) => createAdminClient({ ...options, ...by })),
      gamemodes: pageGamemodes(),
      readStatus: () => client.status({ maxRetries: 0 }),
    }}
  />,
  document.getElementById('app') as HTMLElement,
)
