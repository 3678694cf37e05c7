/**
 * A reader that prints a player's whole collection. Reading needs no key and no password.
 *
 *   node print-collection.ts Alex earth
 *
 * Environment: FISH_URL (http://127.0.0.1:8787), FISH_API_KEY (lifts the rate limit).
 */
import { createClient, FishCrabError } from '@fish-crab/sdk'

const [user, gamemode = 'earth'] = process.argv.slice(2)

try {
  const client = createClient({
    baseUrl: process.env.FISH_URL,
    apiKey: process.env.FISH_API_KEY,
    user,
    gamemode, // createClient rejects an unknown gamemode.
  })
  const [{ fish }, { crab }] = await Promise.all([client.fish.list(), client.crabs.list()])

  const lines = [
    `${user} in ${gamemode}: ${fish.length} fish, ${crab.length} crab`,
    ...fish.map(({ name, rarity }) => `fish  ${rarity.padEnd(13)}  ${name}`),
    ...crab.map(({ name }) => `crab  ${' '.repeat(13)}  ${name}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} catch (error) {
  if (!(error instanceof FishCrabError)) throw error
  process.exitCode = 1
  process.stderr.write(`${error.message}\n`)
}
