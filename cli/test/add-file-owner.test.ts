import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run } from './harness.ts'

const TEXT = 'Cod,1\nKoi,2\n'

async function startMock() {
  const mock = await createMock({
    startAt: Date.parse('2026-01-01T00:00:00Z'),
    seed: { users: [{ name: 'Alex', password: 'alex-password' }, { name: 'Bob' }] },
  })
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

let context: Awaited<ReturnType<typeof startMock>>

beforeEach(async () => {
  context = await startMock()
})

const add = async (piped: string, { env = {}, ...options }: RunOptions = {}, ...flags: readonly string[]) => {
  const { status, stdout } = await run(['add', '--file', '-', '--json', ...flags], {
    env: { ...context.env, ...env },
    piped,
    ...options,
  })
  return { status, document: JSON.parse(stdout) }
}

const fish = async (...argv: readonly string[]) => run(argv, { env: context.env })
const names = () => context.mock.sent.fish().map(({ name }) => name)
const losesConnection = () => context.mock.fail('reset', { on: 'postFish', times: Number.POSITIVE_INFINITY })
const sent = (count: number, skipped = 0) => ({
  status: 0,
  document: { catches: 2, skipped, sent: count, rejected: 0, waiting: 0 },
})

describe('add --file', () => {
  test('skips a file that was added before, even if the player name is given in a different letter case', async () => {
    expect(await add(TEXT)).toEqual(sent(2))
    expect(await add(TEXT, { env: { FISH_USER: 'ALEX' } })).toEqual(sent(0, 2))
    expect((await run(['add', '--file', '-'], { env: context.env, piped: TEXT })).stdout).toBe(
      '2 catches in the file: 0 sent, 0 rejected, 0 waiting. 2 skipped: they were added before. To add them again, repeat the command with --again.\n',
    )
    expect(names()).toEqual(['Cod', 'Koi'])
  })

  test('adds a file again each time --again is given', async () => {
    await add(TEXT)
    for (const _ of [1, 2]) expect(await add(TEXT, {}, '--again')).toEqual(sent(2))
    expect(names()).toEqual(['Cod', 'Koi', 'Cod', 'Koi', 'Cod', 'Koi'])
  })

  test('adds a file again for a different player, gamemode or rarity', async () => {
    await add(TEXT)
    expect(await add(TEXT, {}, '-g', 'survival')).toEqual(sent(2))
    expect(await add(TEXT, {}, '-r', '3')).toEqual(sent(2))
    const bob = { FISH_USER: 'Bob', FISH_KEY: context.mock.user('Bob').fernetKey }
    expect(await add(TEXT, { env: bob })).toEqual(sent(2))
  })

  test('adds both catches if a file contains two equal catches', async () => {
    await add('Cod,1\nCod,1\n')
    expect(names()).toEqual(['Cod', 'Cod'])
  })

  test('stores the catches of a file once when two runs add the file at the same time', async () => {
    const runs = await Promise.all([add(TEXT), add(TEXT)])
    expect(runs.map(({ status }) => status)).toEqual([0, 0])
    expect(names()).toEqual(['Cod', 'Koi'])
  })

  test('sends the waiting catches of a file that is added again, and does not count these catches as skipped', async () => {
    const away = losesConnection()
    for (const _ of [1, 2]) {
      expect(await add(TEXT)).toMatchObject({
        status: 69,
        document: {
          error: {
            message: expect.stringContaining('2 catches are waiting in the outbox.'),
            hint: expect.stringContaining('fish-cli outbox --send'),
          },
        },
      })
    }
    away.cancel()
    expect(await add(TEXT)).toEqual(sent(2))
    expect(names()).toEqual(['Cod', 'Koi'])
  })

  test('reports the catches that were rejected earlier if their file is added again', async () => {
    const wrong = { env: { FISH_KEY: context.mock.user('Bob').fernetKey } }
    expect(await add(TEXT, wrong)).toEqual({
      status: 7,
      document: { catches: 2, skipped: 0, sent: 0, rejected: 2, waiting: 0 },
    })
    const repeated = await run(['add', '--file', '-'], { env: context.env, piped: TEXT })
    expect(repeated.stderr).toContain('fish-cli: 2 catches rejected earlier. See the reasons: fish-cli outbox\n')
    expect(await fish('outbox', '--retry')).toMatchObject({ status: 0 })
    expect(await add(TEXT)).toEqual(sent(0, 2))
    expect(names()).toEqual(['Cod', 'Koi'])
  })
})

async function useUpRateLimit(requests = 25) {
  for (let used = 0; used < requests; used += 1) await fetch(`${context.url}/get/fish?name=Alex&gamemode=earth`)
}

/** Adds a file, and presses Ctrl-C when the run waits for the rate limit. */
async function interruptInWait(piped: string, ...flags: readonly string[]) {
  const interrupter = new AbortController()
  const clock: NonNullable<RunOptions['clock']> = {
    now: () => context.mock.clock.now(),
    sleep: async () => {
      interrupter.abort(new Error('Ctrl-C'))
      throw interrupter.signal.reason
    },
  }
  const env = { FISH_MAX_WAIT: '600' }
  return add(piped, { clock, interrupted: interrupter.signal, env }, ...flags)
}

test('an interrupted run reports the waiting catches, and the next run sends them', async () => {
  await useUpRateLimit()
  const { status, document } = await interruptInWait(TEXT)
  expect({ status, error: document.error }).toEqual({
    status: 130,
    error: expect.objectContaining({
      code: 'interrupted',
      message: 'Interrupted. 2 catches are waiting in the outbox.',
      hint: 'Repeat the command to continue, or cancel: fish-cli outbox --cancel',
    }),
  })
  await context.mock.clock.advance(300_000)
  expect(await add(TEXT)).toEqual(sent(2))
  expect(names()).toEqual(['Cod', 'Koi'])
})

test('an interrupted run with --again suggests outbox --send instead of repeating the command', async () => {
  await useUpRateLimit()
  const { document } = await interruptInWait(TEXT, '--again')
  expect(document.error.hint).toBe('Send the catches: fish-cli outbox --send')
})

test('add --file also sends the catches that are already in the outbox, and reports their number', async () => {
  const away = losesConnection()
  await add(TEXT)
  away.cancel()
  const file = join(context.folder, 'more.csv')
  writeFileSync(file, `${TEXT}Eel,1\n`)
  const { stdout, stderr } = await fish('add', '--file', file)
  expect(stdout).toBe('3 catches in the file: 5 sent, 0 rejected, 0 waiting.\n')
  expect(stderr).toContain('fish-cli: Also sending from the outbox: 2 catches.\n')
})

describe('the waiting catches of a file', () => {
  beforeEach(async () => {
    await useUpRateLimit()
    // The first interrupted run freezes the batch that contains Eel, so that Eel can no longer be deleted. The catches
    // queued later can be deleted.
    await interruptInWait('Eel,3\n')
    await interruptInWait(TEXT)
  })

  const waiting = async () => JSON.parse((await fish('outbox', '--json')).stdout).waiting

  test.each([['undo'], ['outbox', '--cancel']])(
    'are deleted by %s %s, and the file can be added again',
    async (...argv) => {
      expect(await waiting()).toBe(3)
      await fish(...argv, '--yes')
      expect(await waiting()).toBe(1)
      await context.mock.clock.advance(300_000)
      expect(await add(TEXT)).toEqual(sent(3))
      expect(names()).toEqual(['Eel', 'Cod', 'Koi'])
    },
  )

  test('remain in the outbox when undo reverts a later run that used --again', async () => {
    await interruptInWait(TEXT, '--again')
    const { status, stdout } = await fish('undo', '--yes', '--json')
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { queued: true, catches: 2, underWay: 0 }])
    expect(await waiting()).toBe(3)
  })
})

