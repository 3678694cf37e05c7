// `npm run generate` runs this script from the sources. It writes the dashboard, the alert rules, and the list of alerts
// in docs/monitoring.md.
import './from-sources.ts'
import { readFileSync, writeFileSync } from 'node:fs'

const { alertList, alertRules } = await import('./monitoring/alerts.ts')
const { dashboard } = await import('./monitoring/dashboard.ts')

const DOCS = new URL('../docs/', import.meta.url)

writeFileSync(new URL('monitoring/alerts.yml', DOCS), await alertRules())
writeFileSync(new URL('monitoring/dashboard.json', DOCS), await dashboard())

const page = new URL('monitoring.md', DOCS)
const markers = /(<!-- alerts: .*? -->\n).*?(<!-- \/alerts -->)/s
writeFileSync(
  page,
  readFileSync(page, 'utf8').replace(markers, (_, start, end) => `${start}\n${alertList()}\n\n${end}`),
)
