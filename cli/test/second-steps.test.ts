import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMock, type Fault, type Mock } from '@fish-crab/mocks'
import type { Clock } from '@fish-crab/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run } from './harness.ts'

const MODES = ['earth', 'survival'] as const
type Mode = (typeof MODES)[number]
const FILES = [['A1', 'A2'], ['B1']] as const
const ROUTES = ['deleteOwnFish', 'moveOwnFish'] as const
const FOREVER = { times: Number.POSITIVE_INFINITY, on: ROUTES }
const ONCE = { on: ROUTES }

/**
 * The faults of a network. `changes` is the number of successive changes that the service makes. `succeeds` tells
 * whether the command succeeds.
 */
interface Network {
  readonly faults: readonly (readonly [Fault, { readonly times?: number; readonly on: typeof ROUTES }])[]
  readonly changes: number
  readonly succeeds?: boolean
}
const ALL = Number.POSITIVE_INFINITY
const NETWORKS: readonly Network[] = [
  { faults: [], changes: ALL },
  { faults: [], changes: ALL },
  { faults: [[{ status: 503 }, ONCE]], changes: ALL },
  { faults: [[{ status: 503 }, FOREVER]], changes: 0 },
  { faults: [['lost-response', ONCE]], changes: ALL },
  { faults: [['lost-response', FOREVER]], changes: 1 },
  {
    faults: [
      ['lost-response', ONCE],
      [{ status: 429 }, FOREVER],
    ],
    changes: 1,
  },
  {
    faults: [
      ['lost-response', ONCE],
      [{ status: 503 }, FOREVER],
    ],
    changes: 1,
  },
  { faults: [[{ status: 401 }, FOREVER]], changes: 0 },
  {
    faults: [
      [{ latencyMs: 0 }, ONCE],
      [{ status: 401 }, FOREVER],
    ],
    changes: 1,
    succeeds: true,
  },
]

