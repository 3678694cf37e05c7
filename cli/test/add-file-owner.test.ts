import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { outboxPath } from '../src/client/outbox-path.ts'
import { claimImport, importId } from '../src/import/checkpoint.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run } from './harness.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const TEXT = 'Cod,1\nKoi,2\n'

async function startMock() {
  const mock = await createMock({ startAt: START, seed: { users: [{ name: 'Alex' }, { name: 'Bob' }] } })
  const served = await mock.serve({ port: 0 })
  onTestFinished(async () => {
    await served[Symbol.asyncDispose]()
    await mock[Symbol.asyncDispose]()
  })
  const folder = newFolder()
  const env: Env = {
    ...xdgFolders(folder),
    FISH_URL: served.url,
    FISH_USER: 'Alex',
    FISH_GAMEMODE: 'earth',
    FISH_KEY: mock.user('Alex').fernetKey,
  }
  return { mock, env, folder, url: served.url }
}

/** A clock that stands still in the first wait, until it is let go. */
function heldClock(now: () => number) {
  let reached = () => {}
  const waiting = new Promise<void>((resolve) => {
    reached = resolve
  })
  const clock: NonNullable<RunOptions['clock']> = {
    now,
    sleep: (_ms, signal) =>
      new Promise<void>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        reached()
      }),
  }
  return { clock, waiting }
}

let context: Awaited<ReturnType<typeof startMock>>

beforeEach(async () => {
  context = await startMock()
})

const add = (file: string, { env = {}, ...options }: RunOptions = {}, ...flags: readonly string[]) =>
  run(['add', '--file', file, '--json', ...flags], {
    env: { ...context.env, ...env },
    clock: { now: () => context.mock.clock.now(), sleep: async (ms) => context.mock.clock.advance(ms) },
    ...options,
  })

/** Lets a run of the import wait for the rate limit, while the test goes on. */
async function importThatWaits(file: string, piped?: string) {
  const { mock, url } = context
  for (let used = 0; used < 25; used += 1) await fetch(`${url}/get/fish?name=Alex&gamemode=earth`)
  const { clock, waiting } = heldClock(() => mock.clock.now())
  const interrupter = new AbortController()
  const ended = add(file, {
    clock,
    interrupted: interrupter.signal,
    env: { FISH_MAX_WAIT: '600' },
    ...(piped === undefined ? {} : { piped }),
  })
  await Promise.race([waiting, ended])
  return { ended, interrupt: () => interrupter.abort(new Error('Ctrl-C')) }
}

const importFiles = () =>
  readdirSync(join(context.folder, 'state', 'fish-crab'))
    .filter((name) => name.includes('import'))
    .sort()

const names = () => context.mock.sent.fish().map(({ name }) => name)

describe('an import that runs', () => {
  test.each(['file', 'stdin'])('from a %s refuses the same one before that changes anything', async (source) => {
    const path = join(context.folder, 'catches.csv')
    writeFileSync(path, TEXT)
    const [file, piped] = source === 'file' ? [path, undefined] : ['-', TEXT]
    const { ended, interrupt } = await importThatWaits(file, piped)
    const requests = context.mock.requests.length
    const second = await add('-', { piped: TEXT, env: { FISH_USER: 'ALEX' } })
    expect({ status: second.status, error: JSON.parse(second.stdout).error }).toEqual({
      status: 6,
      error: expect.objectContaining({
        code: 'import_running',
        exit: 6,
        hint: expect.stringContaining('outbox status'),
      }),
    })
    const text = await run(['add', '--file', file], { env: context.env, piped: piped ?? '' })
    expect({ status: text.status, stdout: text.stdout }).toEqual({ status: 6, stdout: '' })
    expect(text.stderr).toContain('Another run is importing the same content')
    expect(text.stderr).toContain('nothing was changed')
    expect(context.mock.requests.length).toBe(requests)
    const { stdout } = await run(['outbox', 'status', '--json'], { env: context.env })
    expect(JSON.parse(stdout).queued).toBe(2)
    interrupt()
    expect((await ended).status).toBe(130)
  })

  test('is in the way of no other content, player or gamemode', async () => {
    const { ended, interrupt } = await importThatWaits('-', TEXT)
    expect((await add('-', { piped: `${TEXT}Eel,3\n` })).status).toBe(0)
    expect((await add('-', { piped: TEXT }, '-g', 'survival')).status).toBe(0)
    const bob = { FISH_USER: 'Bob', FISH_KEY: context.mock.user('Bob').fernetKey }
    expect((await add('-', { piped: TEXT, env: bob })).status).toBe(0)
    interrupt()
    await ended
  })

  test('that has ended refuses the same content unless --again is given, and leaves no file of its own', async () => {
    expect((await add('-', { piped: TEXT })).status).toBe(0)
    const { status, stdout } = await add('-', { piped: TEXT })
    expect([status, JSON.parse(stdout).error]).toEqual([
      6,
      expect.objectContaining({ code: 'already_added', hint: expect.stringContaining('--again') }),
    ])
    expect(names()).toEqual(['Cod', 'Koi'])
    expect((await add('-', { piped: TEXT }, '--again')).status).toBe(0)
    expect(names()).toEqual(['Cod', 'Koi', 'Cod', 'Koi'])
    expect(importFiles()).toEqual([])
  })

  test('takes away what killed runs of other content left, and nothing that is held', async () => {
    const { ended, interrupt } = await importThatWaits('-', TEXT)
    const [held] = importFiles()
    const path = outboxPath({ env: context.env }, context.url)
    writeFileSync(`${path}-import-0123.lock`, '')
    writeFileSync(`${path}.import-notes`, '')
    expect((await add('-', { piped: 'Eel,3\n' })).status).toBe(0)
    expect(importFiles()).toEqual([held, expect.stringContaining('notes')])
    expect((await add('-', { piped: TEXT })).status).toBe(6)
    interrupt()
    await ended
  })
})

