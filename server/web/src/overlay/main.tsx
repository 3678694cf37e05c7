import { createClient } from '@fish-crab/sdk'
import { render } from 'preact'
import { browserContext } from '../data/follow.ts'
import { pageGamemodes } from '../data/gamemodes.ts'
import { ignoredOptions, overlayName, readOptions } from '../data/overlay-options.ts'
import { Overlay } from './overlay.tsx'
import './page.css'

const gamemodes = pageGamemodes()
// The overlay itself retries requests, so the client does not.
const limits = { maxWaitMs: 0, maxRetries: 0, pace: false }

render(
  <Overlay
    client={createClient({ baseUrl: location.origin, ...limits })}
    context={browserContext}
    name={overlayName(location.pathname)}
    options={readOptions(location.search, gamemodes)}
    ignored={ignoredOptions(location.search, gamemodes)}
  />,
  document.getElementById('app') as HTMLElement,
)
