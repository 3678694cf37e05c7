// Writes REFERENCE.md from the commands and the table of docs/settings.md, for `npm run generate`. Runs from the sources.
import '../../scripts/from-sources.ts'
import { readFileSync, writeFileSync } from 'node:fs'

const { commandPages } = await import('./pages.ts')
const { renderReference, withSettings } = await import('./reference.ts')

writeFileSync(new URL('../REFERENCE.md', import.meta.url), renderReference(await commandPages()))

const settings = new URL('../../docs/settings.md', import.meta.url)
writeFileSync(settings, withSettings(readFileSync(settings, 'utf8')))
