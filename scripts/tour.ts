import './from-sources.ts'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { CreatedUser } from '@fish-crab/sdk/contract'

// Static imports would be resolved before `from-sources.ts` runs.
const { createClient, NotFoundError } = await import('@fish-crab/sdk')
const { createAdminClient } = await import('@fish-crab/sdk/admin')
const { ROUTES } = await import('@fish-crab/sdk/contract')

// The tour of `npm run quickstart`, which runs from the sources: starts a server, creates a player, stores a fish and a
// crab, and lists both.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CLI = join(ROOT, 'cli', 'bin', 'dev.js')
const DATA = join(ROOT, 'data')
const NOTES = join(DATA, 'quickstart.json')
const KEY_FILE = join(DATA, 'quickstart.key')
const ADMIN = 'admin'
const PLAYER = 'Alex'
const GAMEMODE = 'earth'
const PORT = '8787'

interface Notes {
  readonly adminPassword: string
  readonly player?: CreatedUser
}

const { values: flags } = parseArgs({ options: { once: { type: 'boolean', default: false } } })

function say(line = ''): void {
  process.stdout.write(`${line}\n`)
}

function readNotes(): Notes {
  if (existsSync(NOTES)) return JSON.parse(readFileSync(NOTES, 'utf8')) as Notes
  if (existsSync(join(DATA, 'fish.db'))) {
    throw new Error(
      `${DATA} holds a collection that this tour did not make. Move it away, or use fish-cli on it directly.`,
    )
  }
  return keep({ adminPassword: randomBytes(18).toString('base64url') })
}

/** Stores the secrets for the next tour, in files that only the user can read. */
function keep(notes: Notes): Notes {
  mkdirSync(DATA, { recursive: true, mode: 0o700 })
  writeFileSync(`${NOTES}.new`, `${JSON.stringify(notes, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(`${NOTES}.new`, NOTES)
  if (notes.player) writeFileSync(KEY_FILE, `${notes.player.fernetKey}\n`, { mode: 0o600 })
  return notes
}

interface Server {
  readonly process: ChildProcess
  readonly url: string
  /** Shows all further output of the log. */
  showLog(): void
}

async function startServer(port: string, { adminPassword }: Notes): Promise<Server> {
  const child = spawn(process.execPath, [CLI, 'serve', '--port', port, '--storage', `file:${DATA}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FISH_ADMIN_USERNAME: ADMIN, FISH_ADMIN_PASSWORD: adminPassword },
  })
  let log = ''
  const gather = (data: Buffer) => {
    log += data
  }
  child.stderr.on('data', gather)
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', () => reject(new ServerEnded(log.trim())))
  })
  const listening = (async () => {
    for await (const line of createInterface(child.stdout)) {
      const url = /^listening on (.+)$/.exec(line)?.[1]
      if (url) return url
    }
    return ended
  })()
  ended.catch(() => {})
  const url = await Promise.race([listening, ended])
  return {
    process: child,
    url,
    showLog() {
      child.stderr.off('data', gather)
      child.stderr.pipe(process.stderr)
    },
  }
}

class ServerEnded extends Error {
  override readonly name = 'ServerEnded'
}

async function startSomewhere(notes: Notes): Promise<Server> {
  try {
    return await startServer(PORT, notes)
  } catch (error) {
    if (!(error instanceof ServerEnded) || !/port \d+ .*in use/.test(error.message)) throw error
    say(`Port ${PORT} is in use, so the server uses a free one.`)
    return startServer('0', notes)
  }
}

async function createPlayer(url: string, { adminPassword }: Notes): Promise<CreatedUser> {
  const admin = createAdminClient({ baseUrl: url, username: ADMIN, password: adminPassword })
  // Deletes the player of an interrupted tour, because the tour did not store the player's secrets.
  await admin.users.delete(PLAYER).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error
  })
  const { rateLimit: _, requestId: __, ...player } = await admin.users.create({ name: PLAYER })
  return player
}

async function stop(server: Server): Promise<void> {
  if (server.process.exitCode !== null || server.process.signalCode !== null) return
  const exited = new Promise<void>((resolve) => server.process.once('exit', () => resolve()))
  server.process.kill('SIGTERM')
  await exited
}

async function catchAndList(server: Server, notes: Notes): Promise<void> {
  const player = notes.player ?? (await createPlayer(server.url, notes))
  keep({ ...notes, player })
  say(notes.player ? `The player ${player.name} exists from an earlier run.` : `Created the player ${player.name}.`)

  const client = createClient({
    baseUrl: server.url,
    user: player.name,
    fernetKey: player.fernetKey,
    apiKey: player.apiKey,
    gamemode: GAMEMODE,
  })
  const fish = await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
  say(`Encrypted a fish and stored it: ${fish.message}.`)
  const crab = await client.crabs.add()
  say(`Encrypted a crab and stored it: ${crab.message}.`)

  const env = { ...process.env, FISH_URL: server.url, FISH_API_KEY: player.apiKey }
  for (const kind of ['fish', 'crabs']) {
    say()
    say(`$ fish-cli list ${kind} ${player.name} --gamemode ${GAMEMODE}`)
    execFileSync(process.execPath, [CLI, 'list', kind, player.name, '--gamemode', GAMEMODE], { stdio: 'inherit', env })
  }
}

function sayWhatNext(url: string): void {
  say()
  say(`The service runs at ${url} and stores everything in ${DATA}. In another terminal in this folder, try:`)
  say()
  say(`  export FISH_URL=${url} FISH_USER=${PLAYER} FISH_GAMEMODE=${GAMEMODE} FISH_KEY_FILE="${KEY_FILE}"`)
  say('  npx fish-cli add "Bronze Koi" --rarity bronze')
  say('  npx fish-cli add --crab')
  say('  npx fish-cli list fish')
  say(`  curl "${url}${ROUTES.getFish.path}?name=${PLAYER}&gamemode=${GAMEMODE}"`)
  say()
}

async function main(): Promise<void> {
  const notes = readNotes()
  const server = await startSomewhere(notes)
  try {
    say(`Started the server: ${server.url}`)
    await catchAndList(server, notes)
    if (flags.once) return
    sayWhatNext(server.url)
    say('Serving. Ctrl-C stops.')
    server.showLog()
    // Ctrl-C in the terminal also interrupts the server, so the tour does not forward SIGINT. A second SIGINT would end
    // the server before its files are closed.
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => server.process.kill('SIGTERM'))
    // The event 'close' may never occur, because the tour does not read the rest of the server's stdout.
    await new Promise((resolve) => server.process.once('exit', resolve))
  } finally {
    await stop(server)
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`quickstart: ${(error as Error).message}\n`)
  process.exitCode = 1
}