const step = fc.record({
  operation: fc.constantFrom(
    ...(['add', 'import', 'import', 'import away', 'import away', 'flush', 'remove', 'remove', 'move'] as const),
    ...(['undo', 'undo', 'undo', 'restore'] as const),
  ),
  pick: fc.nat(),
  count: fc.integer({ min: 1, max: 3 }),
  gamemode: fc.constantFrom(...MODES),
  network: fc.constantFrom(...NETWORKS),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface CatchRecord {
  readonly names: readonly string[]
  readonly addedTo: Mode
  /** The current gamemode, or `undefined` if the record was removed. */
  gamemode: Mode | undefined
}

interface Queued {
  readonly file: number
  readonly names: readonly string[]
  readonly at: number
  isFrozen: boolean
  readonly isAgain: boolean
}

interface Listed {
  readonly id: string
  readonly name: string
}

class Play {
  private records: CatchRecord[] = []
  /** The requests of each command, oldest first. */
  private sent: { readonly at: number; readonly records: readonly CatchRecord[] }[] = []
  private queue: Queued[] = []
  /** Whether the queue contains catches of a file, and whether an earlier run has added the file. */
  private readonly files = FILES.map(() => ({ isQueued: false, isKnown: false }))
  private readonly restored = new Set<string>()
  private readonly folder = newFolder()
  private now = 0
  private count = 0
  private readonly mock: Mock
  private readonly env: Env
  private readonly clock: Clock

  constructor(mock: Mock, url: string) {
    this.mock = mock
    const { fernetKey, password } = mock.user('Alex')
    const player = { FISH_USER: 'Alex', FISH_KEY: fernetKey, FISH_PASSWORD: password }
    this.env = { ...xdgFolders(this.folder), ...player, FISH_URL: url, FISH_GAMEMODE: 'earth', FISH_MAX_WAIT: '100' }
    this.clock = {
      now: () => mock.clock.now(),
      async sleep(ms, signal) {
        signal?.throwIfAborted()
        await mock.clock.advance(Math.ceil(ms))
      },
    }
  }

  private fish(...argv: string[]) {
    return run([...argv, '--json'], { env: this.env, clock: this.clock })
  }

  private send(...records: CatchRecord[]): void {
    this.records.push(...records)
    if (records.length > 0) this.sent.push({ at: this.now, records })
  }

  private sendQueue(): void {
    const batches = [true, false].map((isFrozen) => this.queue.filter((one) => one.isFrozen === isFrozen))
    const names = batches.map((batch) => batch.flatMap((one) => one.names)).filter(({ length }) => length > 0)
    this.send(...names.map((batch) => ({ names: batch, addedTo: 'earth', gamemode: 'earth' }) as const))
    this.queue = []
  }

  private async listed(gamemode: Mode): Promise<readonly Listed[]> {
    const response = await this.mock.fetch(`/get/fish?name=Alex&gamemode=${gamemode}&detail=full`)
    return ((await response.json()) as { fish: Listed[] }).fish
  }

  private copies(): ReadonlyMap<string, readonly string[]> {
    const paths = readdirSync(this.folder, { recursive: true }).map(String)
    const removed = paths.filter((path) => /removed-[^/]*\.jsonl$/.test(path))
    const namesIn = (path: string) => {
      const lines = readFileSync(join(this.folder, path), 'utf8').trim().split('\n')
      return lines.map((line) => JSON.parse(line).name as string)
    }
    return new Map(removed.map((path) => [path, namesIn(path)]))
  }

  private async importFile({ operation, pick }: Step): Promise<void> {
    const file = pick % FILES.length
    const names = FILES[file] as readonly string[]
    const state = this.files[file] as (typeof this.files)[number]
    const path = join(this.folder, `${file}.csv`)
    await writeFile(path, names.map((name) => `${name},1\n`).join(''))
    const isAway = operation === 'import away'
    const isAgain = state.isKnown && !state.isQueued
    if (isAgain && this.queue.length === 0) {
      const { stdout } = await this.fish('add', '--file', path)
      expect(JSON.parse(stdout)).toMatchObject({ skipped: names.length, sent: 0 })
    }
    const fault = isAway && this.mock.fail('reset', { on: 'postFish', times: Number.POSITIVE_INFINITY })
    const { status, stderr } = await this.fish('add', '--file', path, ...(isAgain ? ['--again'] : []))
    if (fault) fault.cancel()
    if (!state.isQueued) this.queue.push({ file, names, at: this.now, isFrozen: false, isAgain })
    if (!isAway) this.sendQueue()
    // No further batch is frozen while a frozen batch exists.
    else if (!this.queue.some(({ isFrozen }) => isFrozen)) for (const one of this.queue) one.isFrozen = true
    expect([status === 0, stderr]).toEqual([this.queue.length === 0, expect.anything()])
    const isQueued = this.queue.some((one) => one.file === file)
    Object.assign(state, { isQueued, isKnown: true })
  }

  /** Runs a command over a network, and compares the collections and the saved copies with the model. */
  private async change({ network }: Step, records: readonly CatchRecord[], to: Mode | undefined, argv: string[]) {
    const before = this.copies()
    const faults = network.faults.map(([fault, options]) => this.mock.fail(fault, options))
    const { status, stderr, stdout } = await this.fish(...argv, '--yes')
    for (const fault of faults) fault.cancel()
    const changed = records.slice(0, network.changes)
    const succeeds = network.changes === ALL || (network.succeeds === true && changed.length === records.length)
    expect([status === 0, stderr + stdout]).toEqual([succeeds, expect.anything()])
    for (const one of changed) one.gamemode = to
    this.records = [...this.records.filter((one) => !changed.includes(one)), ...(to ? changed : [])]
    const saved = [...this.copies()].filter(([path]) => !before.has(path)).flatMap(([, names]) => names)
    if (to === undefined) expect(saved).toEqual(expect.arrayContaining(changed.flatMap(({ names }) => names)))
    if (to !== undefined || network.faults[0]?.[0] === NETWORKS.at(-2)?.faults[0]?.[0]) expect(saved).toEqual([])
    return succeeds
  }

  private async removeOrMove(step: Step): Promise<void> {
    const { operation, gamemode, pick, count } = step
    const own = this.records.filter((one) => one.gamemode === gamemode)
    const from = own.length === 0 ? 0 : pick % own.length
    const records = own.slice(from, from + count)
    if (records.length === 0) return
    const listed = await this.listed(gamemode)
    const ids = [...new Set(listed.map(({ id }) => id))].slice(from, from + count)
    const to = operation === 'move' ? MODES.find((one) => one !== gamemode) : undefined
    const where = to === undefined ? ['-g', gamemode] : ['--from', gamemode, '-g', to]
    await this.change(step, records, to, [operation, ...ids, ...where])
  }

  private async undo(step: Step): Promise<void> {
    for (;;) {
      const last = this.sent.at(-1)
      const queued = this.queue.at(-1)
      if (queued && queued.at >= (last?.at ?? 0)) return this.undoQueued(queued)
      if (!last) return expect((await this.fish('undo', '--yes')).status).toBe(5)
      const records = this.records.filter((one) => last.records.includes(one) && one.gamemode === one.addedTo)
      if (records.length > 0) {
        if (await this.change(step, records, undefined, ['undo'])) this.sent.pop()
        return
      }
      this.sent.pop()
    }
  }

  private async undoQueued(last: Queued): Promise<void> {
    const { status } = await this.fish('undo', '--yes')
    expect(status).toBe(last.isFrozen ? 6 : 0)
    if (last.isFrozen) return
    this.queue = this.queue.filter((one) => one !== last)
    Object.assign(this.files[last.file] as object, { isQueued: false, isKnown: last.isAgain })
    expect([...this.copies().values()].at(-1)).toEqual(last.names)
  }

  private async restore({ pick }: Step): Promise<void> {
    const copies = [...this.copies()].filter(([path]) => !this.restored.has(path))
    const [path, names] = copies[pick % Math.max(1, copies.length)] ?? []
    if (path === undefined || names === undefined || this.queue.length > 0) return
    this.restored.add(path)
    const lines = readFileSync(join(this.folder, path), 'utf8').trim().split('\n')
    const modes = [...new Set(lines.map((line) => JSON.parse(line).gamemode as Mode))]
    expect((await this.fish('add', '--file', join(this.folder, path))).status).toBe(0)
    const namesOf = (gamemode: Mode) => names.filter((_, at) => JSON.parse(lines[at] as string).gamemode === gamemode)
    this.send(...modes.map((gamemode) => ({ names: namesOf(gamemode), addedTo: gamemode, gamemode })))
  }

  async take(step: Step): Promise<void> {
    const { operation, gamemode, count } = step
    await this.mock.clock.advance(1000)
    this.now += 1
    if (operation === 'add') {
      const names = Array.from({ length: count }, () => `Cod ${this.count++}`)
      expect((await this.fish('add', ...names, '-r', 'gold', '-g', gamemode, '--yes')).status).toBe(0)
      this.send({ names, addedTo: gamemode, gamemode })
    } else if (operation === 'flush') {
      expect((await this.fish('outbox', '--send')).status).toBe(0)
      this.sendQueue()
    } else if (operation === 'undo') await this.undo(step)
    else if (operation === 'restore') await this.restore(step)
    else if (operation === 'remove' || operation === 'move') await this.removeOrMove(step)
    else await this.importFile(step)
    for (const mode of MODES) {
      const names = this.records.filter((one) => one.gamemode === mode).flatMap((one) => one.names)
      expect([operation, (await this.listed(mode)).map(({ name }) => name)]).toEqual([operation, names])
    }
  }
}

const plain: Step = { operation: 'add', pick: 0, count: 1, gamemode: 'earth', network: { faults: [], changes: ALL } }

/** Sequences that the random generator rarely produces. */
const RARE: Step[][] = [
  // The rate limit rejects the retry of a removal after its response was lost.
  NETWORKS.flatMap((network): Step[] => [plain, { ...plain, operation: 'undo', network }]),
  // The service rejects the second of two removals.
  [plain, plain, { ...plain, operation: 'remove', count: 2, network: NETWORKS.at(-1) as Network }],
  // The catches of the second file are still in the queue when the file is undone.
  [
    { ...plain, operation: 'import away' },
    { ...plain, operation: 'import away', pick: 1 },
    { ...plain, operation: 'undo' },
    { ...plain, operation: 'import', pick: 1 },
  ],
]

test('no sequence of commands over any network loses or duplicates a catch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12, size: 'max' }), async (steps) => {
      const requests = 1_000_000
      await using mock = await createMock({ startAt: 0, seed: { users: [{ name: 'Alex' }] }, limits: { requests } })
      const play = new Play(mock, (await mock.serve()).url)
      for (const each of steps) await play.take(each)
    }),
    // The time limit ends the test if a sequence hangs or the search for a shorter sequence takes too long. Even a busy
    // machine needs only a fifth of the limit.
    {
      numRuns: 20,
      examples: RARE.map((steps) => [steps]),
      interruptAfterTimeLimit: 100_000,
      markInterruptAsFailure: true,
    },
  )
}, 120_000)
