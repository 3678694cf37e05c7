import { join } from 'node:path'
import { sqliteStore } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { bundle, runInNode } from '../../../scripts/test-support/fresh-process.ts'
import { testFolder } from './folders.ts'

it('does not keep a process alive while its background waits, and loses nothing by that', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const { exitCode, stdout } = await runInNode(`
    import { openOutbox } from './src/outbox/index.ts'
    const failing = async () => { throw new Error('The server is away.') }
    const fish = { encrypt: async (_, target) => ({ ...target, kind: 'fish', token: 'token' }), send: failing }
    const outbox = await openOutbox({
      client: { fish }, user: 'Alex', gamemode: 'earth', path: ${JSON.stringify(path)}, lingerMs: 1,
      onEvent: ({ type }) => process.stdout.write(type + '\\n'),
    })
    await outbox.add({ kind: 'fish', name: 'Cod', rarity: 1 })
    outbox.start()
  `)
  expect(exitCode).toBe(0)
  expect(stdout.split('\n')).toEqual(['added', 'sending', 'error', 'waiting', ''])
  const store = await sqliteStore(path)
  expect(await store.collections()).toMatchObject([{ queued: 0, frozen: 1 }])
  await store.close()
})

it.each([
  ['in memory', () => 'store: memoryStore()'],
  ['in a file', (path: string) => `path: ${JSON.stringify(path)}`],
])('ends a process that closes its outbox while the background waits, with everything sent: %s', async (_, keptIn) => {
  const path = join(await testFolder(), 'outbox.db')
  const { exitCode, stdout } = await runInNode(`
    import { memoryStore, openOutbox } from './src/outbox/index.ts'
    let sent = 0
    const fish = {
      encrypt: async (entries, target) => ({ ...target, kind: 'fish', token: String(entries.length) }),
      send: async ({ token }) => {
        sent += Number(token)
        return { id: 'record', message: 'Saved', replayed: false }
      },
    }
    {
      await using outbox = await openOutbox({ client: { fish }, user: 'Alex', gamemode: 'earth', ${keptIn(path)} })
      outbox.start()
      await outbox.add({ kind: 'fish', name: 'Cod', rarity: 1 })
      await outbox.flush()
    }
    process.stdout.write(sent + ' sent, closed')
  `)
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1 sent, closed' })
})

it('loads SQLite only for the store that needs it', async () => {
  const { metafile } = await bundle(`export * from './src/outbox/index.ts'`, true)
  const outputs = new Map(Object.entries(metafile.outputs))
  const loaded = new Set<string>()
  const load = (path: string) => {
    for (const { path: next, kind } of outputs.get(path)?.imports ?? []) {
      if (kind !== 'import-statement' || loaded.has(next)) continue
      loaded.add(next)
      load(next)
    }
  }
  const [entry = ''] = [...outputs].flatMap(([path, { entryPoint }]) => (entryPoint === '<stdin>' ? [path] : []))
  load(entry)
  expect([...outputs.values()].flatMap(({ imports }) => imports.map(({ path }) => path))).toContain('node:sqlite')
  expect([...loaded].filter((path) => !outputs.has(path))).toEqual([])
})
