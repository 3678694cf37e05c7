import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { localTime } from '../src/core/time.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()
const caught = (name: string) => `[12:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a ${name}.\n`
const BEGUN = '[09:00:00] [main/INFO]: Loading Minecraft\n'

/** A home of its own, and a watch in it that ends with its first new catch. */
async function scene() {
  const home = newFolder()
  const env = { ...context.player, HOME: home, USERPROFILE: home, ...xdgFolders(home) }
  const write = async (log: string, text: string, at = new Date()) => {
    const path = join(home, log)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    await utimes(path, at, at)
    return path
  }
  /** Ends once the watch is at the end of its log. @returns stderr */
  const watchStart = async (...argv: readonly string[]) => {
    const ending = new AbortController()
    const onStderr = (text: string) => {
      if (text.includes('waiting for it') || text.includes('Skipped')) ending.abort()
    }
    const { stderr } = await run(['watch', ...argv], { env, interrupted: ending.signal, onStderr })
    return stderr
  }
  return { home, env, write, watchStart }
}

test('watch reports how many catches it skips at its start, and how to add them', async () => {
  const { write, watchStart } = await scene()
  const log = await write('my game/latest.log', BEGUN + caught('Cod') + caught('Koi'))
  expect(await watchStart(log, '--gamemode', 'survival')).toContain(
    `fish-cli: Skipped 2 catches that were already in the log. To add them: fish-cli watch '${log}' --from-start --once --gamemode survival\n`,
  )
})

test('watch does not report catches that were added before, or those of a log that it continues', async () => {
  const { write, env, watchStart } = await scene()
  const log = await write('logs/latest.log', BEGUN + caught('Cod') + caught('Koi'))
  await run(['watch', '--once', dirname(log), '--yes'], { env })
  await write('logs/latest.log', BEGUN + caught('Cod') + caught('Koi') + caught('Eel'))
  expect(await watchStart(log)).toContain('Skipped 1 catch that was already in the log. To add it: fish-cli watch ')
  const { stderr, stdout } = await run(['watch', log, '--once', '--from-start'], { env })
  expect([stdout, stderr]).toEqual([
    expect.stringMatching(/^[^\n]* Eel [^\n]*\n$/),
    expect.not.stringContaining('Skipped'),
  ])
})

test('watch names up to three other games, the latest first, each once', async () => {
  const { home, write, env } = await scene()
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes))
  const logs: string[] = []
  for (const [minutes, name] of ['a', 'b', 'c', 'd', 'e', 'multiver'].entries()) {
    logs.unshift(await write(`.lunarclient/offline/${name}/logs/latest.log`, BEGUN, at(minutes)))
  }
  // An older log of a game, and another path to one.
  await write('.lunarclient/logs/game/new.log', BEGUN, at(-1))
  await write('.lunarclient/logs/game/old.log', BEGUN, at(-2))
  await mkdir(join(home, '.lunarclient/offline/link'))
  await symlink(join(home, '.lunarclient/offline/a/logs'), join(home, '.lunarclient/offline/link/logs'), 'junction')
  const { stderr } = await run(['watch', '--once', '--gamemode', 'earth'], { env })
  const named = logs.slice(1, 4).map((path, index) => `${path} (last written ${localTime(at(4 - index))})`)
  expect(stderr).toContain(
    `fish-cli: Other games on this machine are not watched: ${named.join(', ')} and 3 more. To watch the first: fish-cli watch ${logs[1]} --gamemode earth\n`,
  )
  expect((await run(['watch', logs[0] ?? '', '--once'], { env })).stderr).not.toContain('Other games')
})
