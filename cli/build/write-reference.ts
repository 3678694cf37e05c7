// Writes REFERENCE.md from the commands, for `npm run generate`. Runs from the sources.
import '../../scripts/from-sources.ts'
import { writeFileSync } from 'node:fs'

const { commandPages } = await import('./pages.ts')
const { renderReference } = await import('./reference.ts')

writeFileSync(new URL('../REFERENCE.md', import.meta.url), renderReference(await commandPages()))
