import { appendFileSync, realpathSync } from 'node:fs'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type RunOptions, run, serviceContext, startServiceContext } from './harness.ts'

const context = serviceContext()
const caught = (name: string) => `[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a ${name}.\n`
const BEGUN = '[09:00:00] [main/INFO]: Loading Minecraft\n'

const playedBy = (player: string) =>
  `${BEGUN}[09:00:01] [Render thread/INFO]: Setting user: ${player}\n${caught('Cod')}`

/** Creates a separate home folder, with functions that write logs and run watch in this folder. */
async function scene(user = 'home') {
  const users = newFolder()
  const home = join(users, user)
  const env = { ...context.player, HOME: home, USERPROFILE: home, ...xdgFolders(home) }
  const write = async (log: string, text: string, at = new Date()) => {
    const path = join(home, log)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    await utimes(path, at, at)
    return path
  }
  /** Runs watch until watch has reported its start. @returns stderr */
  const watchStart = async (...argv: readonly string[]) => {
    const ending = new AbortController()
    const onStderr = (text: string) => {
      if (text.includes('Watching')) setImmediate(() => ending.abort())
    }
    const { stderr } = await run(['watch', ...argv], { env, interrupted: ending.signal, onStderr })
    return stderr
  }
  return { users, home, env, write, watchStart }
}

test('watch reports the number of catches that it skips at its start, and the command that adds them', async () => {
  const { write, watchStart } = await scene()
  const log = await write('my game/latest.log', BEGUN + caught('Cod') + caught('Koi'))
  expect(await watchStart(log, '--gamemode', 'survival')).toContain(
    `gamemode survival, unless the log names another gamemode. Skipped 2 catches already in the log.\n  To add the skipped catches: fish-cli watch --once '${log}' --gamemode survival\n`,
  )
})

test.each([
  ['Steve', 1],
  ['ALEX', 0],
])('watch warns if the game runs as %s instead of Alex: %i times', async (player, warnings) => {
  const { write, watchStart, env } = await scene()
  const started = `[12:00:00] [Render thread/INFO]: Setting user: ${player}\n`
  const log = await write('logs/latest.log', BEGUN + started + caught('Cod'))
  const packed = `${log}.gz`
  await writeFile(packed, gzipSync(BEGUN + started + caught('Cod')))
  const once = async (path: string) => (await run(['watch', path, '--once', '--dry-run'], { env })).stderr
  for (const text of [await once(log), await once(packed), await watchStart(log, '--gamemode', 'survival')]) {
    expect(text.split(`The game runs as ${player}, but watch adds the catches for Alex.`)).toHaveLength(1 + warnings)
  }
})

test.each([
  [['--once', '--yes'], 2],
  [['--gamemode', 'earth'], 2],
])('watch %j refuses a log whose game runs as another player', async (flags, status) => {
  const { write, env } = await scene()
  const log = await write('logs/latest.log', playedBy('Steve'))
  const refused = await run(['watch', log, ...flags], { env: { ...env, FISH_GAMEMODE: 'earth' } })
  expect(refused.status).toBe(status)
  expect(refused.stderr).toContain('If Steve in the log is Alex, add --user-in-log Steve.')
})

test.each<[readonly string[], RunOptions, string]>([
  [['--user-in-log', 'steve', '--yes'], {}, '1 catch added.'],
  [['--user-in-log', 'Bob,Steve', '--yes'], {}, '1 catch added.'],
  [['--yes'], { terminal: true, typed: 'y\n' }, '1 catch added.'],
  [['--yes'], { terminal: true, typed: 'n\n' }, ''],
  [['--user-in-log', 'Bob', '--yes'], {}, ''],
])('watch --once %j with %j adds the catches of another player only on request', async (flags, options, added) => {
  const { write, env } = await scene()
  const log = await write('logs/latest.log', playedBy('Steve'))
  const argv = ['watch', log, '--once', '--gamemode', 'earth', ...flags]
  const { stdout, status } = await run(argv, { ...options, env })
  expect(stdout).toContain(added)
  expect(status === 0).toBe(added !== '')
})

