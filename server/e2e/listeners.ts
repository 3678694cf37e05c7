import { EVENT_STREAM } from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { newClient, plainFishPath, postToken, readFish, type Target, tokenOf } from './requests.ts'
import type { Shared } from './shared.ts'

const CATCHES = 1000
const LISTENERS = 20
/** The number of concurrent writers. */
const WRITERS = 4
/** The numbers of acknowledged catches after which a process is killed and replaced. */
const KILLS = [400, 600, 800]
/**
 * Maximum time from the acknowledgement of a catch to its event, in milliseconds, before the first kill. The maximum is
 * generous, since other tests use the same machine.
 */
const MAX_P99_MS = 5000

interface Listener {
  readonly names: string[]
  /** The arrival times of the events, by the name of the fish. */
  readonly times: Map<string, number>
  readonly done: Promise<void>
}

/**
 * Starts a listener that runs until all events have arrived. If a stream ends, the listener reconnects to the next
 * process.
 */
function listen(serverAt: (index: number) => Target, name: string, first: number, signal: AbortSignal): Listener {
  const names: string[] = []
  const times = new Map<string, number>()
  let lastEventId = ''

  async function readStream({ url }: Target): Promise<void> {
    const headers = { ...newClient(), [EVENT_STREAM.lastEventId]: lastEventId }
    const response = await fetch(`${url}/events?name=${name}&gamemode=earth&kind=fish`, { headers, signal })
    if (!response.ok || !response.body) throw new Error(`The stream was refused: ${response.status}`)
    let text = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
        lastEventId = fields.id ?? lastEventId
        if (fields.event !== 'catch') continue
        const fish = JSON.parse(fields.data).name as string
        names.push(fish)
        times.set(fish, performance.now())
      }
      if (names.length >= CATCHES) return
    }
  }

  async function run(): Promise<void> {
    for (let attempt = 0; names.length < CATCHES && !signal.aborted; attempt += 1) {
      await readStream(serverAt(first + attempt)).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return { names, times, done: run() }
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Tests event streams from all processes while some processes are killed. */
export function describeListeners({ fleet, chief, newUser }: Shared): void {
  test('event streams send each of 1,000 catches to 20 listeners once and in order while processes are killed and replaced', async () => {
    const user = await newUser()
    const ending = new AbortController()
    const serverAt = (index: number) => fleet().at(index)
    // Without an earlier catch, a listener has no event id to resume from, and would miss catches that are stored
    // before it connects.
    await chief().ask(serverAt(0), 'POST', plainFishPath(user.name), { fish: [{ name: 'before', rarity: 1 }] })
    const listeners = Array.from({ length: LISTENERS }, (_, index) => listen(serverAt, user.name, index, ending.signal))
    const open = async () => {
      const texts = await Promise.all(fleet().servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
      return texts.reduce((sum, text) => sum + Number(/^fish_event_streams (\d+)$/m.exec(text)?.[1]), 0)
    }
    await expect.poll(open, { timeout: 10_000 }).toBe(LISTENERS)

    const acknowledged = new Map<string, number>()
    const kills: Promise<void>[] = []
    let next = 0
    const write = async (): Promise<void> => {
      while (next < CATCHES) {
        const name = `fish ${next}`
        next += 1
        const token = await tokenOf(user, name)
        for (let attempt = next; !acknowledged.has(name); attempt += 1) {
          const response = await postToken(serverAt(attempt), user, token).catch(() => undefined)
          if (response?.status === 201 || response?.status === 200) acknowledged.set(name, performance.now())
        }
        if (KILLS.includes(acknowledged.size)) kills.push(fleet().replace(acknowledged.size / 200))
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
    await Promise.all(kills)
    expect(kills).toHaveLength(KILLS.length)
    await expect.poll(() => Math.min(...listeners.map(({ names }) => names.length)), { timeout: 30_000 }).toBe(CATCHES)
    ending.abort()
    await Promise.all(listeners.map(({ done }) => done))

    const { body } = await readFish(serverAt(0), user)
    const stored = body.fish.map(({ name }) => name).slice(1)
    expect(stored).toHaveLength(CATCHES)
    for (const { names } of listeners) expect(names).toEqual(stored)
    const undisturbed = [...acknowledged].slice(0, KILLS[0]).map(([name]) => name)
    const delays = (names: readonly string[]) =>
      listeners
        .flatMap(({ times }) => names.map((name) => (times.get(name) ?? 0) - (acknowledged.get(name) ?? 0)))
        .sort((one, other) => one - other)
    const [calm, all] = [delays(undisturbed), delays([...acknowledged.keys()])]
    const show = (sorted: readonly number[]) =>
      [0.5, 0.99, 1].map((share) => `${percentile(sorted, share).toFixed(1)} ms`).join(', ')
    process.stdout.write(`acknowledgement to event, p50, p99, max: ${show(calm)}; with kills: ${show(all)}\n`)
    expect(percentile(calm, 0.99)).toBeLessThan(MAX_P99_MS)
  }, 120_000)
}