describe('an import that could not send all', () => {
  const again = () => add('-', { piped: TEXT })
  const fails = () => context.mock.fail('reset', { on: 'postFish', times: Number.POSITIVE_INFINITY })

  test('says that its catches are queued, and goes on with them when it is given again', async () => {
    const away = fails()
    for (const _ of [1, 2]) {
      const { status, stdout } = await again()
      expect({ status, error: JSON.parse(stdout).error }).toEqual({
        status: 69,
        error: expect.objectContaining({
          message: expect.stringContaining('2 catches are queued on this machine.'),
          hint: expect.stringContaining('fish-cli outbox flush'),
        }),
      })
    }
    away.cancel()
    const text = await run(['add', '--file', '-'], { env: context.env, piped: TEXT })
    expect(text.stdout).toBe('2 catches imported: 2 sent, 0 in dead letters, 0 left.\n')
    expect(text.stderr).toContain('An earlier run queued all of these')
    expect(names()).toEqual(['Cod', 'Koi'])
    expect((await again()).status).toBe(6)
    expect(names()).toEqual(['Cod', 'Koi'])
  })

  test('is not repeated while its catches are in dead letters, nor after these are retried', async () => {
    const wrong = { env: { FISH_KEY: context.mock.user('Bob').fernetKey } }
    for (const _ of [1, 2]) {
      const { status, stdout } = await add('-', { piped: TEXT, ...wrong })
      expect([status, JSON.parse(stdout)]).toEqual([7, { catches: 2, sent: 0, skipped: 0, deadLetters: 2, left: 0 }])
    }
    expect((await again()).status).toBe(7)
    for (const command of ['retry', 'flush']) {
      expect((await run(['outbox', command], { env: context.env })).status).toBe(0)
    }
    expect(names()).toEqual(['Cod', 'Koi'])
    expect((await again()).status).toBe(0)
    expect(names()).toEqual(['Cod', 'Koi'])
  })

  test('of a file that changed since says what else is queued, and so does a cancellation that finds nothing', async () => {
    const away = fails()
    expect((await again()).status).toBe(69)
    const file = join(context.folder, 'changed.csv')
    writeFileSync(file, `${TEXT}Eel,1\n`)
    const cancelled = await run(['outbox', 'cancel', '--file', file, '--yes'], { env: context.env })
    expect([cancelled.status, cancelled.stdout]).toEqual([0, 'Cancelled 0 catches.\n'])
    expect(cancelled.stderr).toBe('fish-cli: 2 catches of other files queued; has this file changed since?\n')
    away.cancel()
    const added = await run(['add', '--file', file], { env: context.env })
    expect([added.status, added.stdout]).toEqual([0, '3 catches imported: 5 sent, 0 in dead letters, 0 left.\n'])
    expect(added.stderr).toContain('2 catches of other files were queued before; those of Alex are sent, too.')
  })

  test('says that it was cancelled meanwhile, and exits with 7', async () => {
    const { mock, env } = context
    const lines = Array.from({ length: 1200 }, (_, index) => `Fish ${index},1\n`).join('')
    const file = join(context.folder, 'many.csv')
    writeFileSync(file, lines)
    let isCancelled = false
    const clock: NonNullable<RunOptions['clock']> = {
      now: () => mock.clock.now(),
      async sleep(ms) {
        if (!isCancelled) {
          isCancelled = true
          await run(['outbox', 'cancel', '--file', file, '--yes'], { env })
        }
        await mock.clock.advance(ms)
      },
    }
    for (let used = 0; used < 24; used += 1) await fetch(`${context.url}/get/fish?name=Alex&gamemode=earth`)
    const { status, stdout } = await run(['add', '--file', file], { env: { ...env, FISH_MAX_WAIT: '600' }, clock })
    expect([isCancelled, status]).toEqual([true, 7])
    expect(stdout).toMatch(/^The import was cancelled: \d+ sent, 0 in dead letters, 0 left\.\n$/)
    expect(names().length).toBeLessThan(1200)
  })

  test('since Ctrl-C ended it goes on where it was', async () => {
    const { ended, interrupt } = await importThatWaits('-', TEXT)
    interrupt()
    const { status, stdout } = await ended
    expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 130, code: 'interrupted' })
    await context.mock.clock.advance(300_000)
    expect((await again()).status).toBe(0)
    expect(names()).toEqual(['Cod', 'Koi'])
  })
})