test('undo of a partly sent file removes the waiting catches first, keeps a batch that is being sent, and removes sent batches', async () => {
  await useUpRateLimit(24)
  const own = Array.from({ length: 1001 }, (_, index) => `Fish ${index}`)
  await interruptInWait(own.map((name) => `${name},1\n`).join(''))
  const env = { ...context.env, FISH_PASSWORD: 'alex-password' }
  const undo = async () => {
    await context.mock.clock.advance(300_000)
    const { status, stdout } = await run(['undo', '--yes', '--json'], { env })
    return { status, document: JSON.parse(stdout) }
  }
  const { document, ...first } = await undo()
  expect({ ...first, document }).toMatchObject({ status: 7, document: { queued: true, catches: 1, underWay: 500 } })
  expect(readFileSync(document.file, 'utf8').trimEnd().split('\n')).toEqual([expect.stringContaining('"Fish 1000"')])
  expect(await undo()).toMatchObject({ status: 6, document: { error: { code: 'catches_under_way' } } })
  expect([JSON.parse((await fish('outbox', '--json')).stdout).waiting, names()]).toEqual([500, own.slice(0, 500)])
  await fish('outbox', '--send')
  const stored = async () => JSON.parse((await fish('list', '--json')).stdout).fish.length
  expect(await stored()).toBe(1000)
  for (const left of [500, 0]) {
    expect(await undo()).toMatchObject({ status: 0, document: { queued: false, catches: 500 } })
    expect(await stored()).toBe(left)
  }
})
