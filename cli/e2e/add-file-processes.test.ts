import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMock } from '@fish-crab/mocks'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { outboxPath } from '../src/client/outbox-path.ts'
import { newFolder, xdgFolders } from '../test/folders.ts'
import { type Fed, startFish } from '../test/stdin-processes.ts'

const MANY = { requests: 1_000_000, windowSeconds: 300 }
const START = Date.parse('2026-01-01T00:00:00Z')

/** A mock of the service that answers other processes, and a file of catches. */
async function startImports(lines: number, limits = MANY) {
  const mock = await createMock({ startAt: START, limits, seed: { users: [{ name: 'Alex' }] } })
  const served = await mock.serve({ port: 0 })
  onTestFinished(async () => {
    await served[Symbol.asyncDispose]()
    await mock[Symbol.asyncDispose]()
  })
  const folder = newFolder()
  const env = {
    ...xdgFolders(folder),
    FISH_URL: served.url,
    FISH_USER: 'Alex',
    FISH_GAMEMODE: 'earth',
    FISH_KEY: mock.user('Alex').fernetKey,
  }
  const path = join(folder, 'catches.csv')
  const names = (round: number) => Array.from({ length: lines }, (_, index) => `Fish ${round}.${index}`)
  const text = (round: number) =>
    names(round)
      .map((name) => `${name},1\n`)
      .join('')
  const write = (round: number) => writeFileSync(path, text(round))
  const from = { file: path, stdin: '-' }
  const start = (source: keyof typeof from, round: number, more = {}): Fed => {
    const fed = startFish(['add', '--file', from[source], '--json'], { ...env, ...more })
    fed.child.stdin.end(source === 'stdin' ? text(round) : '')
    return fed
  }
  const lookInto = async () => {
    const outbox = await openOutbox({ path: outboxPath({ env }, served.url) })
    return {
      queued: async () => (await outbox.cancel({ dryRun: true })).cancelled,
      waiting: async () => (await outbox.status()).pending,
      [Symbol.asyncDispose]: () => outbox.close(),
    }
  }
  const stored = (round: number) =>
    mock.sent.fish().flatMap(({ name }) => (name.startsWith(`Fish ${round}.`) ? [name] : []))
  const locks = () => readdirSync(join(folder, 'state', 'fish-crab')).filter((name) => name.includes('import'))
  /** Holds the answers to requests that add catches: who sent one cannot end until it is let go. */
  const hold = () => {
    const held = mock.fail({ latencyMs: 1000 }, { on: 'postFish', times: Number.POSITIVE_INFINITY })
    return () => {
      held.cancel()
      return mock.clock.advance(1000)
    }
  }
  return { folder, names, write, start, lookInto, stored, locks, hold }
}

/** Kills the process behind its n-th transaction. */
function killedAtCommit(commit: number): string {
  const code = `import { DatabaseSync } from 'node:sqlite'
    const { exec } = DatabaseSync.prototype
    let commits = 0
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql)
      if (sql === 'COMMIT' && ++commits === ${commit}) process.kill(process.pid, 'SIGKILL')
    }`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

async function outcomeOf({ ended }: Fed) {
  const { status, stdout } = await ended
  const { error, catches } = JSON.parse(stdout) as { error?: { code: string; hint: string }; catches?: number }
  return { status, code: error?.code, catches }
}

describe('one import by two processes', () => {
  test.each(['file', 'stdin'] as const)(
    'at once, from a %s, stores every catch once and refuses the other',
    async (source) => {
      const { names, write, start, stored, locks, hold } = await startImports(500)
      for (const round of [1, 2]) {
        write(round)
        const letGo = hold()
        const both = [start(source, round), start(source, round)].map(outcomeOf)
        expect(await Promise.race(both)).toEqual({ status: 6, code: 'import_running', catches: undefined })
        letGo()
        const outcomes = await Promise.all(both)
        expect(outcomes.toSorted((a, b) => (a.status ?? 0) - (b.status ?? 0))).toEqual([
          { status: 0, code: undefined, catches: 500 },
          { status: 6, code: 'import_running', catches: undefined },
        ])
        expect(stored(round)).toEqual(names(round))
      }
      expect(locks()).toEqual([])
    },
  )

  test('of which one ends before the other has loaded refuses that', async () => {
    const { folder, names, write, start, stored } = await startImports(10)
    write(1)
    const release = join(folder, 'release')
    const waits = `import { existsSync } from 'node:fs'
      process.stderr.write('begun')
      while (!existsSync(${JSON.stringify(release)})) await new Promise((resolve) => setTimeout(resolve, 10))`
    const late = start('file', 1, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(waits)}` })
    await once(late.child.stderr, 'data')
    expect(await outcomeOf(start('file', 1))).toEqual({ status: 0, code: undefined, catches: 10 })
    writeFileSync(release, '')
    expect(await outcomeOf(late)).toEqual({ status: 6, code: 'already_added', catches: undefined })
    expect(stored(1)).toEqual(names(1))
  })

  test('of which one is killed leaves no file once other content is given, even if that is wrong', async () => {
    const { write, start, lookInto, locks, hold } = await startImports(10)
    const letGo = hold()
    write(1)
    await using outbox = await lookInto()
    const first = start('file', 1)
    while ((await outbox.waiting()) === 0) await sleep(2)
    first.child.kill('SIGKILL')
    await first.ended
    expect(locks()).toHaveLength(1)
    letGo()
    expect((await outcomeOf(start('stdin', 2, { FISH_GAMEMODE: '' }))).code).toBe('wrong_lines')
    expect(locks()).toEqual([])
  })

  test.each(['file', 'stdin'] as const)(
    'of which the first is killed, from a %s, stores every catch once',
    async (source) => {
      const LINES = 10_000
      const { names, write, start, lookInto, stored, locks } = await startImports(LINES)
      let before = 0
      for (const [round, commit] of [9, 12, 15].entries()) {
        write(round)
        await using outbox = await lookInto()
        const { ended } = start(source, round, { NODE_OPTIONS: killedAtCommit(commit) })
        expect((await ended).status).toBe(null)
        const queued = await outbox.queued()
        expect(queued).toBeGreaterThan(before)
        expect(queued).toBeLessThan(LINES)
        before = queued
        expect(await outcomeOf(start(source, round))).toEqual({ status: 0, code: undefined, catches: LINES })
        expect(stored(round)).toEqual(names(round))
      }
      expect(locks()).toEqual([])
    },
  )
})
