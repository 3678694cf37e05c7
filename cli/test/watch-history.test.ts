import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type RunOptions, run, serviceContext } from './harness.ts'

const context = serviceContext()
let folder: string
let env: Record<string, string | undefined>
let players = 0
let name: string

beforeEach(async () => {
  folder = join(newFolder(), 'logs')
  await mkdir(folder)
  players += 1
  name = `Historian${players}`
  const { stdout } = await run(['user', 'create', name, '--json'], { env: context.admin })
  env = {
    ...context.base,
    ...xdgFolders(join(folder, '..')),
    FISH_USER: name,
    FISH_KEY: JSON.parse(stdout).fernetKey,
  }
})

const at = (second: number) => `[10:00:${String(second).padStart(2, '0')}] [Render thread/INFO]: `
const nice = (second: number, fish: string) => `${at(second)}[CHAT] NICE CATCH! You caught a ${fish}.\n`

/** A log of one game. */
const session = (number: number, ...lines: readonly string[]) =>
  `[09:00:00] [main/INFO]: Game ${number}\n${lines.join('')}`

const write = (file: string, text: string) =>
  writeFile(join(folder, file), file.endsWith('.gz') ? gzipSync(text) : text)
const history = (more: readonly string[] = ['--yes'], options: RunOptions = {}) =>
  run(['watch', '--once', folder, ...more], { ...options, env: { ...env, ...options.env } })
const stored = async (gamemode = 'earth') =>
  (
    JSON.parse((await run(['list', name, '--detail', '--json', '-g', gamemode], { env })).stdout).fish as {
      name: string
      caughtAt: string
    }[]
  ).map((fish) => `${fish.name} ${new Date(fish.caughtAt).getFullYear()}`)

describe('watch --once FOLDER', () => {
  test('adds the catches of all logs once, oldest first, and skips catches that were added before', async () => {
    await write('2024-02-01-10.log.gz', session(2, nice(1, 'Second'), nice(2, 'Third')))
    await write('2024-02-01-2.log.gz', session(1, nice(1, 'First')))
    // An uncompressed copy of a log, and a debug log, which is ignored.
    await write('2024-02-01-2.log', session(1, nice(1, 'First')))
    await write('debug.log', session(1, nice(1, 'Debug')))
    await write('latest.log', session(3, nice(1, 'Old'), nice(2, 'Live')))
    const live = await run(['watch', join(folder, 'latest.log'), '--once'], { env })
    expect(live.stdout).toContain('2 catches added')
    await write('latest.log', session(3, nice(1, 'Old'), nice(2, 'Live'), nice(3, 'Late')))

    const preview = await history(['--dry-run'])
    expect(preview).toMatchObject({ status: 0, stdout: '0 catches added.\n' })
    expect(preview.stderr).toMatch(
      /4 logs in .*: 4 catches to add, 2024-02-01 to .*; 2 already added\.\n {2}earth: 4 fish, 0 crabs/,
    )
    expect(await stored()).toHaveLength(2)

    expect(await history()).toMatchObject({ status: 0, stdout: '4 catches added. 4 sent.\n' })
    const year = new Date().getFullYear()
    const all = [`Old ${year}`, `Live ${year}`, 'First 2024', 'Second 2024', 'Third 2024', `Late ${year}`]
    expect(await stored()).toEqual(all)
    // Further runs add no catches.
    expect((await history([])).stderr).toContain('0 catches to add; 6 already added')
    await run(['watch', join(folder, 'latest.log'), '--once'], { env })
    expect(await stored()).toEqual(all)
  })

  test('prompts on a terminal, and adds nothing without confirmation', async () => {
    await write('2024-02-01-1.log.gz', session(1, nice(1, 'Cod')))
    const no = await history([], { terminal: true, typed: 'n\r' })
    expect(no).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Add 1 catch for .*\[y\/N\].*Nothing was added/s),
    })
    expect(await stored()).toEqual([])
    expect(await history([], { terminal: true, typed: 'y\r' })).toMatchObject({ status: 0 })
    expect(await stored()).toEqual(['Cod 2024'])
  })

  test('carries the gamemode over from log to log, and skips catches without a gamemode', async () => {
    await write(
      '2024-02-01-1.log.gz',
      session(1, `${at(0)}Connecting to survival.example.net, 25565\n`, nice(1, 'Cod')),
    )
    await write('2024-02-01-2.log.gz', `${at(0)}[CHAT] <Bob> hi\n${nice(3, 'Rotated')}`)
    await write('2024-02-02-1.log.gz', session(2, `${at(0)}Connecting to hub.example.net, 25565\n`, nice(2, 'Lost')))
    const left = await history()
    expect(left).toMatchObject({
      status: 7,
      stderr: expect.stringContaining('Skipped 1 catch without a gamemode, on hub.'),
    })
    expect(await stored('survival')).toEqual(['Cod 2024', 'Rotated 2024'])
    expect(await history(['--yes', '--gamemode', 'factions'])).toMatchObject({ status: 0 })
    expect(await stored('factions')).toEqual(['Lost 2024'])
    expect(await stored('survival')).toHaveLength(2)
  })

  test('reads every readable log, and reports the unreadable logs', async () => {
    await write('2024-02-01-1.log.gz', session(1, nice(1, 'Cod')))
    await writeFile(join(folder, '2024-02-01-2.log.gz'), 'damaged')
    const { status, stdout } = await history(['--yes', '--json'])
    expect({ status, document: JSON.parse(stdout) }).toEqual({
      status: 7,
      document: {
        logs: 2,
        new: 1,
        addedBefore: 0,
        byGamemode: { earth: { fish: 1, crabs: 0 } },
        withoutGamemode: 0,
        cut: [],
        unreadable: [join(folder, '2024-02-01-2.log.gz')],
        unrecognized: { count: 0, examples: [] },
        added: 1,
        sent: 1,
      },
    })
  })

  test('rejects flags that have no effect and missing paths', async () => {
    expect(await run(['watch', '--once', join(folder, 'none')], { env })).toMatchObject({ status: 5 })
    expect(await history()).toMatchObject({ status: 5 })
    expect(await run(['watch', folder], { env })).toMatchObject({ status: 2 })
    expect(await run(['watch', 'a.log', '--dry-run'], { env })).toMatchObject({ status: 2 })
  })
})

