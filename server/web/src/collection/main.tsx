import { createClient } from '@fish-crab/sdk'
import { render } from 'preact'
import { browserContext } from '../data/follow.ts'
import { App } from './app.tsx'
import '../parts/page.css'
import '../parts/content.css'
import '../parts/card.css'
import './collection.css'

// The page itself reports problems and retries requests, so the client does not.
const limits = { maxWaitMs: 0, maxRetries: 0, pace: false }

render(
  <App
    services={{
      client: createClient({ baseUrl: location.origin, ...limits }),
      context: browserContext,
    }}
  />,
  document.getElementById('app') as HTMLElement,
)
