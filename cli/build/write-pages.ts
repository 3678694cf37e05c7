// Writes help pages and completion data to dist, so that the program can print both without loading its commands.
import '../../scripts/from-sources.ts'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'

process.env.FORCE_COLOR = '1'
delete process.env.NO_COLOR
const { helpPageIds, showHelp } = await import('../src/program/help.ts')
const { pageFile } = await import('../src/program/fast-path.ts')
const { COMMANDS } = await import('../src/program/commands.ts')
const { processSystem } = await import('../src/program/main.ts')
const { describeCommands } = await import('../src/program/completion-data.ts')
const { DATA_FILE } = await import('../src/program/completion.ts')

const dist = new URL('../dist/', import.meta.url)

function emptyFolder(name: string): URL {
  const folder = new URL(`${name}/`, dist)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

async function helpPage(id: string, env: Record<string, string>): Promise<string> {
  let text = ''
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const { stdin: _, ...system } = processSystem()
  await showHelp(COMMANDS, id === '' ? [] : id.split(':'), { ...system, stdin: process.stdin, env, stdout })
  return text
}

const help = emptyFolder('help')
for (const id of helpPageIds(COMMANDS)) {
  writeFileSync(new URL(pageFile(id, false), help), await helpPage(id, { NO_COLOR: '1' }))
  writeFileSync(new URL(pageFile(id, true), help), await helpPage(id, { FORCE_COLOR: '1' }))
}
writeFileSync(new URL(DATA_FILE, dist), JSON.stringify(await describeCommands(COMMANDS)))
