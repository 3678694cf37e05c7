import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const ITEMS = 30_000

/** Creates a data folder with a store that is large enough to interrupt its check and its copy. */
async function largeStore() {
  const data = join(newFolder(), 'data')
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.dispose()
  // Separate writes would take longer than the rest of the test.
  const db = new DatabaseSync(join(data, 'fish.db'))
  db.exec(`
    WITH RECURSIVE fillers (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM fillers WHERE at < ${ITEMS})
    INSERT INTO items SELECT 'audit:filler-' || at, printf('%.900c', 'x') FROM fillers`)
  db.close()
  return { parent: newFolder(), data, env: { FISH_STORAGE: `file:${data}` } }
}

/** Variables that send a signal to a program when it creates a matching file. Polling could be too late. */
const signalled = (signal: string, at: string) => ({
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('signal-at-open.mjs', import.meta.url))}`,
  FISH_SIGNAL: signal,
  FISH_SIGNAL_AT: at,
})
const COPY = '(partial-|\\.restore-).*fish\\.db$'

describe('a backup and a restore', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'report the interruption by %s during the copy, and leave no files',
    async (signal) => {
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
    },
  )

  test.skipIf(process.platform === 'win32')(
    'exit after Ctrl-C, which all processes of the terminal receive',
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