test('watch --once refuses the rest of a rotated log of another player', async () => {
  const { home, write, env } = await scene()
  await write('logs/2026-01-31-1.log', `${BEGUN}[09:00:01] [Render thread/INFO]: Setting user: Steve\n`)
  await write('logs/2026-01-31-2.log', caught('Cod'))
  const { status } = await run(['watch', '--once', join(home, 'logs'), '--gamemode', 'earth', '--yes'], { env })
  expect(status).toBe(2)
})

test('watch holds the catches of a game that starts as another player while watch runs', async () => {
  const { write, env } = await scene()
  const log = await write('logs/latest.log', playedBy('Alex'))
  const ending = new AbortController()
  const onStderr = (text: string) => {
    if (text.includes('They stay in the log')) ending.abort()
    else if (text.includes('Watching') && !text.includes('runs as Steve')) appendFileSync(log, playedBy('Steve'))
  }
  const argv = ['watch', log, '--gamemode', 'earth']
  const { stdout, stderr } = await run(argv, { env, interrupted: ending.signal, onStderr })
  expect(stdout).toBe('')
  expect(stderr).toContain(`If Steve is also you, add them: fish-cli watch --once ${log} --user-in-log Steve`)
})

test('watch does not report catches that were added before', async () => {
  const { write, env, watchStart } = await scene()
  const log = await write('logs/latest.log', BEGUN + caught('Cod'))
  const copy = await write('logs/copy.log', BEGUN + caught('Cod') + caught('Koi'))
  await run(['watch', '--once', log], { env })
  expect(await watchStart(copy)).toContain('Skipped 1 catch already in the log.')
  const { stdout } = await run(['watch', copy, '--once'], { env })
  expect(stdout).toContain('1 catch added')
})

test('watch follows the latest log of each game, and lists the most recently written log first', async () => {
  const { home, write, watchStart } = await scene()
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes))
  const logs: string[] = []
  for (const [minutes, name] of ['a', 'b', 'multiver'].entries()) {
    logs.unshift(await write(`.lunarclient/offline/${name}/logs/latest.log`, BEGUN, at(minutes)))
  }
  // A game with two logs, of which only the newer log is followed, and a link to the logs of another game.
  logs.push(await write('.lunarclient/logs/game/new.log', BEGUN, at(-1)))
  await write('.lunarclient/logs/game/old.log', BEGUN, at(-2))
  await mkdir(join(home, '.lunarclient/offline/link'))
  await symlink(join(home, '.lunarclient/offline/a/logs'), join(home, '.lunarclient/offline/link/logs'), 'junction')
  const followed = (await watchStart('--gamemode', 'earth')).split('\n').filter((line) => line.includes('(Lunar)'))
  expect(followed.map((line) => realpathSync(line.trim().split(' ')[0] ?? ''))).toEqual(
    logs.map((log) => realpathSync(log)),
  )
})

test.skipIf(process.platform === 'win32').each(['Alex [SSD]', 'a\\b', '@(Alex)', '{Alex,Steve}', '*', '!Alex'])(
  'watch finds the logs below a home folder named %s, and no logs of other players',
  async (user) => {
    const { users, write, watchStart } = await scene(user)
    const log = '.lunarclient/offline/1.21/logs/latest.log'
    for (const other of ['Alex', 'Steve']) await write(join('..', other, log), BEGUN)
    const own = await write(log, BEGUN)
    const followed = (await watchStart('--gamemode', 'earth')).split('\n').filter((line) => line.includes(users))
    expect(followed.map((line) => line.trim())).toEqual([expect.stringContaining(`${own} (Lunar)`)])
  },
)

