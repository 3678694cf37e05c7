import { once } from 'node:events'
import { join } from 'node:path'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it, onTestFinished } from 'vitest'
import { bundle, runInNode, startInNode } from '../../../scripts/test-support/fresh-process.ts'
import { fakeService } from './fake-service.ts'
import { testFolder } from './folders.ts'

it('a started outbox does not keep a process alive while it waits, and loses no catches', async () => {
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
  await using outbox = await openOutbox({ path })
  expect(await outbox.cancel({ dryRun: true })).toEqual({ cancelled: 0, frozen: 1 })
})

it.each([
  ['in memory', () => "path: ':memory:'"],
  ['in a file', (path: string) => `path: ${JSON.stringify(path)}`],
])(
  'a process exits after it has sent all catches and closed its started outbox, with the outbox %s',
  async (_, keptIn) => {
    const path = join(await testFolder(), 'outbox.db')
    const { exitCode, stdout } = await runInNode(`
    import { openOutbox } from './src/outbox/index.ts'
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
  },
)

it.each(['flush', 'close'])(
  'an awaited %s() keeps the process alive while another process sends from the same file',
  async (method) => {
    const path = join(await testFolder(), 'outbox.db')
    const { exitCode, stdout } = await runInNode(`
    import { DatabaseSync } from 'node:sqlite'
    import { openOutbox } from './src/outbox/index.ts'
    const path = ${JSON.stringify(path)}
    const fish = {
      encrypt: async (entries, target) => ({ ...target, kind: 'fish', token: 'token' }),
      send: async () => ({ id: 'record', message: 'Saved', replayed: false }),
    }
    const outbox = await openOutbox({ client: { fish }, user: 'Alex', gamemode: 'earth', path, lingerMs: 0 })
    await outbox.add({ kind: 'fish', name: 'Cod', rarity: 1 })
    const lock = new DatabaseSync(path + '.lock')
    lock.exec('BEGIN EXCLUSIVE')
    setTimeout(() => lock.close(), 300).unref()
    outbox.start()
    await outbox.${method}()
    process.stdout.write('done')
  `)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done' })
  },
)

it('the outbox module loads SQLite only when an outbox is opened', async () => {
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

it('after the process that holds the lock is killed, a second process sends immediately, and sends each catch only once', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const holder = await startInNode(`
    import { openOutbox } from './src/outbox/index.ts'
    const fish = {
      encrypt: async (entries, target) => ({ ...target, kind: 'fish', token: JSON.stringify({ key: 'key-1', entries }) }),
      send: () => new Promise(() => {}),
    }
    const outbox = await openOutbox({
      client: { fish }, user: 'Alex', gamemode: 'earth', path: ${JSON.stringify(path)}, maxBatch: 2,
      onEvent: ({ type }) => type === 'sending' && process.stdout.write(type),
    })
    setInterval(() => {}, 60_000)
    await outbox.add([1, 2, 3].map((n) => ({ kind: 'fish', name: String(n), rarity: 1 })))
    await outbox.flush()
  `)
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')

  const service = fakeService()
  const polls: (NodeJS.Signals | null)[] = []
  const clock = {
    now: Date.now,
    sleep: async () => {
      const exited = once(holder, 'exit')
      if (polls.length === 0) holder.kill('SIGKILL')
      polls.push(polls.length === 0 ? (await exited)[1] : null)
    },
  }
  const sent: boolean[] = []
  await using outbox = await openOutbox({
    client: service.client(),
    user: 'Alex',
    path,
    clock,
    onEvent: (event) => event.type === 'sending' && sent.push(event.again),
  })
  expect(await outbox.flush()).toMatchObject({ delivered: 3, remaining: 0, stopped: [] })
  expect(polls).toEqual(['SIGKILL'])
  // The first batch is the batch of the killed process, resent with the token of the killed process.
  expect(sent).toEqual([true, false])
  expect(service.names('fish/Alex/earth')).toEqual(['1', '2', '3'])
})
