import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run, serviceContext } from './harness.ts'
import { launch } from './maintenance-processes.ts'

const context = serviceContext()
const NEW_GAME = '[09:00:00] [main/INFO]: Loading Minecraft 1.21 with Fabric Loader 0.16\n'
const ROTATED = '[00:00:03] [Render thread/INFO]: [CHAT] <Bob> good morning\n'
const chat = (text: string, time = '12:00:01') => `[${time}] [Render thread/INFO]: [CHAT] ${text}\n`
const caught = (name: string) => chat(`NICE CATCH! You caught a ${name}.`)
const connecting = (host: string) => `[11:59:00] [Render thread/INFO]: Connecting to ${host}, 25565\n`

/** A player without catches or a configured gamemode, and a log. */
async function scene(name: string) {
  const folder = newFolder()
  const logs = join(folder, 'logs')
  const log = join(logs, 'latest.log')
  await mkdir(logs)
  const created = await run(['user', 'create', name, '--json'], { env: context.admin })
  const env: Env = {
    ...context.base,
    HOME: folder,
    ...xdgFolders(folder),
    FISH_GAMEMODE: '',
    FISH_USER: name,
    FISH_KEY: JSON.parse(created.stdout).fernetKey,
  }
  const watch = (flags: readonly string[] = [], more: Env = {}, options: RunOptions = {}) =>
    run(['watch', log, '--once', ...flags], { ...options, env: { ...env, ...more } })
  const stored = async (gamemode: string) => {
    const { stdout } = await run(['list', 'fish', name, '-g', gamemode, '--json'], { env })
    return (JSON.parse(stdout).fish as readonly { name: string }[]).map((fish) => fish.name)
  }
  return { folder, logs, log, env, watch, stored }
}

const EARTH = { FISH_GAMEMODE: 'earth' }

describe('watch without a gamemode', () => {
  test('ends a script with 2 before it reads, and the next run adds what was caught', async () => {
    const { log, watch, stored } = await scene('Nowhere')
    await writeFile(log, NEW_GAME)
    await watch([], EARTH)
    await appendFile(log, caught('Salmon') + caught('Cod'))
    const ended = await watch()
    expect(ended).toMatchObject({ status: 2, stdout: '' })
    expect(ended.stderr).toContain('--gamemode')
    expect((await watch(['--gamemode', 'earth'])).stdout).toMatch(/Salmon[\s\S]*Cod/)
    expect(await stored('earth')).toEqual(['Salmon', 'Cod'])
  })

  test('as a process of its own ends with 2 at once, not with the first catch', async () => {
    const { log, env } = await scene('Process')
    await writeFile(log, NEW_GAME)
    const program = launch(['watch', log], env as Record<string, string>)
    expect(await program.closed).toBe(2)
    expect(program.stderr()).toContain('--gamemode')
  })

  test('asks on a terminal, once, and takes the answer where the log says nothing', async () => {
    const { log, watch, stored } = await scene('Asked')
    await writeFile(log, NEW_GAME + caught('Salmon') + chat('Sending you to survival...') + caught('Cod'))
    const { status, stderr } = await watch(['--from-start'], {}, { terminal: true, typed: 'Earth\r' })
    expect(status).toBe(0)
    expect(stderr.match(/Gamemode[^\n]*\?/g)).toHaveLength(1)
    expect([await stored('earth'), await stored('survival')]).toEqual([['Salmon'], ['Cod']])
    expect((await watch(['--from-start', '--no-input'], {}, { terminal: true })).status).toBe(2)
  })

  test('goes on in the gamemode that the log said before', async () => {
    const { log, watch, stored } = await scene('Before')
    await writeFile(log, NEW_GAME + chat('Sending you to survival'))
    await watch([], EARTH)
    await appendFile(log, caught('Salmon'))
    expect((await watch()).status).toBe(0)
    expect(await stored('survival')).toEqual(['Salmon'])
  })
})

