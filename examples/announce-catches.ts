/**
 * Posts each new catch of a player to a chat through a webhook that accepts `{ "content": … }`, such as Discord's.
 * After a restart, the program continues after the last announced catch. Watching needs no key and no password.
 *
 *   WEBHOOK_URL=https://discord.com/api/webhooks/… node announce-catches.ts Alex earth
 *
 * Environment: FISH_URL (http://127.0.0.1:8787), STATE_FILE (announced.txt: the last catch that was announced).
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type CaughtEntry, createClient, type FishCrabError } from '@fish-crab/sdk'

const { FISH_URL, WEBHOOK_URL = '', STATE_FILE = 'announced.txt' } = process.env
const [user, gamemode = 'earth'] = process.argv.slice(2)
const stopping = new AbortController()
const { signal } = stopping
process.once('SIGINT', () => stopping.abort()).once('SIGTERM', () => stopping.abort())

try {
  const client = createClient({ baseUrl: FISH_URL, user, gamemode })
  const onConnect = () => process.stdout.write(`Watching ${user} in ${gamemode}.\n`)
  const onDisconnect = ({ message }: FishCrabError) => process.stderr.write(`${message} Trying again.\n`)
  for await (const entry of client.watch({ since: readState(), signal, onConnect, onDisconnect })) {
    await announce(entry)
    // The id is stored after the post. A kill between the two repeats an announcement, but never skips a catch.
    writeState(entry.eventId)
  }
} catch (error) {
  if (!signal.aborted) {
    process.exitCode = 1
    process.stderr.write(`${(error as Error).message}\n`)
  }
}

/** Posts the catch until the webhook accepts the text. Between attempts, waits as long as the webhook requests. */
async function announce(entry: CaughtEntry): Promise<void> {
  const what = entry.kind === 'fish' ? `${entry.name} (${entry.rarity})` : 'a crab'
  const body = JSON.stringify({
    content: `${user} has caught ${what.replace(/[\\*_~`|<>@#]/g, '\\$&')}!`,
    allowed_mentions: { parse: [] }, // A fish may be called @everyone.
  })
  for (let seconds = 1; ; seconds = Math.min(2 * seconds, 60)) {
    const response = await fetch(WEBHOOK_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      process.stderr.write(`The webhook does not respond (${(error as Error).message}).\n`)
    })
    if (response?.ok) return
    await response?.body?.cancel()
    if (response && response.status < 500 && response.status !== 429) {
      throw new Error(`The webhook responds with ${response.status}: check WEBHOOK_URL.`)
    }
    await wait(1000 * Number(response?.headers.get('retry-after') ?? seconds), undefined, { signal })
  }
}

function readState(): string | undefined {
  try {
    return readFileSync(STATE_FILE, 'utf8')
  } catch {
    return undefined // The first run begins with the next catch.
  }
}

/** Replaces the whole file at once, so that a kill never leaves a half-written file. */
function writeState(eventId: string): void {
  writeFileSync(`${STATE_FILE}.new`, eventId)
  renameSync(`${STATE_FILE}.new`, STATE_FILE)
}
