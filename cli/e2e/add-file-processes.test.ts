import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { outboxPath } from '../src/session/paths.ts'
import { newFolder, xdgFolders } from '../test/folders.ts'
import { type Fed, startFish } from '../test/stdin-processes.ts'

const MANY = { requests: 1_000_000, windowSeconds: 300 }
const START = Date.parse('2026-01-01T00:00:00Z')

/**
 * Starts a mock service that other processes can use, and returns functions that write a file of catches and add the
 * file.
 */
async function startRuns(lines: number, limits = MANY) {
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
      [Symbol.asyncDispose]: () => outbox.close(),
    }
  }
  const stored = (round: number) =>
    mock.sent.fish().flatMap(({ name }) => (name.startsWith(`Fish ${round}.`) ? [name] : []))
  return { names, write, start, lookInto, stored }
}

/**
 * Kills the process after its n-th commit to a database file. Commits during the validation do not count, because the
 * validation uses a database in memory.
 */
function killedAtCommit(commit: number): string {
  const code = `import { DatabaseSync } from 'node:sqlite'
    const { exec } = DatabaseSync.prototype
    let commits = 0
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql)
      if (sql === 'COMMIT' && this.location() !== null && ++commits === ${commit}) process.kill(process.pid, 'SIGKILL')
    }`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

async function outcomeOf({ ended }: Fed) {
  const { status, stdout } = await ended
  const { catches, rejected, waiting } = JSON.parse(stdout)
  return { status, catches, rejected, waiting }
}

const COMPLETE = { status: 0, rejected: 0, waiting: 0 }

describe('a file that two processes add', () => {
  test.each(['file', 'stdin'] as const)(
    'is stored once if both processes run at the same time and read from %s',
    async (source) => {
      const { names, write, start, stored } = await startRuns(500)
      for (const round of [1, 2]) {
        write(round)
        const outcomes = await Promise.all([start(source, round), start(source, round)].map(outcomeOf))
        expect(outcomes).toEqual([1, 2].map(() => ({ ...COMPLETE, catches: 500 })))
        expect(stored(round)).toEqual(names(round))
      }
    },
  )

  test.each(['file', 'stdin'] as const)(
    'is stored once if the first process is killed while it reads from %s',
    async (source) => {
      const LINES = 10_000
      const { names, write, start, lookInto, stored } = await startRuns(LINES)
      for (const [round, commit] of [9, 12, 15].entries()) {
        write(round)
        await using outbox = await lookInto()
        const { ended } = start(source, round, { NODE_OPTIONS: killedAtCommit(commit) })
        expect((await ended).status).toBe(null)
        const queued = await outbox.queued()
        expect(queued).toBeGreaterThan(0)
        expect(queued).toBeLessThan(LINES)
        expect(await outcomeOf(start(source, round))).toEqual({ ...COMPLETE, catches: LINES })
        expect(stored(round)).toEqual(names(round))
      }
    },
  )
})
