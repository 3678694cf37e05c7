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
import './home.css'
import './leaderboard.css'
import './versus.css'

// The page itself reports problems and retries requests, so the client does not.
const limits = { maxWaitMs: 0, maxRetries: 0, pace: false }
const client = createClient({ baseUrl: location.origin, ...limits })
const data = readPageData()
const page = document.getElementById('app') as HTMLElement
// The page of a player, which people open most, does not load the code of the others.
const isPlayerPage = !data || ['player', 'demo', 'missing'].includes(data.view)
const view = isPlayerPage ? undefined : (await import('./drawn-view.tsx')).DrawnView
const services = { client, context: browserContext }
const app = <App services={services} site={readSite()} place={location} data={data} view={view} />

if (page.hasChildNodes()) hydrate(app, page)
else render(app, page)
