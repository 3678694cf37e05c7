import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const HOOK = fileURLToPath(new URL('kill-at-rename.mjs', import.meta.url))

async function storeWith(item: string): Promise<string> {
  const data = join(newFolder(), 'data')
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.items.setItem('note:a', item)
  await storage.dispose()
  return data
}

/** What a server would find there: the item, or why it does not start. */
async function found(data: string): Promise<string | null> {
  const storage = await createStorage({ driver: 'file', path: data }).catch((error: Error) => error)
  if (storage instanceof Error) return 'code' in storage ? String(storage.code) : storage.message
  try {
    return await storage.items.getItem('note:a')
  } finally {
    await storage.dispose()
  }
}

describe('a restore that is killed while it moves files', () => {
  test.each([
    ['over another store', true],
    ['into an empty folder', false],
  ])('%s leaves the old store, the new one, or a folder that is refused: never an empty store', async (_, isOld) => {
    const backup = await storeWith('new')
    const outcomes: (string | null)[] = []
    for (let killAt = 1; outcomes.at(-1) !== 'ended'; killAt += 1) {
      const data = isOld ? await storeWith('old') : join(newFolder(), 'data')
      const program = launch(['restore', backup, ...(isOld ? ['--force'] : [])], {
        FISH_STORAGE: `file:${data}`,
        FISH_KILL_AT: String(killAt),
        NODE_OPTIONS: `--import=${HOOK}`,
      })
      const code = await program.closed
      if (existsSync(data)) outcomes.push(await found(data))
      if (code !== 0) continue
      expect(outcomes.at(-1)).toBe('new')
      outcomes.push('ended')
    }
    expect(outcomes.length).toBeGreaterThan(isOld ? 3 : 1)
    for (const outcome of outcomes) expect(['old', 'new', 'damaged', 'ended']).toContain(outcome)
  })

  test('can be repeated, and the old store stays in replaced-…', async () => {
    const [backup, data] = [await storeWith('new'), await storeWith('old')]
    const env = { FISH_STORAGE: `file:${data}` }
    await launch(['restore', backup, '--force'], { ...env, FISH_KILL_AT: '2', NODE_OPTIONS: `--import=${HOOK}` }).closed
    expect(await launch(['restore', backup, '--force'], env).closed).toBe(0)
    expect(await found(data)).toBe('new')
    const [replaced = ''] = readdirSync(data).filter((name) => name.startsWith('replaced-'))
    expect(readFileSync(join(data, replaced, 'fish.mark'), 'utf8')).toContain('lineage')
  })
})