describe('watch at a place that is no gamemode', () => {
  test.each([
    ['a server of another name', connecting('boxsmp.example.net')],
    ['a message that says so', chat('Connecting to boxsmp...')],
    ['the hub', chat('§aSending you to §lhub§r...')],
  ])('holds back what is caught there, says so, and adds it once the gamemode is given: %s', async (title, line) => {
    const { log, watch, stored } = await scene(`Held_${title.length}`)
    const texts = [connecting('survival.example.net'), caught('Cod'), line, caught('Salmon'), caught('Koi')]
    await writeFile(log, NEW_GAME + texts.join('') + chat('Sending you to survival') + caught('Eel'))
    const held = await watch(['--from-start'], EARTH)
    expect(held.status).toBe(7)
    expect(held.stderr).toMatch(/2 catches are held back[\s\S]*--gamemode/)
    expect([await stored('survival'), await stored('earth')]).toEqual([['Cod', 'Eel'], []])
    // The log itself may be gone meanwhile.
    await writeFile(log, NEW_GAME)
    expect((await watch([], EARTH)).stderr).toContain('2 catches are held back')
    const { status, stdout } = await watch(['--gamemode', 'oneblock'])
    expect({ status, count: stdout.trim().split('\n').length }).toEqual({ status: 0, count: 2 })
    expect(await stored('oneblock')).toEqual(['Salmon', 'Koi'])
    expect((await watch(['--gamemode', 'oneblock', '--from-start'])).stderr).not.toContain('held back')
    expect(await stored('oneblock')).toEqual(['Salmon', 'Koi'])
  })

  test('says under --json which catches it holds back', async () => {
    const { log, watch } = await scene('HeldJson')
    await writeFile(log, NEW_GAME + chat('Sending you to hub') + caught('Salmon'))
    const { status, stdout } = await watch(['--from-start', '--json'], EARTH)
    expect({ status, line: JSON.parse(stdout) }).toMatchObject({
      status: 7,
      line: { name: 'Salmon', gamemode: null, server: 'hub' },
    })
  })

  test('stops before the catch that is one too many to hold, and loses none', async () => {
    const { log, watch, stored } = await scene('Bounded')
    const names = Array.from({ length: 1001 }, (_, index) => `Fish ${index}`)
    await writeFile(log, NEW_GAME + chat('Sending you to hub') + names.map(caught).join(''))
    const full = await watch(['--from-start'], EARTH)
    expect(full.status).toBe(1)
    expect(full.stderr).toContain('--gamemode')
    await watch(['--gamemode', 'earth', '--from-start'])
    expect(await stored('earth')).toEqual(names)
  })

  test('is not at one by what is said of a place within a gamemode, or of the network', async () => {
    const { log, watch, stored } = await scene('Within')
    const noise = ['Welcome to the server!', 'Teleporting to spawn...', 'Sending you to spawn', 'You are now in combat']
    await writeFile(log, NEW_GAME + connecting('play.example.net') + noise.map((text) => chat(text)).join(''))
    await appendFile(log, caught('Salmon'))
    expect((await watch(['--from-start'], EARTH)).status).toBe(0)
    expect(await stored('earth')).toEqual(['Salmon'])
  })
})

describe('the gamemode that the log said', () => {
  test('is carried over the rotation at midnight, and not into a new game', async () => {
    const { logs, log, watch, stored } = await scene('Midnight')
    await writeFile(log, NEW_GAME + chat('Sending you to survival') + caught('Cod'))
    await watch(['--from-start'], EARTH)
    await writeFile(
      join(logs, '2026-01-30-1.log.gz'),
      gzipSync(NEW_GAME + chat('Sending you to survival') + caught('Cod')),
    )
    await writeFile(log, ROTATED + caught('Salmon'))
    await watch([], EARTH)
    await rename(log, join(logs, '2026-01-31-1.log'))
    await writeFile(log, NEW_GAME + caught('Koi'))
    await watch([], EARTH)
    expect([await stored('survival'), await stored('earth')]).toEqual([['Cod', 'Salmon'], ['Koi']])
  })

  test('is carried through all that was rotated while nobody watched', async () => {
    const { logs, log, watch, stored } = await scene('Away')
    const first = NEW_GAME + chat('Sending you to survival')
    await writeFile(log, first)
    await watch([], EARTH)
    await writeFile(join(logs, '2026-01-30-1.log.gz'), gzipSync(first + caught('Cod')))
    await writeFile(
      join(logs, '2026-01-31-1.log.gz'),
      gzipSync(ROTATED + chat('Sending you to oneblock') + caught('Koi')),
    )
    await writeFile(log, ROTATED.replace('03]', '09]') + caught('Salmon'))
    await watch([], EARTH)
    expect([await stored('survival'), await stored('oneblock')]).toEqual([['Cod'], ['Koi', 'Salmon']])
  })
})

