// Writes the manual pages into dist/man. Runs from the sources. package.json names them all, so that npm installs them.
import '../../scripts/from-sources.ts'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'

const { readManSources } = await import('./man-sources.ts')
const { manPages } = await import('./man-pages.ts')

const folder = new URL('../dist/man/', import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const { file, text } of manPages(await readManSources())) writeFileSync(new URL(file, folder), text)
