import { createClient } from '@fish-crab/sdk'
import renderToString from 'preact-render-to-string'
import type { PageData } from '../../../src/page-data.ts'
import type { Place } from '../data/address.ts'
import { browserContext } from '../data/follow.ts'
import type { Site } from '../data/site.ts'
import { App } from './app.tsx'
import { DrawnView } from './drawn-view.tsx'

/** A page that the server draws. */
export interface PageView {
  readonly site: Site
  readonly place: Place
  readonly data: PageData
}

// Effects and events use these services, and the server runs neither.
const services = { client: createClient({ baseUrl: 'http://localhost' }), context: browserContext }

/** Returns the HTML of a page as a browser shows it before its first effect. */
export function render({ site, place, data }: PageView): string {
  return renderToString(<App services={services} site={site} place={place} data={data} view={DrawnView} />)
}
