import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { writeExport } from '../../scripts/test-support/export-file.ts'
import { until } from '../../scripts/test-support/redis-server.ts'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const LINES = 60_000
const ITEMS = 30_000

const when = (isSo: () => boolean) => until(async () => isSo())

describe('an import into a folder', () => {
  test('ended by SIGTERM says that nothing was imported, and leaves nothing', async () => {
    const parent = newFolder()
    const [file, target] = [join(parent, 'fish.jsonl'), join(parent, 'target')]
    writeExport(file, LINES)
    const program = launch(['import', file], { FISH_STORAGE: `file:${target}` })
    await when(() => existsSync(target) && readdirSync(target).some((name) => name.startsWith('.import')))
    program.child.kill('SIGTERM')
    expect(await program.closed).toBe(130)
    expect(program.stderr()).toMatch(/^fish-cli: Interrupted\. Nothing was imported\.\n {2}Run the import again\.\n$/)
    expect(readdirSync(parent)).toEqual(['fish.jsonl'])
  })
})

/** A data folder with a store that is checked and copied in a process of its own, which takes its while. */
async function largeStore() {
  const data = join(newFolder(), 'data')
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.dispose()
  // One by one, they would take longer than all of the test.
  const db = new DatabaseSync(join(data, 'fish.db'))
  db.exec(`
    WITH RECURSIVE fillers (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM fillers WHERE at < ${ITEMS})
    INSERT INTO items SELECT 'audit:filler-' || at, printf('%.900c', 'x') FROM fillers`)
  db.close()
  return { parent: newFolder(), data, env: { FISH_STORAGE: `file:${data}` } }
}

/** Lets a program get a signal when it creates the file of a copy, or of an export: whatever looks for it may be late. */
const signalled = (signal: string, at: string) => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('signal-at-open.mjs', import.meta.url))}`,
  FISH_SIGNAL: signal,
  FISH_SIGNAL_AT: at,
})
const COPY = '(partial-|\\.restore-).*fish\\.db$'

describe('a backup and a restore', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('ended by %s while they copy say so, and leave nothing', async (signal) => {
    const { parent, data, env } = await largeStore()
    const target = join(parent, 'deep', 'target')
    const copy = join(parent, 'copy')
    for (const [argv, more, message] of [
      [['backup', copy], {}, new RegExp(`^fish-cli: Interrupted\\. ${copy} was not made\\.\n {2}Run it again\\.\n$`)],
      [
        ['restore', data],
        { FISH_STORAGE: `file:${target}` },
        /^fish-cli: Interrupted\. Nothing was restored\.\n {2}Run/,
      ],
    ] as const) {
      const program = launch(argv, { ...env, ...more, ...signalled(signal, COPY) })
      expect([await program.closed, program.stdout()]).toEqual([130, ''])
      expect(program.stderr()).toMatch(message)
      expect(readdirSync(parent)).toEqual([])
    }
  })

  test.skipIf(process.platform === 'win32')(
    'ended by Ctrl-C, which every process of a terminal gets, end as well',
    async () => {
      const { parent, env } = await largeStore()
      const asTerminal = { ...env, ...signalled('SIGINT', COPY), FISH_SIGNAL_GROUP: '1' }
      const program = launch(['backup', join(parent, 'copy'), '--json'], asTerminal, { detached: true })
      expect(await program.closed).toBe(130)
      expect(JSON.parse(program.stdout())).toMatchObject({ error: { code: 'interrupted', exit: 130 } })
      expect(readdirSync(parent)).toEqual([])
    },
  )
})

describe('an export', () => {
  test.each([
    ['SIGTERM', 130, /^fish-cli: Interrupted\. \S+out\.jsonl was not made\.\n {2}Run it again\.\n$/],
    ['SIGINT', 130, /^fish-cli: Interrupted\. /],
    ['SIGKILL', null, /^$/],
  ] as const)('ended by %s leaves no half of a file under its name', async (signal, status, message) => {
    const { parent, env } = await largeStore()
    const out = join(parent, 'out.jsonl')
    const program = launch(['export', '--out', out], { ...env, ...signalled(signal, 'out\\.jsonl\\.partial-') })
    expect(await program.closed).toBe(status)
    expect(program.stderr()).toMatch(message)
    expect(existsSync(out)).toBe(false)
    if (status !== null) expect(readdirSync(parent)).toEqual([])
  })

  test('ended by SIGTERM while its reader does not read says what was written; a second one waits for nothing', async () => {
    const { env } = await largeStore()
    const program = launch(['export', '--out', '-'], env)
    await program.until(/fish-crab-export/)
    program.child.stdout?.pause()
    // It may end by itself before the second signal.
    const ended = once(program.child, 'exit')
    program.child.kill('SIGTERM')
    await when(() => /^fish-cli: Interrupted\. What was written is part of an export/.test(program.stderr()))
    program.child.kill('SIGTERM')
    await ended
    program.child.stdout?.resume()
    await program.closed
    expect(program.stdout()).not.toMatch(/"end":/)
  })
})
