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

/** Creates a player without catches or a configured gamemode, and a log. */
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
  /** Follows the log until `watch` has printed a text. */
  const follow = async (text: string, flags: readonly string[] = [], more: Env = {}) => {
    const program = launch(['watch', log, ...flags], { ...env, ...more } as Record<string, string>)
    await expect.poll(() => program.stdout() + program.stderr(), { interval: 20 }).toContain(text)
    program.child.kill('SIGINT')
    expect(await program.closed).toBe(130)
    await run(['outbox', '--send'], { env })
    return { stdout: program.stdout(), stderr: program.stderr() }
  }
  const stored = async (gamemode: string) => {
    const { stdout } = await run(['list', 'fish', name, '-g', gamemode, '--json'], { env })
    return (JSON.parse(stdout).fish as readonly { name: string }[]).map((fish) => fish.name)
  }
  return { folder, logs, log, env, watch, follow, stored }
}

const EARTH = { FISH_GAMEMODE: 'earth' }

describe('watch without a gamemode', () => {
  test('with --once, reports the catches that have no gamemode, and adds these catches when a gamemode is given', async () => {
    const { log, watch, stored } = await scene('Nowhere')
    await writeFile(log, NEW_GAME + caught('Salmon') + caught('Cod'))
    const ended = await watch()
    expect(ended).toMatchObject({ status: 7, stdout: '0 catches added.\n' })
    expect(ended.stderr).toContain('Skipped 2 catches without a gamemode, on an unknown server.')
    expect((await watch(['--gamemode', 'earth'])).stdout).toContain('2 catches added')
    expect(await stored('earth')).toEqual(['Salmon', 'Cod'])
  })

  test('if there is no terminal, exits with 2 at its start instead of at the first catch', async () => {
    const { log, env } = await scene('Process')
    await writeFile(log, NEW_GAME)
    const program = launch(['watch', log], env as Record<string, string>)
    expect(await program.closed).toBe(2)
    expect(program.stderr()).toContain('--gamemode')
  })

  test('prompts once on a terminal, and uses the reply until the log names a gamemode', async () => {
    const { log, watch, stored } = await scene('Asked')
    await writeFile(log, NEW_GAME + caught('Salmon') + chat('Sending you to survival...') + caught('Cod'))
    const { status, stderr } = await watch(['--yes'], {}, { terminal: true, typed: 'Earth\r' })
    expect(status).toBe(0)
    expect(stderr.match(/Gamemode, if[^\n]*: /g)).toHaveLength(1)
    expect([await stored('earth'), await stored('survival')]).toEqual([['Salmon'], ['Cod']])
  })

  test('continues with the last gamemode in the log', async () => {
    const { log, watch, follow, stored } = await scene('Before')
    await writeFile(log, NEW_GAME + chat('Sending you to survival'))
    await watch([], EARTH)
    await appendFile(log, caught('Salmon'))
    expect((await follow('Salmon')).stderr).toContain('gamemode survival, from the log.')
    expect(await stored('survival')).toEqual(['Salmon'])
  })
})

describe('watch on a server that is not a gamemode', () => {
  test.each([
    ['a server with an unknown name', connecting('boxsmp.example.net')],
    ['a message with an unknown name', chat('Connecting to boxsmp...')],
    ['the hub', chat('§aSending you to §lhub§r...')],
  ])('skips catches, reports them, and adds them when a gamemode is given: %s', async (title, line) => {
    const { log, watch, stored } = await scene(`Held_${title.length}`)
    const texts = [connecting('survival.example.net'), caught('Cod'), line, caught('Salmon'), caught('Koi')]
    await writeFile(log, NEW_GAME + texts.join('') + chat('Sending you to survival') + caught('Eel'))
    const held = await watch([], EARTH)
    expect(held.status).toBe(7)
    expect(held.stderr).toMatch(
      /Skipped 2 catches without a gamemode, on (boxsmp|hub)\.\n {2}To add them: fish-cli watch --once \S+ --gamemode GAMEMODE/,
    )
    expect([await stored('survival'), await stored('earth')]).toEqual([['Cod', 'Eel'], []])
    expect((await watch(['--gamemode', 'oneblock'])).stdout).toContain('2 catches added')
    expect((await watch(['--gamemode', 'oneblock'])).stderr).toContain('0 catches to add; 4 already added')
    expect(await stored('oneblock')).toEqual(['Salmon', 'Koi'])
  })

  test('with --json, prints the skipped catches on stdout, and the command that adds these catches on stderr', async () => {
    const { log, watch, follow } = await scene('HeldJson')
    await writeFile(log, NEW_GAME)
    await watch([], EARTH)
    await appendFile(log, chat('Sending you to hub') + caught('Salmon') + caught('Cod'))
    const { stdout } = await follow('Cod', ['--json'], EARTH)
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ name: 'Salmon', gamemode: null, server: 'hub' })
    await appendFile(log, caught('Koi'))
    const { stderr } = await follow('They stay in the log', [], EARTH)
    expect(stderr).toContain(`hub is not a gamemode, so these catches are not added.`)
    expect(stderr).toContain(`fish-cli watch --once ${log} --gamemode GAMEMODE`)
  })

  test('ignores messages about places within a gamemode, and ignores the address of the network', async () => {
    const { log, watch, stored } = await scene('Within')
    const noise = ['Welcome to the server!', 'Teleporting to spawn...', 'Sending you to spawn', 'You are now in combat']
    await writeFile(log, NEW_GAME + connecting('play.example.net') + noise.map((text) => chat(text)).join(''))
    await appendFile(log, caught('Salmon'))
    expect((await watch([], EARTH)).status).toBe(0)
    expect(await stored('earth')).toEqual(['Salmon'])
  })
})

