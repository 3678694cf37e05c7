import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Client, createClient } from '@fish-crab/sdk'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { run, start } from '../../scripts/test-support/child-process.ts'
import { EXAMPLES, findPython, need, type Tool } from '../../scripts/test-support/language-tools.ts'
import { SERVER_SCRIPT } from '../../scripts/test-support/server-process.ts'
import { type Service, startService } from './service.ts'

let service: Service
let folder: string
let python: Tool | undefined
beforeAll(async () => {
  service = await startService(SERVER_SCRIPT)
  folder = await mkdtemp(join(tmpdir(), 'fish-watcher-'))
  python = await findPython()
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true })
})

const MISSING = 'Python is missing (Debian: apt install python3-cryptography)'
const WATCHER = [`${EXAMPLES}python/watch_catches.py`]
/** Runs the watcher with pauses that are short enough for a test. */
const FAST_WATCHER = [
  '-c',
  `import sys; sys.path.insert(0, '${EXAMPLES}python'); import watch_catches as w
w.FIRST_PAUSE_SECONDS = w.POLL_SECONDS = 0.05
w.main()`,
]

/** Starts the watcher. Its stdout fills `lines`, and its stderr fills `log`. */
function startWatcher(context: TestContext, name: string, { url = service.url, program = WATCHER } = {}) {
  const { command, args } = need(context, python, MISSING)
  const env = { FISH_URL: url, STATE_FILE: join(folder, name), PYTHONDONTWRITEBYTECODE: '1' }
  const child = start(command, [...args, ...program, name], env)
  if (!child.stdout || !child.stderr) throw new Error('A child without output.')
  const lines: string[] = []
  const log: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line.replace(/^\d{4}-\S+Z /, '')))
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const closed = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
  }
  onTestFinished(kill)
  return { lines, log, kill }
}

async function createPlayer(name: string): Promise<Client> {
  const { apiKey, fernetKey } = await service.createPlayer(name)
  return createClient({ baseUrl: service.url, user: name, gamemode: 'earth', apiKey, fernetKey })
}

describe('the Python watcher', () => {
  it('reports each catch once, despite restarts of the watcher and of the service', async (context) => {
    const player = await createPlayer('Alex')
    const first = startWatcher(context, 'Alex')
    await expect.poll(() => first.log).toEqual(['Watching Alex in earth.'])
    await player.fish.add({ name: 'Salmon', rarity: 'Gold' })
    await player.crabs.add()
    await expect
      .poll(() => first.lines.toSorted())
      .toEqual(['Alex has caught Salmon (Gold)!', 'Alex has caught a crab!'])

    await service.end()
    await service.startAgain()
    await player.fish.add({ name: 'Koi', rarity: 'Bronze' })
    await expect.poll(() => first.lines.slice(2)).toEqual(['Alex has caught Koi (Bronze)!'])

    await first.kill()
    await player.fish.add({ name: 'Eel', rarity: 'Mythical' })
    const second = startWatcher(context, 'Alex')
    await expect.poll(() => second.lines).toContain('Alex has caught Eel (Mythical)!')
    // If the kill hits after a report but before its id is stored, the watcher reports the catch again.
    expect(second.lines.filter((line) => !line.includes('Koi'))).toEqual(['Alex has caught Eel (Mythical)!'])
  })

  it('polls behind a proxy that cuts streams, and misses no catch', async (context) => {
    const player = await createPlayer('Steve')
    let polls = 0
    const proxy = createServer(async (request, response) => {
      const headers = new Headers(request.headers as Record<string, string>)
      for (const name of ['connection', 'host']) headers.delete(name)
      const upstream = await fetch(`${service.url}${request.url}`, { headers })
      response.writeHead(upstream.status, { 'content-type': 'text/event-stream' })
      if (request.url?.includes('follow=false')) {
        polls += 1
        response.end(await upstream.text())
        return
      }
      const beginning = await upstream.body?.getReader().read()
      response.write(beginning?.value, () => request.socket.destroy())
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void proxy.close())
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const watcher = startWatcher(context, 'Steve', { url, program: FAST_WATCHER })
    await expect.poll(() => polls).toBeGreaterThan(0)

    await player.fish.add({ name: 'Salmon', rarity: 'Gold' })
    await player.fish.add({ name: 'Koi', rarity: 'Bronze' })
    const both = ['Steve has caught Salmon (Gold)!', 'Steve has caught Koi (Bronze)!']
    await expect.poll(() => watcher.lines).toEqual(both)
    const seen = polls
    await expect.poll(() => polls).toBeGreaterThan(seen + 1)
    expect(watcher.lines).toEqual(both)
  })

  it.for([
    ['an unknown player', 'Nobody', /^404 .+\n$/],
    ['an unknown gamemode', 'Alex skyblock', /^400 .+\n$/],
    ['a missing player name', '', /^Usage: .+\n$/],
  ] as const)('prints a one-line error about %s', async ([, words, message], context) => {
    const { command, args } = need(context, python, MISSING)
    const env = { FISH_URL: service.url, STATE_FILE: join(folder, 'none') }
    const ended = await run(command, [...args, ...WATCHER, ...words.split(' ').filter(Boolean)], env)
    expect(ended).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(message) })
  })
})