test('add --file goes on behind what a killed run has queued', async () => {
  const path = outboxPath({ env: context.env }, context.url)
  const hash = createHash('sha256').update(TEXT).digest('hex')
  {
    await using outbox = await openOutbox({ path, user: 'Alex', gamemode: 'earth' })
    const name = importId({ hash }, { user: 'Alex', gamemode: 'earth', rarity: undefined, kind: 'fish' })
    const scope = { name, content: hash, clock: { now: () => START } }
    const claim = await claimImport(outbox, scope)
    await claim.add([{ kind: 'fish', name: 'Cod', rarity: 1 }], 1)
  }
  const { status, stdout, stderr } = await run(['add', '--file', '-'], { env: context.env, piped: TEXT })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '2 catches imported: 2 sent, 0 in dead letters, 0 left.\n' })
  expect(stderr).toContain('An incomplete run queued 1 of these; resuming there.')
  expect(names()).toEqual(['Cod', 'Koi'])
})

describe('the place of an import', () => {
  const defaults = { user: 'Alex', gamemode: 'earth', rarity: undefined, kind: 'fish' } as const
  const name = importId({ hash: 'abc' }, defaults)
  const cod = { kind: 'fish', name: 'Cod', rarity: 1 } as const
  const open = () => openOutbox({ path: ':memory:', user: 'Alex', gamemode: 'earth' })

  test('changes hands: a run that was overtaken without knowing it queues nothing', async () => {
    const outbox = await open()
    const clock = { now: () => START }
    const first = await claimImport(outbox, { name, content: 'c', clock })
    await first.add([cod], 1)
    const second = await claimImport(outbox, { name, content: 'c', clock })
    expect(second.before).toBe(1)
    await expect(first.add([cod], 2)).rejects.toMatchObject({
      code: 'import_running',
      exit: 6,
      message: expect.stringMatching(/^(?!.*nothing was changed).*This one stops.*stay queued/),
    })
    await first.settle()
    await second.add([cod], 2)
    await second.settle()
    expect(await outbox.status()).toMatchObject({ pending: 2 })
    // They wait still: the same content given again is the same import.
    expect((await claimImport(outbox, { name, content: 'c', clock })).before).toBe(2)
  })

  test.each(['{"version":9}', '7', 'x'])('that nobody can read is left alone: %s', async (value) => {
    const outbox = await open()
    await outbox.add([], { checkpoint: { name, value } })
    const claimed = claimImport(outbox, {
      name,
      content: 'c',
      clock: { now: () => START },
    })
    await expect(claimed).rejects.toMatchObject({ code: 'import_not_readable' })
    expect(await outbox.checkpoint(name)).toBe(value)
  })
})
