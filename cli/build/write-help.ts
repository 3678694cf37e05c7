// Writes all pages of help into dist/help, for `--help` to print with nothing of the program loaded. Runs from the sources.
import '../../scripts/from-sources.ts'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'

// The width that pages are written for is read from here, whatever terminal the build runs in.
process.env.OCLIF_COLUMNS = '80'
process.env.FORCE_COLOR = '1'
delete process.env.NO_COLOR
const { helpPageIds, showHelp } = await import('../src/help/help.ts')
const { pageFile } = await import('../src/help/static-pages.ts')
const { createContext, processSystem } = await import('../src/runtime/context.ts')

async function page(id: string, env: Record<string, string>): Promise<string> {
  let text = ''
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const { stdin: _, ...surroundings } = processSystem()
  await showHelp(id === '' ? [] : id.split(':'), createContext({ ...surroundings, stdin: process.stdin, env, stdout }))
  return text
}

const folder = new URL('../dist/help/', import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const id of helpPageIds()) {
  writeFileSync(new URL(pageFile(id, false), folder), await page(id, { NO_COLOR: '1' }))
  writeFileSync(new URL(pageFile(id, true), folder), await page(id, { FORCE_COLOR: '1' }))
}
