// Writes what the commands determine, for `npm run generate`: REFERENCE.md, and the manual pages that package.json
// names so that npm installs them. Runs from the sources.
import '../../scripts/from-sources.ts'
import { readFileSync, writeFileSync } from 'node:fs'

const { manPages, readManSources } = await import('./man.ts')
const { commandPages } = await import('./pages.ts')
const { renderReference } = await import('./reference.ts')

writeFileSync(new URL('../REFERENCE.md', import.meta.url), renderReference(await commandPages()))

const manifest = new URL('../package.json', import.meta.url)
const man = manPages(await readManSources()).map(({ file }) => `./dist/man/${file}`)
const content = { ...JSON.parse(readFileSync(manifest, 'utf8')), man: man.toSorted() }
writeFileSync(manifest, `${JSON.stringify(content, null, 2)}\n`)