describe('the day of a catch in an old log', () => {
  const chat = (time: string, text: string) => `[${time}] [Render thread/INFO]: [CHAT] ${text}\n`
  const fish = (time: string) => chat(time, `NICE CATCH! You caught a Fish ${time}.`)
  const log = (...times: readonly string[]) => `[00:00:01] [main/INFO]: Game\n${times.map(fish).join('')}`
  const days = async () =>
    JSON.parse((await run(['list', name, '--detail', '--json', '-g', 'earth'], { env })).stdout).fish.map(
      ({ caughtAt }: { caughtAt: string }) => new Date(caughtAt).getDate(),
    )

  test.each([
    ['at the end of summer time', ['02:59:58', '02:00:10', '04:00:00'], [25, 25, 25]],
    ['when the clock is set back by 20 minutes', ['12:00:00', '11:40:00', '12:10:00'], [25, 25, 25]],
    ['when another system has set the clock', ['21:00:00', '11:00:00', '12:10:00'], [25, 25, 25]],
    ['at midnight', ['23:50:00', '00:10:00', '12:00:00'], [25, 26, 26]],
  ])('stays the same unless midnight passes: %s', async (_, times, expected) => {
    await write('2026-10-25-1.log.gz', log(...times))
    await write('2026-10-26-1.log.gz', '[18:00:00] [main/INFO]: Another game\n')
    await utimes(join(folder, '2026-10-25-1.log.gz'), new Date('2026-10-26T18:00:00'), new Date('2026-10-26T18:00:00'))
    expect(await history()).toMatchObject({ status: 0 })
    expect(await days()).toEqual(expected)
  })

  test.each([
    ['2026-10-26-1.log', '2026-11-20T18:00:00', [25, 26]],
    ['2026-10-25-2.log', '2026-10-26T18:00:00', [25, 25]],
    ['latest.log', '2026-10-26T10:00:00', [25, 26]],
    ['latest.log', '2026-11-20T18:00:00', [25, 25]],
  ])(
    'with a catch at 21:00 and at 10:00 depends on the next log %s and the last write at %s',
    async (next, written, expected) => {
      await write('2026-10-25-1.log', log('21:00:00', '10:00:00'))
      await write(next, '[18:00:00] [main/INFO]: Another game\n')
      await utimes(join(folder, '2026-10-25-1.log'), new Date(written), new Date(written))
      expect(await history()).toMatchObject({ status: 0 })
      expect(await days()).toEqual(expected)
    },
  )

  test('is counted by all lines of the game, even if a day passes without a catch', async () => {
    const noise = ['21:00:00', '08:00:00', '20:00:00', '07:00:00'].map((time) => chat(time, '<Bob> hi')).join('')
    await write('2026-10-25-1.log.gz', log('12:00:00') + noise + fish('12:30:00'))
    expect(await history()).toMatchObject({ status: 0 })
    expect(await days()).toEqual([25, 27])
  })
})

