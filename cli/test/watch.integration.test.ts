import { readFileSync } from 'node:fs'
import { appendFile, copyFile, mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { filesWith, newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'
import { launch, type Program } from './maintenance-processes.ts'

const context = serviceContext()

/** Creates a player without catches, a log, and a separate home folder. */
async function scene(name: string) {
  const folder = newFolder()
  const log = join(folder, 'logs', 'latest.log')
  await mkdir(join(folder, 'logs'))
  const created = await run(['user', 'create', name, '--json'], { env: context.admin })
  const { fernetKey } = JSON.parse(created.stdout)
  const env = {
    ...context.base,
    HOME: folder,
    ...xdgFolders(folder),
    FISH_SECRET_STORE: 'file',
    FISH_USER: name,
    FISH_KEY: fernetKey,
  } as Record<string, string>
  let caught = 0
  const begin = (session: number) => `[09:00:0${session}] [main/INFO]: Session ${session} of ${name}\n`
  /** Lines with `count` further catches, with other messages, and with a second line for every third catch. */
  const lines = (count: number) =>
    Array.from({ length: count }, () => {
      caught += 1
      const seconds = [Math.floor(caught / 3600) + 10, Math.floor(caught / 60) % 60, caught % 60]
      const at = `[${seconds.map((part) => String(part).padStart(2, '0')).join(':')}] [Render thread/INFO]: `
      const nice = `${at}[CHAT] NICE CATCH! You caught a Fish ${caught}.\n`
      const entry = `${at}[CHAT] NEW ENTRY! You caught a Silver Fish ${caught} for the first time.\n`
      return `${at}Loaded ${caught} chunks\n${nice}${caught % 3 === 0 ? entry : ''}${at}[CHAT] <Bob> nice\n`
    }).join('')
  const stored = async () => {
    const { stdout } = await run(['list', 'fish', name, '--json'], { env })
    return (JSON.parse(stdout).fish as readonly { name: string }[]).map((fish) => fish.name)
  }
  const expected = () => Array.from({ length: caught }, (_, index) => `Fish ${index + 1}`)
  const once = (...flags: readonly string[]) => run(['watch', log, '--once', ...flags], { env })
  /** Follows the log until `watch` has printed the last catch. @returns stdout */
  const follow = async (...flags: readonly string[]) => {
    const program = launch(['watch', log, ...flags], env)
    await shown(program, new RegExp(`Fish ${caught}\\b`))
    program.child.kill('SIGINT')
    expect(await program.closed).toBe(130)
    await run(['outbox', '--send'], { env })
    return program.stdout()
  }
  return { folder, log, env, begin, lines, stored, expected, once, follow }
}

/** Waits until the stdout of a program matches a pattern. */
async function shown(program: Program, pattern: RegExp) {
  await expect.poll(() => program.stdout(), { interval: 20 }).toMatch(pattern)
}

describe('watch', () => {
  test('reads an unfinished last line only some time after the last write', async () => {
    const { log, env, begin, lines } = await scene('Unfinished')
    await writeFile(log, (begin(1) + lines(1)).replace(/ nice\n$/, '').replace(/\n[^\n]*$/, ''))
    const written = Date.now()
    const at = (ms: number) => ({ now: () => written + ms, sleep: async () => {} })
    const argv = ['watch', log, '--once']
    expect((await run(argv, { env, clock: at(0) })).stderr).toContain('0 catches to add')
    expect((await run(argv, { env, clock: at(60_000) })).stdout).toBe('1 catch added. 1 sent.\n')
  })

  test('skips catches before its first start, and adds each later catch once', async () => {
    const { folder, log, env, begin, lines, follow, stored } = await scene('Before')
    await writeFile(log, begin(1) + lines(3))
    const program = launch(['watch', log], env)
    // Wait until the position is on the disk.
    await expect.poll(() => filesWith('"anchor"', folder), { interval: 20 }).not.toEqual([])
    await appendFile(log, lines(1))
    await shown(program, /Fish 4 /)
    program.child.kill('SIGINT')
    await program.closed
    await appendFile(log, lines(3))
    const stdout = await follow()
    expect(stdout.trim().split('\n')).toHaveLength(3)
    expect(stdout).toContain('Fish 6  Silver, first of its kind, earth  (2 fish, 0 crabs)')
    expect(await stored()).toEqual(['Fish 4', 'Fish 5', 'Fish 6', 'Fish 7'])
  })

  test('with --once, adds the catches of a whole log, and adds each later catch once', async () => {
    const { folder, log, begin, lines, once, follow, stored, expected } = await scene('Once')
    await writeFile(log, begin(1) + lines(3))
    expect(await once()).toMatchObject({
      status: 0,
      stdout: '3 catches added. 3 sent.\n',
      stderr: expect.stringMatching(/: 3 catches to add, .*; 0 already added\./),
    })
    expect((await once()).stderr).toContain(': 0 catches to add; 3 already added.')
    await appendFile(log, lines(2))
    expect((await follow()).trim().split('\n')).toHaveLength(2)
    await rename(log, join(folder, 'logs', '2026-01-31-1.log'))
    await writeFile(log, begin(2) + lines(2))
    expect((await once()).stdout).toBe('2 catches added. 2 sent.\n')
    expect(await stored()).toEqual(expected())
  })

  test('with --json, prints one JSON object per catch', async () => {
    const { log, begin, lines, once, follow } = await scene('Json')
    await writeFile(log, begin(1))
    await once()
    await appendFile(log, lines(5))
    const printed = (await follow('--json')).trim().split('\n')
    // The last document is the error of the interruption.
    expect(printed).toHaveLength(6)
    expect(JSON.parse(printed[4] ?? '')).toMatchObject({
      kind: 'fish',
      name: 'Fish 5',
      gamemode: 'earth',
      totals: { fish: 5, crabs: 0 },
    })
  })

  test('with --once, adds the earlier catches of a log even if a later part of the log was already added', async () => {
    const { folder, log, begin, lines, env, once, stored } = await scene('Parts')
    const [head, early, late] = [begin(1), lines(1), lines(1)]
    const part = join(folder, 'logs', 'part.log')
    await writeFile(part, head + early.replaceAll(/[^\n]/g, '.') + late)
    await run(['watch', part, '--once'], { env })
    await writeFile(log, head + early + late)
    expect((await once()).stderr).toContain(': 1 catch to add')
    expect(await stored()).toEqual(['Fish 2', 'Fish 1'])
  })

  test('finds the catches since its last run in compressed, renamed and copied logs', async () => {
    const { folder, log, begin, lines, once, follow, stored, expected } = await scene('Rotated')
    const old = (name: string) => join(folder, 'logs', name)
    await writeFile(log, begin(1) + lines(5))
    await once()
    await appendFile(log, lines(3))
    await writeFile(old('2026-01-30-1.log.gz'), gzipSync(readFileSync(log)))
    // The debug log of the game contains the same lines.
    await copyFile(log, old('debug-1.log'))
    await rm(log)
    await writeFile(log, begin(2) + lines(3))
    await rename(log, old('2026-01-31-1.log'))
    await writeFile(log, begin(3) + lines(3))
    await copyFile(log, old('latest.log.1'))
    await truncate(log)
    await appendFile(log, begin(4) + lines(2))
    await follow()
    expect(await stored()).toEqual(expected())
  })

  test('reads a log from its start if the log is replaced and only the first line is unchanged', async () => {
    const { log, begin, lines, once, follow, stored, expected } = await scene('Rewritten')
    await writeFile(log, begin(1))
    await once()
    await appendFile(log, lines(2))
    await follow()
    await writeFile(log, begin(1) + lines(4))
    expect((await follow()).trim().split('\n')).toHaveLength(4)
    expect(await stored()).toEqual(expected())
  })

  test('queues catches while the service is unreachable, and sends them later', async () => {
    const { log, env, begin, lines, once, stored, expected } = await scene('Offline')
    await writeFile(log, begin(1))
    await once()
    await appendFile(log, lines(3))
    const offline = { ...env, FISH_URL: 'http://127.0.0.1:9' }
    await run(['watch', log, '--once'], { env: offline })
    const { stdout, status } = await run(['outbox', '--send', '--json'], { env: offline })
    expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 69, code: 'unreachable' })
    const outbox = JSON.parse((await run(['outbox', '--json'], { env: offline })).stdout)
    expect(outbox).toMatchObject({
      waiting: 3,
      rejected: 0,
      collections: [{ kind: 'fish', user: 'Offline', waiting: 3 }],
    })
    await once()
    expect(await stored()).toEqual(expected())
  })

  test('reports the problem with a path that is not a log', async () => {
    const { folder, env } = await scene('Elsewhere')
    for (const [path, problem] of [
      [join(folder, 'logs'), /^fish-cli: A folder cannot be followed\.\n {2}To read its logs, add --once\./],
      ['/dev/null', /^fish-cli: \S+ is not a file\.\n {2}Pass the path of a log/],
    ] as const) {
      const { status, stdout, stderr } = await run(['watch', path], { env })
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toMatch(problem)
    }
    const none = join(folder, 'none.log')
    const { stderr } = await run(['watch', none, '--once'], { env })
    expect(stderr).toBe(`fish-cli: No log found at ${none}.\n  To search the usual places: fish-cli watch\n`)
  })

  test('warns if the game starts as another player while watch runs', async () => {
    const { log, env, begin, once } = await scene('Owner')
    await writeFile(log, begin(1))
    await once()
    const program = launch(['watch', log], env)
    await expect.poll(() => program.stderr(), { interval: 20 }).toContain('Watching')
    await appendFile(log, '[12:00:00] [Render thread/INFO]: Setting user: Steve\n')
    await expect.poll(() => program.stderr(), { interval: 20 }).toContain('The game runs as Steve, but watch adds')
    program.child.kill('SIGINT')
    await program.closed
  })

  test('waits while its log cannot be read, and continues with the next log', async () => {
    const { folder, log, env, begin, lines, once, stored, expected } = await scene('Locked')
    await writeFile(log, begin(1))
    await once()
    const program = launch(['watch', log], env)
    await appendFile(log, lines(2))
    await shown(program, /Fish 2 /)
    await rename(log, join(folder, 'logs', '2026-01-31-1.log'))
    await mkdir(log)
    await expect.poll(() => program.stderr(), { interval: 20 }).toContain('Waiting for the log')
    await rm(log, { recursive: true })
    await writeFile(log, begin(2) + lines(2))
    await shown(program, /Fish 4 /)
    program.child.kill('SIGKILL')
    await program.closed
    const later = { now: () => Date.now() + 61_000, sleep: async () => {} }
    expect((await run(['watch', log, '--once'], { env, clock: later })).status).toBe(0)
    expect(await stored()).toEqual(expected())
  })

  test('neither loses nor duplicates a catch despite kills, rotations and truncations, even if these happen while watch is not running', async () => {
    const { folder, log, env, begin, lines, once, stored, expected } = await scene('Killed')
    const old = (name: string) => join(folder, 'logs', name)
    await writeFile(log, begin(1))
    await once()
    for (const round of [1, 2, 3]) {
      const program = launch(['watch', log], env)
      const head = expected().length
      await appendFile(log, lines(20))
      await shown(program, new RegExp(`Fish ${head + 20} `))
      await rename(log, old(`2026-01-3${round}-1.log`))
      await writeFile(log, begin(2 * round) + lines(20))
      await shown(program, new RegExp(`Fish ${head + 40} `))
      await writeFile(log, begin(2 * round + 1) + lines(2))
      await shown(program, new RegExp(`Fish ${head + 42} `))
      // The text ends within a line, and the rest follows after the kill.
      const text = lines(40)
      await appendFile(log, text.slice(0, 900))
      await shown(program, new RegExp(`Fish ${head + 44} `))
      program.child.kill('SIGKILL')
      await program.closed
      await appendFile(log, text.slice(900))
      await writeFile(old(`2026-01-3${round}-2.log.gz`), gzipSync(readFileSync(log)))
      await rm(log)
      // The new log begins with the same line as an earlier log.
      await writeFile(log, begin(2 * round) + lines(5))
    }
    // For a minute, no other process sends the batch that the killed process was sending.
    const later = { now: () => Date.now() + 61_000, sleep: async () => {} }
    const { status, stderr } = await run(['watch', '--once', join(folder, 'logs')], { env, clock: later })
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.not.stringContaining('Another process') })
    expect(await stored()).toEqual(expected())
  })

  test('exits with 130 after Ctrl-C, and reports the waiting catches', async () => {
    const { log, env, begin, lines } = await scene('Ended')
    await writeFile(log, begin(1))
    const started = performance.now()
    const program = launch(['watch', log], { ...env, FISH_URL: 'http://127.0.0.1:9' })
    await expect.poll(() => program.stderr(), { interval: 20 }).toContain('Watching')
    await appendFile(log, lines(2))
    await shown(program, /Fish 2 /)
    const began = performance.now()
    program.child.kill('SIGINT')
    expect(await program.closed).toBe(130)
    // Even on a busy machine, exiting takes less than three times as long as starting.
    expect((performance.now() - began) / (began - started)).toBeLessThan(3)
    expect(program.stderr()).toContain('2 catches are waiting in the outbox.')
  })
})
