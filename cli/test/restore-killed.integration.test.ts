import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStorage } from '@fish-crab/server/storage'
import { afterAll, describe, expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const HOOK = fileURLToPath(new URL('kill-at-rename.mjs', import.meta.url))

/** Stores of one item each: to copy one takes less time than to make another. */
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

  test.each([
    ['over another store', true],
    ['into an empty folder', false],
  ])(
    '%s can be repeated, wherever that was, and leaves no more than one that ends at once',
    async (_, isOld) => {
      const withSecrets = async (item: string) => {
        const data = await storeWith(item)
        writeFileSync(join(data, 'secrets.json'), JSON.stringify({ seal: `${item} seal`, session: `${item} session` }))
        return data
      }
      const backup = await withSecrets('new')
      for (let killAt = 1, code: number | null = null; code !== 0; killAt += 1) {
        const data = isOld ? await withSecrets('old') : join(newFolder(), 'data')
        const env = { FISH_STORAGE: `file:${data}` }
        const arguments_ = ['restore', backup, ...(isOld ? ['--force'] : [])]
        const program = launch(arguments_, { ...env, FISH_KILL_AT: String(killAt), NODE_OPTIONS: `--import=${HOOK}` })
        code = await program.closed
        if (code !== 0 && !existsSync(join(data, 'fish.db'))) {
          const again = launch(arguments_, env)
          expect([await again.closed, again.stderr()]).toEqual([0, expect.any(String)])
        }
        const names = readdirSync(data).filter((name) => name !== 'fish.mark')
        const replaced = names.filter((name) => name.startsWith('replaced-'))
        expect(replaced.length).toBeLessThan(2)
        if (!names.some((name) => name.startsWith('.restore-')))
          expect(names.toSorted()).toEqual(['fish.db', 'fish.lock', ...replaced, 'secrets.json'])
        if (existsSync(join(data, ...replaced, 'fish.db')) && replaced.length > 0) {
          expect(await found(join(data, ...replaced))).toBe('old')
          expect(readFileSync(join(data, ...replaced, 'secrets.json'), 'utf8')).toContain('old')
        }
        expect(readFileSync(join(data, 'secrets.json'), 'utf8')).toContain((await found(data)) ?? '?')
      }
    },
    60_000,
  )

  test('can be repeated, and the old store stays in replaced-…', async () => {
    const [backup, data] = [await storeWith('new'), await storeWith('old')]
    const env = { FISH_STORAGE: `file:${data}` }
    await launch(['restore', backup, '--force'], { ...env, FISH_KILL_AT: '2', NODE_OPTIONS: `--import=${HOOK}` }).closed
    expect(await launch(['restore', backup, '--force'], env).closed).toBe(0)
    expect(await found(data)).toBe('new')
    const [replaced = ''] = readdirSync(data).filter((name) => name.startsWith('replaced-'))
    expect(readFileSync(join(data, replaced, 'fish.mark'), 'utf8')).toContain('lineage')
  })

  test('is undone by an import too, which then refuses the old store, as its dry run does', async () => {
    const [backup, data, file] = [await storeWith('new'), await storeWith('old'), join(newFolder(), 'export.jsonl')]
    const env = { FISH_STORAGE: `file:${data}` }
    expect(await launch(['export', '--out', file], { FISH_STORAGE: `file:${backup}` }).closed).toBe(0)
    await launch(['restore', backup, '--force'], { ...env, FISH_KILL_AT: '2', NODE_OPTIONS: `--import=${HOOK}` }).closed
    expect(existsSync(join(data, 'fish.db'))).toBe(false)
    for (const flags of [['--dry-run'], []]) {
      const program = launch(['import', file, ...flags], env)
      expect([await program.closed, program.stderr()]).toEqual([6, expect.stringContaining('already has a store')])
    }
    expect(await found(data)).toBe('old')
  })

  test('into an empty folder has moved no store: one that was put there since is replaced as any other', async () => {
    const [backup, data] = [await storeWith('new'), join(newFolder(), 'data')]
    const env = { FISH_STORAGE: `file:${data}` }
    await launch(['restore', backup], { ...env, FISH_KILL_AT: '1', NODE_OPTIONS: `--import=${HOOK}` }).closed
    rmSync(join(data, 'fish.mark'))
    await makeStore(data, 'later')
    const refused = launch(['restore', backup], env)
    expect([await refused.closed, refused.stderr()]).toEqual([6, expect.stringContaining('already has a store')])
    expect(await found(data)).toBe('later')
    const forced = launch(['restore', backup, '--force'], env)
    expect([await forced.closed, forced.stderr()]).toEqual([0, expect.any(String)])
    expect(await found(data)).toBe('new')
    const [moved = ''] = readdirSync(data).filter((name) => name.startsWith('replaced-'))
    expect(await found(join(data, moved))).toBe('later')
  })

  test.each([
    ['by hand', true],
    ['by a server that began anew', false],
  ])('never replaces a store that was put there since, %s', async (_, isCopied) => {
    const [backup, data, later] = [await storeWith('new'), await storeWith('old'), await storeWith('later')]
    const env = { FISH_STORAGE: `file:${data}` }
    await launch(['restore', backup, '--force'], { ...env, FISH_KILL_AT: '2', NODE_OPTIONS: `--import=${HOOK}` }).closed
    rmSync(join(data, 'fish.mark'))
    if (isCopied) cpSync(join(later, 'fish.db'), join(data, 'fish.db'))
    else await makeStore(data, 'later')
    for (const flags of [['--dry-run'], [], ['--force']]) {
      const program = launch(['restore', backup, ...flags], env)
      expect([await program.closed, program.stderr()]).toEqual([6, expect.stringContaining('there is another one now')])
    }
    expect(await found(data)).toBe('later')

    const [replaced = ''] = readdirSync(data).filter((name) => name.startsWith('replaced-'))
    cpSync(join(data, replaced), join(newFolder(), 'aside'), { recursive: true })
    rmSync(join(data, replaced), { recursive: true })
    expect(await launch(['restore', backup, '--force'], env).closed).toBe(0)
    expect(await found(data)).toBe('new')
    const [moved = ''] = readdirSync(data).filter((name) => name.startsWith('replaced-'))
    expect(await found(join(data, moved))).toBe('later')
  })
})