test('watch adds the catches of several games that run at the same time, each in its own gamemode', async () => {
  const { write, env } = await scene()
  const hosts = ['earth', 'survival', 'skyblock']
  const connecting = (host: string) => `[11:59:00] [Render thread/INFO]: Connecting to ${host}.example.net, 25565\n`
  const logs = await Promise.all(hosts.map((host) => write(`${host}/latest.log`, BEGUN)))
  const ending = new AbortController()
  let printed = ''
  const onStderr = (text: string) => {
    if (!text.includes('Watching 3 logs')) return
    for (const [index, host] of hosts.entries())
      appendFileSync(logs[index] ?? '', connecting(host) + caught(`${host} fish`))
  }
  const onStdout = (text: string) => {
    printed = text
    if (hosts.every((host) => text.includes(`${host} fish`))) ending.abort()
  }
  const argv = ['watch', ...logs, '--gamemode', 'oneblock']
  await run(argv, { env, interrupted: ending.signal, onStderr, onStdout })
  for (const host of ['earth', 'survival']) expect(printed).toMatch(new RegExp(`${host} fish  .*, ${host}  \\(`))
  // skyblock is not a gamemode of the service.
  expect(printed).toMatch(/skyblock fish {2}.*, oneblock {2}\(/)
})

test.skipIf(process.platform !== 'linux').each([
  ['CurseForge', 'curseforge/minecraft/Instances/Pack/logs/latest.log'],
  ['CurseForge', 'Documents/curseforge/minecraft/Instances/Pack/logs/latest.log'],
  ['Modrinth', '.local/share/ModrinthApp/profiles/Pack/logs/latest.log'],
  ['ATLauncher', '.local/share/ATLauncher/instances/Pack/logs/latest.log'],
  ['GDLauncher', '.local/share/gdlauncher_carbon/data/instances/Pack/instance/logs/latest.log'],
  ['Technic', '.technic/modpacks/pack/logs/latest.log'],
  ['FTB', '.ftba/instances/pack/logs/latest.log'],
  ['PolyMC', '.local/share/PolyMC/instances/Pack/.minecraft/logs/latest.log'],
  ['vanilla', '.minecraft/logs/blclient/minecraft/latest.log'],
  ['vanilla', '.minecraft/versions/1.21-Fabric/logs/latest.log'],
  ['Snap', 'snap/mc-installer/common/.minecraft/logs/latest.log'],
])('watch finds the log of %s at %s', async (launcher, path) => {
  const { home, write, env } = await scene()
  const log = await write(path, BEGUN + caught('Cod'))
  const data = { XDG_DATA_HOME: join(home, '.local/share') }
  const { byName } = await doctorOf({ ...env, ...data })
  expect(byName.log).toContain(`watch would follow ${log} (${launcher})`)
})

test.skipIf(process.platform !== 'linux')(
  'watch finds the game folder of a profile, and the instances of Prism in another folder',
  async () => {
    const { home, write, env } = await scene()
    const own = await write('games/[Fabric]/logs/latest.log', BEGUN)
    const instance = await write('disk/Instances/Pack/minecraft/logs/latest.log', BEGUN)
    const profiles = { a: { gameDir: join(home, 'games/[Fabric]') }, b: {} }
    await write('.minecraft/launcher_profiles.json', JSON.stringify({ profiles }))
    await write('data/PrismLauncher/prismlauncher.cfg', `[General]\nInstanceDir=${join(home, 'disk/Instances')}\n`)
    const { byName } = await doctorOf({ ...env, XDG_DATA_HOME: join(home, 'data') })
    expect(byName.log).toContain(`${own} (vanilla)`)
    expect(byName.log).toContain(`${instance} (Prism)`)
  },
)

test('if no log is found, watch names the path argument and --once, and doctor lists the searched paths', async () => {
  const { home, env } = await scene()
  const { status, stderr } = await run(['watch'], { env: { ...env, XDG_DATA_HOME: join(home, 'data') } })
  expect(status).toBe(5)
  expect(stderr).toContain('fish-cli watch PATH/logs/latest.log')
  expect(stderr).toContain('fish-cli watch --once PATH/logs')
  const { byName } = await doctorOf(env)
  expect(byName.log).toContain(
    `${join(home, 'curseforge', 'minecraft', 'Instances', '*', 'logs', 'latest.log')} (CurseForge)`,
  )
})

async function doctorOf(env: Record<string, string | undefined>) {
  const { stdout } = await run(['doctor', '--offline', '--json'], { env })
  const { checks } = JSON.parse(stdout) as { checks: readonly { readonly check: string; readonly result: string }[] }
  return { byName: Object.fromEntries(checks.map(({ check, result }) => [check, result])) }
}

test('watch --once reads a cut compressed log up to the cut, and names the log', async () => {
  const { write, env } = await scene()
  const log = await write('logs/2026-01-31-1.log.gz', '')
  const lines = Array.from({ length: 500 }, (_, index) => caught(`Fish ${index}`)).join('')
  const packed = gzipSync(BEGUN + lines)
  await writeFile(log, packed.subarray(0, -100))
  const { status, stderr } = await run(['watch', '--once', log, '--dry-run'], { env })
  expect(status).toBe(7)
  expect(stderr).toMatch(/: [34]\d\d catches to add/)
  expect(stderr).toContain(`Incomplete, so read only up to the cut: ${log}`)
})

test('watch waits until the game has compressed the rotated log, and then adds the rest of this log', async () => {
  const { write, env: own } = await scene()
  const env = { ...own, FISH_GAMEMODE: 'survival' }
  const log = await write('logs/latest.log', BEGUN + caught('Cod'))
  await run(['watch', log, '--once', '--yes'], { env })
  const packed = gzipSync(BEGUN + caught('Cod') + caught('Koi'))
  const rotated = await write('logs/2026-01-31-1.log.gz', '')
  await writeFile(rotated, packed.subarray(0, packed.length / 2))
  await rm(log)
  await write('logs/latest.log', `[13:00:00] [main/INFO]: Loading Minecraft\n${caught('Eel')}`)
  const ending = new AbortController()
  const clock = {
    now: Date.now,
    async sleep(ms: number, signal?: AbortSignal) {
      // Only the reader of logs sleeps for less than a second. The outbox sleeps longer.
      if (ms < 1000) await writeFile(rotated, packed)
      await sleep(ms, undefined, { signal })
    },
  }
  const onStdout = (text: string) => {
    if (text.includes('Eel')) ending.abort()
  }
  const { stdout } = await run(['watch', log], { env, clock, interrupted: ending.signal, onStdout })
  expect(stdout.match(/Cod|Koi|Eel/g)).toEqual(['Koi', 'Eel'])
})

test('watch sends the rejected catches again after a new login, and names those that stay rejected', async () => {
  const { write, env: playerEnv } = await scene()
  const { service, player, admin } = await startServiceContext()
  const env = { ...playerEnv, FISH_URL: player.FISH_URL, FISH_KEY: undefined, FISH_PASSWORD: undefined }
  const logIn = () => run(['login', 'Alex'], { env: { ...env, FISH_PASSWORD: player.FISH_PASSWORD } })
  const reset = () => run(['user', 'reset', 'Alex', '--type', 'fernet', '--yes', '--show'], { env: admin })
  const log = await write('logs/latest.log', BEGUN)
  /** Runs watch, and takes each step when stderr contains its text after the text of the step before. */
  async function watch(...steps: readonly (readonly [said: string, act: () => unknown])[]) {
    const ending = new AbortController()
    let [from, next] = [0, 0]
    const onStderr = (text: string) => {
      const step = steps[next]
      const at = step === undefined ? -1 : text.indexOf(step[0], from)
      if (step === undefined || at === -1) return
      from = at + step[0].length
      next += 1
      setImmediate(async () => {
        await step[1]()
        if (next === steps.length) ending.abort()
      })
    }
    const clock = {
      now: Date.now,
      sleep: (ms: number, signal?: AbortSignal) => sleep(Math.min(ms, 20), undefined, { signal }),
    }
    return (await run(['watch', log, '-g', 'earth'], { env, interrupted: ending.signal, onStderr, clock })).stderr
  }
  const names = async () =>
    JSON.parse((await run(['list', 'Alex', '--json'], { env })).stdout).fish.map(({ name }: { name: string }) => name)

  expect((await logIn()).status).toBe(0)
  const renewed = await watch(
    [
      'Watching',
      async () => {
        await reset()
        appendFileSync(log, caught('Cod'))
      },
    ],
    [
      '1 catch rejected',
      async () => {
        await logIn()
        appendFileSync(log, caught('Koi'))
      },
    ],
    [
      'Sending 2 catches again with your new key.',
      () => vi.waitFor(async () => expect(await names()).toHaveLength(2), 5000),
    ],
  )
  expect(await names()).toEqual(['Cod', 'Koi'])
  expect(renewed).toMatch(/2 fish, 0 crabs\.\n.*Interrupted\. Nothing is left to send\.\n/)
  await reset()
  const rejected = await watch(['Watching', () => appendFileSync(log, caught('Eel'))], ['1 catch rejected', () => {}])
  expect(rejected).toMatch(/Interrupted\. 1 catch rejected\.\n {2}See the reasons: fish-cli outbox\n/)
  expect(await watch(['Watching', () => {}])).toContain(
    'fish-cli: 1 catch rejected earlier. See the reasons: fish-cli outbox\n',
  )
  await service.close()
})
