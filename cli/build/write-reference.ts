// `npm run generate` runs this script from the sources. It writes REFERENCE.md and the table of settings in
// docs/settings.md.
import '../../scripts/from-sources.ts'
import { readFileSync, writeFileSync } from 'node:fs'

const { commandPages } = await import('./pages.ts')
const { renderReference, withSettings } = await import('./reference.ts')

writeFileSync(new URL('../REFERENCE.md', import.meta.url), renderReference(await commandPages()))

const settings = new URL('../../docs/settings.md', import.meta.url)
writeFileSync(settings, withSettings(readFileSync(settings, 'utf8')))
