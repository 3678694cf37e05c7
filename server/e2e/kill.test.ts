import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreatedUser, FishCollection } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { expect, it } from 'vitest'
import { createUser, type ServerProcess, startServerProcess } from '../../scripts/test-support/server-process.ts'

const ROUNDS = 8
const CLIENTS = 16

interface Sent {
  readonly name: string
  readonly token: string
}

/** Sends a token; the record's id once it is acknowledged, `undefined` when no response came. */
async function send({ url }: ServerProcess, user: CreatedUser, { token }: Sent): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/post/fish?name=${user.name}`, {
      method: 'POST',
      body: token,
      headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', 'x-api-key': user.apiKey },
    })
    const { id } = (await response.json()) as { id: string }
    expect([200, 201]).toContain(response.status)
    return id
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

it('keeps every acknowledged catch exactly once through 8 kills under load', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fish-kill-'))
  const env = { FISH_STORAGE: `file:${folder}` }
  const acknowledged = new Map<string, string>()
  let unanswered: Sent[] = []
  let made = 0
  let server = await startServerProcess(env)
  const user = await createUser(server.url, 'Alex')
  const fernet = createFernet(user.fernetKey)
  const make = async (): Promise<Sent> => {
    made += 1
    const name = `fish ${made}`
    return { name, token: await fernet.encrypt(JSON.stringify({ fish: name, rarity: 1 })) }
  }

  for (let round = 1; round <= ROUNDS; round += 1) {
    const running = server
    const killAt = acknowledged.size + 20 + Math.floor(Math.random() * 200)
    const lost: Sent[] = []
    let killed: Promise<unknown> | undefined
    const client = async () => {
      while (!killed) {
        // What the last kill left unanswered is sent again, the same bytes: stored or not, it must end up there once.
        const sent = unanswered.pop() ?? (await make())
        const id = await send(running, user, sent)
        if (id === undefined) lost.push(sent)
        else acknowledged.set(sent.name, id)
        if (acknowledged.size >= killAt) killed ??= running.end('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    await killed
    unanswered = [...unanswered, ...lost]
    server = await startServerProcess(env)
  }
  for (const sent of unanswered) {
    const id = await send(server, user, sent)
    if (id !== undefined) acknowledged.set(sent.name, id)
  }

  const response = await fetch(`${server.url}/get/fish?name=Alex&gamemode=earth&detail=full`, {
    headers: { 'x-api-key': user.apiKey },
  })
  const { fish } = (await response.json()) as FishCollection
  expect(await server.end('SIGTERM')).toBe(0)
  await rm(folder, { recursive: true })

  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * 20)
  expect(fish).toHaveLength(made)
  expect(new Map(fish.map(({ name, id }) => [name, id]))).toEqual(acknowledged)
})
