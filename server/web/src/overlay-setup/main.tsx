import { createClient } from '@fish-crab/sdk'
import { render } from 'preact'
import { OverlaySetup } from './overlay-setup.tsx'
import '../parts/page.css'
import './overlay-setup.css'

const client = createClient({ baseUrl: location.origin, maxWaitMs: 0, maxRetries: 0, pace: false })

render(<OverlaySetup client={client} search={location.search} />, document.getElementById('app') as HTMLElement)
