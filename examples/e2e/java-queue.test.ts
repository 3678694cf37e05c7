import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { run, start } from '../../scripts/test-support/child-process.ts'
import { EXAMPLES, findJava, need, type Tool } from '../../scripts/test-support/language-tools.ts'
import { SERVER_SCRIPT } from '../../scripts/test-support/server-process.ts'
import { startLossyRelay } from './relay.ts'
import { startService } from './service.ts'

let java: Tool | undefined
/** The folder of the compiled client, which is compiled only once because the tests start the client many times. */
let classes: string
beforeAll(async () => {
  classes = await mkdtemp(join(tmpdir(), 'fish-classes-'))
  java = await findJava()
  if (!java) return
  const compiled = await run('javac', ['-Xlint:all', '-Werror', '-d', classes, `${EXAMPLES}java/FishClient.java`])
  expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' })
})
afterAll(() => rm(classes, { recursive: true }))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fish-queue-'))
  return () => rm(folder, { recursive: true })
})

async function startGame(settings: Record<string, string> = {}) {
  const service = await startService(SERVER_SCRIPT, settings)
  onTestFinished(async () => {
    await service.stop()
  })
  const player = await service.createPlayer('Alex')
  const names = async () => {
    const fish = (await service.read('fish', player)) as readonly { readonly name: string }[]
    return fish.map(({ name }) => name)
  }
  return { service, names, env: { FISH_URL: service.url, FISH_USER: player.name, FISH_PASSWORD: player.password } }
}

/** Returns a function that starts the client. The client's output fills `queued` and `stored`. */
function clientStarter(context: TestContext) {
  const { command, args } = need(
    context,
    java,
    'a JDK 17 or later is missing (Debian: apt install default-jdk-headless)',
  )
  const FISH_QUEUE = join(folder, 'queue.txt')
  return (env: Record<string, string>) => {
    const child = start(command, [...args, '-cp', classes, 'FishClient'], { FISH_QUEUE, ...env }, folder, 'pipe')
    if (!child.stdin || !child.stdout || !child.stderr) throw new Error('A child without pipes.')
    const { stdin, stdout, stderr } = child
    stdin.on('error', () => {}) // The client was killed.
    const queued: string[] = []
    const stored: string[] = []
    createInterface(stdout).on('line', (line) => {
      const name = /^Queued: .* a (\S+)!$/.exec(line)?.[1]
      if (name) queued.push(name)
      else stored.push(line)
    })
    const closed = once(child, 'close') as Promise<[number | null]>
    let log = ''
    stderr.setEncoding('utf8').on('data', (chunk) => {
      log += chunk
    })
    const end = async () => ({ status: (await closed)[0], log })
    return {
      queued,
      stored,
      log: () => log,
      catch: (names: readonly string[]) =>
        stdin.write(names.map((name) => `NICE CATCH! You caught a ${name}!\n`).join('')),
      finish() {
        stdin.end()
        return end()
      },
      kill() {
        child.kill('SIGKILL')
        return end()
      },
    }
  }
}

describe('the queue of the Java client', () => {
  it('stores each catch once and in order despite kills, an outage and the rate limit', async (context) => {
    const startClient = clientStarter(context)
    const { service, names, env } = await startGame({ FISH_RATE_LIMIT: '15', FISH_RATE_WINDOW: '1' })
    const queued: string[] = []
    const logs: string[] = []
    let caught = 0
    const catches = (count: number) => {
      caught += count
      return Array.from({ length: count }, (_, index) => `Fish${caught - count + index}`)
    }

    for (const killAfter of [1, 4, 9]) {
      const client = startClient(env)
      client.catch(catches(12))
      await expect.poll(() => client.stored.length, { interval: 2 }).toBeGreaterThanOrEqual(killAfter)
      client.catch(catches(12))
      logs.push((await client.kill()).log)
      queued.push(...client.queued)
    }
    await service.end()
    const offline = startClient(env)
    offline.catch(catches(5))
    await expect.poll(() => offline.queued.length).toBe(5)
    await expect.poll(offline.log).toMatch(/^No response from .* \(trying again in \S+ s\)$/m)
    logs.push((await offline.kill()).log)
    queued.push(...offline.queued)

    const last = startClient(env)
    last.catch(catches(5))
    await service.startAgain()
    const ended = await last.finish()
    queued.push(...last.queued)
    logs.push(ended.log)

    expect(ended.status).toBe(0)
    expect(logs.join('')).toMatch(/^429 .* \(trying again in 1\.0 s\)$/m)
    expect(logs.join('')).not.toContain(env.FISH_PASSWORD)
    const stored = await names()
    // If a kill hits between the write and the message, the queue contains a catch that the client did not report.
    expect(stored.filter((name) => queued.includes(name))).toEqual(queued)
    expect(stored).toEqual([...new Set(stored)].sort((a, b) => Number(a.slice(4)) - Number(b.slice(4))))
    expect(await readFile(join(folder, 'queue.txt'), 'utf8')).toBe('')
  })

  it('sends the same token again after a kill before the response, and ignores a half-written line', async (context) => {
    const startClient = clientStarter(context)
    const { service, names, env: direct } = await startGame()
    const relay = await startLossyRelay(service.url)
    onTestFinished(relay.stop)
    const env = { ...direct, FISH_URL: relay.url }
    const posts = () => relay.exchanges.filter(({ method }) => method === 'POST')

    const killed = startClient(env)
    killed.catch(['Salmon'])
    await expect.poll(posts, { interval: 2 }).toHaveLength(1)
    await killed.kill()
    await appendFile(join(folder, 'queue.txt'), '+ AAAA 17')
    expect(killed.stored).toEqual([])
    expect((await startClient(env).finish()).status).toBe(0)

    expect(posts()).toMatchObject([{ status: 201 }, { status: 200, replayed: true, body: posts()[0]?.body }])
    expect(await names()).toEqual(['Salmon'])
  })

  it('drops a rejected catch with the reason, but keeps all catches if the service rejects the player', async (context) => {
    const startClient = clientStarter(context)
    const { names, env } = await startGame()

    const refused = startClient({ ...env, FISH_PASSWORD: 'not the password' })
    refused.catch(['Salmon', 'x'.repeat(101), 'Koi'])
    expect(await refused.finish()).toEqual({
      status: 1,
      log: expect.stringMatching(
        /^401 invalid_credentials: .+ The catches stay in the queue until the next start\.\n$/,
      ),
    })
    const { status, log } = await startClient(env).finish()
    expect({ status, log }).toEqual({
      status: 0,
      log: expect.stringMatching(/^Dropped \{"fish":"x+","rarity":2\} in earth: 400 invalid_payload: .+\n$/),
    })
    expect(await names()).toEqual(['Salmon', 'Koi'])
  })
})
