import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@fish-crab/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from './folders.ts'
import { ADMIN_PASSWORD, type RunOptions, run, serviceContext } from './harness.ts'
import { launch, type Program, serveFolder } from './maintenance-processes.ts'

const context = serviceContext()
const WATCH = ['list', 'fish', 'Alex', '--gamemode', 'earth', '--watch']

interface Player {
  readonly url: string
  readonly fernetKey: string
}

async function createAlex(url: string): Promise<Player> {
  const env = { FISH_URL: url, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const { stdout } = await run(['user', 'create', 'Alex', '--json'], { env })
  return { url, fernetKey: JSON.parse(stdout).fernetKey }
}

const catcher = ({ url, fernetKey }: Player) =>
  createClient({ baseUrl: url, user: 'Alex', gamemode: 'earth', fernetKey, env: {} })

const watch = (url: string) => launch([...WATCH, '--csv'], { FISH_URL: url, HOME: newFolder() })

const namesIn = (csv: string) =>
  csv
    .split('\r\n')
    .slice(1, -1)
    .map((row) => row.split(',')[0])
const shown = (program: Program) => namesIn(program.stdout())

/** Adds a catch, and waits until the command prints the catch and thus receives events. */
async function live(program: Program, alex: Player): Promise<void> {
  await program.until(/Watching/)
  await catcher(alex).fish.add({ name: 'first', rarity: 1 })
  await expect.poll(() => shown(program), { interval: 10, timeout: 10_000 }).toEqual(['first'])
}

test('a catch that another process adds is printed within a second', async () => {
  const { url } = await serveFolder(newFolder())
  const alex = await createAlex(url)
  const program = watch(url)
  await live(program, alex)
  await catcher(alex).fish.add({ name: 'Koi', rarity: 3 })
  const acknowledged = performance.now()
  await program.until(/Koi/)
  expect(performance.now() - acknowledged).toBeLessThan(1000)
  program.child.kill('SIGINT')
  expect(await program.closed).toBe(130)
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'each catch is printed once, even if the server is stopped with %s and restarted',
  async (signal) => {
    const folder = newFolder()
    const first = await serveFolder(folder)
    const alex = await createAlex(first.url)
    const program = watch(first.url)
    await live(program, alex)
    const names = Array.from({ length: 30 }, (_, index) => `Fish ${index}`)
    for (const name of names.slice(0, 10)) await catcher(alex).fish.add({ name, rarity: 1 })
    first.child.kill(signal)
    await first.closed
    await program.until(/Retrying/)
    await serveFolder(folder, { FISH_PORT: new URL(first.url).port })
    for (const name of names.slice(10)) await catcher(alex).fish.add({ name, rarity: 1 })
    await program.until(/The service responds again/)
    await expect.poll(() => shown(program).length, { interval: 20, timeout: 10_000 }).toBe(names.length + 1)
    expect(shown(program)).toEqual(['first', ...names])
  },
  60_000,
)

/**
 * Starts a proxy that buffers every response until the response is complete. With `cutsStreams`, the proxy ends each
 * event stream after its first chunk. `streams` is the number of requested event streams.
 */
async function startProxy(target: string, cutsStreams: boolean) {
  let streams = 0
  const proxy = createServer(({ url = '', method, headers }, response) => {
    const isStream = url.startsWith('/events') && !url.includes('follow=false')
    if (isStream) streams += 1
    const upstream = request(target + url, { method, headers }, (from) => {
      response.statusCode = from.statusCode ?? 502
      for (const [name, value] of Object.entries(from.headers)) if (value !== undefined) response.setHeader(name, value)
      const body: Buffer[] = []
      from.on('data', (piece: Buffer) => {
        body.push(piece)
        if (isStream && cutsStreams && body.length === 1) response.end(piece)
      })
      from.on('end', () => response.end(Buffer.concat(body)))
      from.on('error', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    upstream.end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, streams: () => streams }
}

/**
 * The clock runs 20 times as fast as real time. A limit of 10 s takes 0.5 s, which is long enough on a busy machine.
 */
const FAST = 20
const fastClock: NonNullable<RunOptions['clock']> = {
  now: () => Date.now() * FAST,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms / FAST)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
  setTimer(ms, onEnd) {
    const timer = setTimeout(onEnd, ms / FAST)
    return () => clearTimeout(timer)
  },
}

test.each([
  ['buffers streams', false, 1],
  ['cuts streams', true, 3],
])('each catch is printed once behind a proxy that %s', async (_, cutsStreams, streams) => {
  const proxy = await startProxy(context.base.FISH_URL ?? '', cutsStreams)
  const stop = new AbortController()
  let [stdout, stderr] = ['', '']
  const running = run([...WATCH, '--csv'], {
    env: { FISH_URL: proxy.url },
    clock: fastClock,
    interrupted: stop.signal,
    onStdout: (text) => {
      stdout = text
    },
    onStderr: (text) => {
      stderr = text
    },
  })
  await expect.poll(() => stderr).toMatch(/Watching/)
  const alex = catcher({ url: context.base.FISH_URL ?? '', fernetKey: context.alex.fernetKey })
  const names = Array.from({ length: 5 }, () => crypto.randomUUID())
  for (const [index, name] of names.entries()) {
    await alex.fish.add({ name, rarity: 1 })
    await expect.poll(() => namesIn(stdout), { interval: 5, timeout: 5000 }).toEqual(names.slice(0, index + 1))
  }
  stop.abort(new Error('Ctrl-C'))
  expect((await running).status).toBe(130)
  expect(proxy.streams()).toBe(streams)
  expect(stderr).not.toMatch(/Retrying/)
})
