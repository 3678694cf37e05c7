import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStorage } from '@fish-crab/server/storage'
import { afterAll, describe, expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const HOOK = fileURLToPath(new URL('kill-at-rename.mjs', import.meta.url))

/** The folder of sample stores with one item each. Copying a sample is faster than creating a store. */
const samples = mkdtempSync(join(tmpdir(), 'fish-samples-'))
afterAll(() => rmSync(samples, { recursive: true, force: true }))

async function storeWith(item: string): Promise<string> {
  const [data, sample] = [join(newFolder(), 'data'), join(samples, item)]
  if (!existsSync(sample)) await makeStore(sample, item)
  cpSync(sample, data, { recursive: true })
  return data
}

async function makeStore(data: string, item: string): Promise<void> {
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.items.setItem('note:a', item)
  await storage.dispose()
}

/** Opens a data folder as a server does. Returns the item, or the reason why the store does not open. */
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
  test('can be repeated, whichever rename the kill interrupts', { timeout: 60_000 }, async () => {
    const backup = await storeWith('new')
    writeFileSync(join(backup, 'secrets.json'), JSON.stringify({ encryption: 'new seal', session: 'new session' }))
    for (let killAt = 1, code: number | null = null; code !== 0; killAt += 1) {
      const data = join(newFolder(), 'data')
      const env = { FISH_STORAGE: `file:${data}` }
      const hook = { FISH_KILL_AT: String(killAt), NODE_OPTIONS: `--import=${HOOK}` }
      code = await launch(['restore', backup], { ...env, ...hook }).closed
      if (code !== 0) {
        const again = launch(['restore', backup], env)
        expect([await again.closed, again.stderr()]).toEqual([0, expect.any(String)])
      }
      expect(readdirSync(data).toSorted()).toEqual(['fish.db', 'fish.lock', 'secrets.json'])
      expect(readFileSync(join(data, 'secrets.json'), 'utf8')).toContain('new')
      expect(await found(data)).toBe('new')
    }
  })
})