describe('the gamemode in the log', () => {
  test('still applies after the rotation at midnight, but not in a new game', async () => {
    const { logs, log, watch, follow, stored } = await scene('Midnight')
    await writeFile(log, NEW_GAME + chat('Sending you to survival') + caught('Cod'))
    await watch([], EARTH)
    await writeFile(
      join(logs, '2026-01-30-1.log.gz'),
      gzipSync(NEW_GAME + chat('Sending you to survival') + caught('Cod')),
    )
    await writeFile(log, ROTATED + caught('Salmon'))
    await follow('Salmon', [], EARTH)
    await rename(log, join(logs, '2026-01-31-1.log'))
    await writeFile(log, NEW_GAME + caught('Koi'))
    await follow('Koi', [], EARTH)
    expect([await stored('survival'), await stored('earth')]).toEqual([['Cod', 'Salmon'], ['Koi']])
  })

  test('applies across all logs that were rotated while watch was not running', async () => {
    const { logs, log, watch, follow, stored } = await scene('Away')
    const first = NEW_GAME + chat('Sending you to survival')
    await writeFile(log, first)
    await watch([], EARTH)
    await writeFile(join(logs, '2026-01-30-1.log.gz'), gzipSync(first + caught('Cod')))
    await writeFile(
      join(logs, '2026-01-31-1.log.gz'),
      gzipSync(ROTATED + chat('Sending you to oneblock') + caught('Koi')),
    )
    await writeFile(log, ROTATED.replace('03]', '09]') + caught('Salmon'))
    await follow('Salmon', [], EARTH)
    expect([await stored('survival'), await stored('oneblock')]).toEqual([['Cod'], ['Koi', 'Salmon']])
  })
})

describe('watch at its start', () => {
  test('prints the player, service, gamemode and file', async () => {
    const { log, follow } = await scene('Reported')
    await writeFile(log, NEW_GAME)
    for (const [flags, env, gamemode] of [
      [['-g', 'survival'], {}, 'survival'],
      [[], EARTH, 'earth'],
    ] as const) {
      const { stderr } = await follow(log, flags, env)
      expect(stderr).toContain(`fish-cli: Watching a log for Reported at ${context.service.url}:\n`)
      expect(stderr).toContain(`  ${log}: gamemode ${gamemode}, unless the log names another gamemode.\n`)
    }
  })

  test('finds the log of Feather in the folder of the game', async () => {
    const { folder, watch: _, env } = await scene('Feather')
    const logs = join(folder, '.minecraft', 'feather', 'logs')
    await mkdir(logs, { recursive: true })
    await writeFile(join(logs, 'latest.log'), NEW_GAME)
    const { status, stderr } = await run(['watch', '--once'], { env: { ...env, ...EARTH } })
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining(logs) })
  })
})

describe('watch with earlier logs', () => {
  const pack = (path: string, text: string) => writeFile(path, gzipSync(text))

  test('with --once, reads compressed logs in the given order, and adds each catch once with its date', async () => {
    const { logs, env } = await scene('Packed')
    const [first, second] = [join(logs, '2026-01-30-1.log.gz'), join(logs, '2026-01-31-1.log.gz')]
    await pack(first, NEW_GAME + chat('Sending you to survival') + caught('Cod'))
    await pack(second, ROTATED + caught('Salmon'))
    const read = () => run(['watch', first, second, '--once', '--json'], { env: { ...env, ...EARTH } })
    expect(JSON.parse((await read()).stdout)).toMatchObject({ logs: 2, new: 2, addedBefore: 0, added: 2, sent: 2 })
    expect(JSON.parse((await read()).stdout)).toMatchObject({ new: 0, addedBefore: 2, added: 0, sent: 0 })
    const { stdout } = await run(['list', 'fish', 'Packed', '-g', 'survival', '--detail', '--json'], { env })
    expect(JSON.parse(stdout).fish).toMatchObject([
      { name: 'Cod', caughtAt: new Date('2026-01-30T12:00:01').toISOString() },
      { name: 'Salmon', caughtAt: new Date('2026-01-31T12:00:01').toISOString() },
    ])
  })

  test('reports servers that are not gamemodes, and the folder with lines that are not recognized', async () => {
    const { folder, log, env } = await scene('Several')
    const second = join(folder, 'other', 'latest.log')
    await mkdir(dirname(second))
    await writeFile(log, NEW_GAME + chat('Sending you to survival') + caught('Cod'))
    const lines = [chat('Sending you to hub'), caught('Salmon'), chat('TOLLER FANG! Du hast einen Lachs gefangen.')]
    await writeFile(second, NEW_GAME + lines.join(''))
    const { stderr } = await run(['watch', log, second, '--once'], { env: { ...env, ...EARTH } })
    expect(stderr).toContain(`fish-cli: ${log}, ${second}: 1 catch to add`)
    expect(stderr).toContain('Skipped 1 catch without a gamemode, on hub.')
    expect(stderr).toContain(`Then add the catches: fish-cli watch --once ${dirname(second)}\n`)
  })

  test.each(['00:00:00', '00:00:04', '23:30:00', '23:59:58'])(
    'dates a first catch at %s by the day in the name of the log',
    async (time) => {
      const { logs, env } = await scene(`Day${time.replaceAll(':', '')}`)
      const path = join(logs, '2026-01-31-1.log.gz')
      await pack(path, ROTATED + chat('NICE CATCH! You caught a Cod.', time))
      await run(['watch', path, '--once'], { env: { ...env, ...EARTH } })
      const { stdout } = await run(['list', '--detail', '--json', '-g', 'earth'], { env })
      expect(JSON.parse(stdout).fish[0].caughtAt).toBe(new Date(`2026-01-31T${time}`).toISOString())
    },
  )

  test('requires --once for compressed logs, and rejects files that are not gzip', async () => {
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