describe('messages that are not recognized', () => {
  const GERMAN = (fish: string) => `${at(1)}[CHAT] TOLLER FANG! Du hast einen ${fish} gefangen.\n`
  const teach = async (patterns: unknown) => {
    await mkdir(join(folder, '..', 'config', 'fish-crab'), { recursive: true })
    await writeFile(join(folder, '..', 'config', 'fish-crab', 'config.json'), JSON.stringify({ version: 1, patterns }))
  }
  const PATTERN = {
    kind: 'fish',
    template: '{rarity} FANG! Du hast einen {name} gefangen.',
    rarities: { toller: 'Gold' },
  }

  test('are counted and shown with instructions, and are added as catches once a pattern matches', async () => {
    const noise = [
      '[CHAT] <Bob> NICE CATCH! You caught a Cod.',
      '[CHAT] Bob: SUPER FANG! Ha',
      '[CHAT] WARNING! Restart',
      '[CHAT] VOTE! Visit our shop',
      'CATCH!',
    ]
    const prefixed = `${at(3)}[CHAT] [Pro] NICE CATCH! You caught a Salmon.\n`
    const lines = [GERMAN('Lachs'), GERMAN('Hecht'), prefixed, ...noise.map((text) => `${at(4)}${text}\n`)]
    await write('2024-02-01-1.log.gz', session(1, ...lines))
    const { stderr } = await history()
    expect(stderr).toContain('3 lines look like catches but are not recognized, for example:')
    expect(stderr).toContain('\n  TOLLER FANG! Du hast einen Lachs gefangen.\n')
    expect(stderr).toContain('\n  [Pro] NICE CATCH! You caught a Salmon.\n')
    expect(stderr).toContain('config.json')
    const live = await run(['watch', join(folder, '2024-02-01-1.log.gz'), '--once'], { env })
    expect(live.stderr).toContain('3 lines look like catches')

    await teach([PATTERN, { kind: 'fish', template: '[Pro] {rarity} CATCH! You caught a {name}.' }])
    expect((await history()).stderr).not.toContain('not recognized')
    expect(await stored()).toEqual(['Lachs 2024', 'Hecht 2024', 'Salmon 2024'])
  })

  test('are searched in linear time, even if they begin with a long run of symbols', { timeout: 5000 }, async () => {
    const lines = ['-', '=', '[', '(', '★ ', '- ['].map((sign) => `${at(2)}[CHAT] ${sign.repeat(32)} fish\n`)
    await write('2024-02-01-1.log.gz', session(1, ...lines, GERMAN('Lachs')))
    expect((await history()).stderr).toContain('1 line looks like a catch')
  })

  test('can be matched by configured patterns. The patterns remain when a setting changes, and an invalid pattern is an error', async () => {
    await teach([PATTERN])
    expect((await run(['config', 'gamemode', 'earth'], { env })).status).toBe(0)
    const config = await readFile(join(folder, '..', 'config', 'fish-crab', 'config.json'), 'utf8')
    expect(JSON.parse(config).patterns).toEqual([PATTERN])
    await write('2024-02-01-1.log', session(1))
    await teach([PATTERN, { ...PATTERN, template: '{name}' }])
    const wrong = await history()
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringMatching(/Pattern 2 of .*must begin with text/) })
  })
})
