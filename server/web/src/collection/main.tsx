import { createClient } from '@fish-crab/sdk'
import { hydrate, render } from 'preact'
import { browserContext } from '../data/follow.ts'
import { readPageData } from '../data/page-data.ts'
import { readSite } from '../data/site.ts'
import { App } from './app.tsx'
import '../parts/page.css'
import '../parts/content.css'
import '../parts/card.css'
import './collection.css'

// The page itself reports problems and retries requests, so the client does not.
const limits = { maxWaitMs: 0, maxRetries: 0, pace: false }
const client = createClient({ baseUrl: location.origin, ...limits })
const data = readPageData()
const page = document.getElementById('app') as HTMLElement
const app = <App services={{ client, context: browserContext }} site={readSite()} place={location} data={data} />

if (page.hasChildNodes()) hydrate(app, page)
else render(app, page)