describe('watch at its start', () => {
  test('says which player, service, gamemode and file', async () => {
    const { log, watch } = await scene('Reported')
    await writeFile(log, NEW_GAME)
    for (const [flags, env, gamemode] of [
      [['-g', 'survival'], {}, /gamemode survival\./],
      [[], EARTH, /gamemode earth, unless the log names another\./],
    ] as const) {
      const { stderr } = await watch(flags, env)
      const [first = ''] = stderr.split('\n')
      for (const part of [log, 'Reported', context.service.url]) expect(first).toContain(part)
      expect(first).toMatch(gamemode)
    }
  })

  test('finds the log that Feather keeps in the folder of the game', async () => {
    const { folder, watch: _, env } = await scene('Feather')
    const logs = join(folder, '.minecraft', 'feather', 'logs')
    await mkdir(logs, { recursive: true })
    await writeFile(join(logs, 'latest.log'), NEW_GAME)
    const { status, stderr } = await run(['watch', '--once'], { env: { ...env, ...EARTH } })
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining(logs) })
  })
})

describe('watch of packed logs', () => {
  const pack = (path: string, text: string) => writeFile(path, gzipSync(text))

  test('reads them with --once, several in order, each catch once and on its day', async () => {
    const { logs, env, stored } = await scene('Packed')
    const [first, second] = [join(logs, '2026-01-30-1.log.gz'), join(logs, '2026-01-31-1.log.gz')]
    await pack(first, NEW_GAME + chat('Sending you to survival') + caught('Cod'))
    await pack(second, ROTATED + caught('Salmon'))
    const read = () => run(['watch', first, second, '--once', '--json'], { env: { ...env, ...EARTH } })
    const lines = (await read()).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { name: 'Cod', caughtAt: new Date('2026-01-30T12:00:01').toISOString() },
      { name: 'Salmon', caughtAt: new Date('2026-01-31T12:00:01').toISOString() },
    ])
    expect((await read()).stdout).toBe('')
    expect(await stored('survival')).toEqual(['Cod', 'Salmon'])
  })

  test('names the log that catches are held back of, and the folder of lines that are not recognized', async () => {
    const { folder, log, env } = await scene('Several')
    const second = join(folder, 'other', 'latest.log')
    await mkdir(dirname(second))
    await writeFile(log, NEW_GAME + chat('Sending you to survival') + caught('Cod'))
    const lines = [chat('Sending you to hub'), caught('Salmon'), chat('TOLLER FANG! Du hast einen Lachs gefangen.')]
    await writeFile(second, NEW_GAME + lines.join(''))
    const { stderr } = await run(['watch', log, second, '--once'], { env: { ...env, ...EARTH } })
    const commands = [...stderr.matchAll(/dd them: (.*)$/gm)].map(([, command]) => command)
    const addHeld = `fish-cli watch ${second} --once --gamemode GAMEMODE`
    expect(commands).toEqual([addHeld, addHeld, `fish-cli watch --once ${dirname(second)}`])
  })

  test.each(['00:00:00', '00:00:04', '23:30:00', '23:59:58'])(
    'dates a first catch at %s on the day in the name of the log',
    async (time) => {
      const { logs, env } = await scene(`Day${time.replaceAll(':', '')}`)
      const path = join(logs, '2026-01-31-1.log.gz')
      await pack(path, ROTATED + chat('NICE CATCH! You caught a Cod.', time))
      const { stdout } = await run(['watch', path, '--once', '--json'], { env: { ...env, ...EARTH } })
      expect(JSON.parse(stdout).caughtAt).toBe(new Date(`2026-01-31T${time}`).toISOString())
    },
  )

  test('is refused without --once, and for what is not gzip', async () => {
    const { logs, env } = await scene('NotPacked')
    const path = join(logs, 'old.log.gz')
    await writeFile(path, NEW_GAME)
    for (const [argv, status, message] of [
      [[path], 2, '--once'],
      [[path, path], 2, '--once'],
      [[path, '--once'], 2, 'gzip'],
      [[join(logs, 'none.log.gz'), '--once'], 5, 'No log found'],
    ] as const) {
      const ended = await run(['watch', ...argv], { env: { ...env, ...EARTH } })
      expect(ended).toMatchObject({ status, stderr: expect.stringContaining(message) })
    }
  })
})
