import { createClient } from '@fish-crab/sdk'
import type { Tool } from '../../scripts/test-support/language-tools.ts'
import { startService } from './service.ts'

const SECRETS = {
  FISH_SECRET: 'an encryption secret of the tests',
  FISH_JWT_SECRET: 'a session secret of the tests, long enough',
}

/**
 * Starts the example of a host, stores a catch, opens an event stream, and reads the catches. If the storage is
 * persistent, restarts the host before the read. The first stop happens while the stream is open.
 * @returns the stored fish, the number of remaining requests of the client's address, and the exit status of the host
 */
export async function tryHost(script: string, settings: Record<string, string> = {}, runtime?: Tool) {
  const service = await startService([script], { ...SECRETS, ...settings }, runtime)
  try {
    const { name, fernetKey } = await service.createPlayer('Alex')
    const client = createClient({ baseUrl: service.url, user: name, gamemode: 'earth', fernetKey })
    await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
    const events = await fetch(`${service.url}/events?name=Alex&gamemode=earth`)
    const remaining = events.headers.get('x-ratelimit-remaining')
    if (settings.FISH_STORAGE !== 'memory:') {
      await service.end()
      await service.startAgain()
    }
    const { fish } = await client.fish.list()
    const { status } = await service.end()
    await events.body?.cancel().catch(() => {})
    return { fish, remaining, status }
  } finally {
    await service.stop()
  }
}

/** The result that {@link tryHost} must return for every host. */
export const EXPECTED = { fish: [{ name: 'Salmon', rarity: 'Gold' }], remaining: '23', status: 0 }
