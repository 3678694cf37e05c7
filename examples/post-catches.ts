/**
 * A mod that posts its catches: fetches the player's own key, then encrypts and posts a fish and a crab.
 *
 *   FISH_USER=Alex FISH_PASSWORD=secret node post-catches.ts
 *
 * Environment: FISH_URL (http://127.0.0.1:8787), FISH_GAMEMODE (earth), FISH_API_KEY (lifts the rate limit).
 */
import { type AddResult, createClient, FishCrabError, RateLimitError } from '@fish-crab/sdk'

const { FISH_URL, FISH_USER = '', FISH_PASSWORD = '', FISH_GAMEMODE = 'earth', FISH_API_KEY } = process.env

try {
  const connection = { baseUrl: FISH_URL, apiKey: FISH_API_KEY }
  const { fernetKey } = await createClient(connection).keys.get({ username: FISH_USER, password: FISH_PASSWORD })

  const client = createClient({
    ...connection,
    fernetKey,
    user: FISH_USER,
    gamemode: FISH_GAMEMODE,
    maxWaitMs: 5_000, // By default, a call waits up to an hour for the rate limit, which is too long for a game.
  })

  report(await client.fish.add({ name: 'Salmon', rarity: 'Gold' }))
  report(await client.crabs.add())
} catch (error) {
  if (!(error instanceof FishCrabError)) throw error
  process.exitCode = 1
  process.stderr.write(`${error.message}\n`)
  // The service stored nothing: keep the catch and post it after this time.
  if (error instanceof RateLimitError) process.stderr.write(`Try again at ${error.resetAt.toISOString()}.\n`)
}

function report({ message, id, replayed }: AddResult): void {
  process.stdout.write(`${message}, id ${id}${replayed ? ' (already stored; the first response was lost)' : ''}\n`)
}
