import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { launch } from './maintenance-processes.ts'

const HOOK = fileURLToPath(new URL('kill-at-rename.mjs', import.meta.url))
const USER = { id: 'u-1', name: 'Alex' }
const SECRETS = { encryption: 'the secret of the store', session: 'the secret of its sessions' }

/** Creates a store with a user, and a dump with the same user. */
async function sources() {
  const folder = newFolder()
  const [store, dump] = [join(folder, 'store'), join(folder, 'users.json')]
  const storage = await createStorage({ driver: 'file', path: store })
  await storage.items.setItem(itemKey('user', 'alex'), JSON.stringify({ ...USER, createdAt: '' }))
  await storage.dispose()
  writeFileSync(join(store, 'secrets.json'), JSON.stringify(SECRETS))
  writeFileSync(dump, `${JSON.stringify({ _id: 1, ...USER, fernetKey: Buffer.alloc(32).toString('base64') })}\n`)
  return { store, dump }
}

type Sources = Awaited<ReturnType<typeof sources>>

/** Opens a data folder as a server does, and returns the name of the user, or the code of the refusal. */
async function userIn(path: string): Promise<string> {
  const storage = await createStorage({ driver: 'file', path }).catch((error: { code: string }) => error)
  if ('code' in storage) return storage.code
  const user = await storage.items.getItem(itemKey('user', 'alex'))
  await storage.dispose()
  return JSON.parse(user ?? '{}').name
}

test.each<[string, (from: Sources, data: string) => readonly string[]]>([
  ['restore', ({ store }) => ['restore', store]],
  ['copy', ({ store }, data) => ['copy', `file:${store}`, `file:${data}`]],
  ['migrate', ({ dump }) => ['migrate', dump, '--yes']],
])('%s can be repeated, whichever rename a kill interrupts, and no store is opened before', async (_, argvOf) => {
  const from = await sources()
  let kills = 0
  for (let code: number | null = null; code !== 0; kills += 1) {
    const data = join(newFolder(), 'data')
    const env = { FISH_STORAGE: `file:${data}` }
    const killing = { FISH_KILL_AT: String(kills + 1), NODE_OPTIONS: `--import=${HOOK}` }
    const killed = launch(argvOf(from, data), { ...env, ...killing })
    code = await killed.closed
    expect([code, code ? killed.stderr() : '']).toEqual([code === 0 ? 0 : null, ''])
    if (code !== 0) {
      if (!existsSync(join(data, 'fish.db'))) expect(await userIn(data)).toBe('unfinished')
      const again = launch(argvOf(from, data), env)
      expect([await again.closed, again.stderr()]).toEqual([0, expect.any(String)])
    }
    expect(readdirSync(data).toSorted()).toEqual(['fish.db', 'fish.lock', 'secrets.json'])
    expect(Object.keys(JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')))).toEqual(Object.keys(SECRETS))
    expect(await userIn(data)).toBe(USER.name)
  }
  expect(kills).toBeGreaterThan(1)
})
