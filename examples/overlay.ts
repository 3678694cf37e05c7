/**
 * An overlay for a stream: writes a text file with the catches of a player since the start of this program. In OBS, add
 * a source "Text", and choose "Read from file" and the text file. Watching needs no key and no password.
 *
 *   node overlay.ts Alex earth
 *
 * Environment: FISH_URL (http://127.0.0.1:8787), OVERLAY_FILE (overlay.txt).
 */
import { writeFileSync } from 'node:fs'
import { createClient, type FishCrabError } from '@fish-crab/sdk'

const LATEST = 5

const { FISH_URL, OVERLAY_FILE = 'overlay.txt' } = process.env
const [user, gamemode = 'earth'] = process.argv.slice(2)
const stopping = new AbortController()
const { signal } = stopping
process.once('SIGINT', () => stopping.abort()).once('SIGTERM', () => stopping.abort())

const counts = { fish: 0, crab: 0 }
const latest: string[] = []

try {
  const client = createClient({ baseUrl: FISH_URL, user, gamemode })
  const onConnect = () => {
    show()
    process.stdout.write(`Watching ${user} in ${gamemode}.\n`)
  }
  const onDisconnect = ({ message }: FishCrabError) => process.stderr.write(`${message} Trying again.\n`)
  for await (const entry of client.watch({ signal, onConnect, onDisconnect })) {
    counts[entry.kind] += 1
    latest.unshift(entry.kind === 'fish' ? `${entry.name} (${entry.rarity})` : 'a crab')
    latest.splice(LATEST)
    show()
  }
} catch (error) {
  if (!signal.aborted) {
    process.exitCode = 1
    process.stderr.write(`${(error as Error).message}\n`)
  }
}

function show(): void {
  const lines = [`Fish: ${counts.fish}  Crabs: ${counts.crab}`, ...latest]
  writeFileSync(OVERLAY_FILE, `${lines.join('\n')}\n`)
}
