// The tour of `npm run quickstart`, which runs from the sources: starts a server, creates a player, stores a fish and a
// crab, and lists both.
import './from-sources.ts'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Static imports would be resolved before `from-sources.ts` runs.
const { ConflictError, createClient } = await import('@fish-crab/sdk')
const { createAdminClient } = await import('@fish-crab/sdk/admin')
const { createLogger, readConfig, startServer } = await import('@fish-crab/server')

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CLI = join(ROOT, 'cli', 'bin', 'dev.js')
const DATA = join(ROOT, 'data')
const PASSWORD_FILE = join(DATA, 'quickstart.password')
const KEY_FILE = join(DATA, 'quickstart.key')
const PLAYER = 'Alex'
const GAMEMODE = 'earth'

const print = (line = '') => process.stdout.write(`${line}\n`)

/** Stores the administrator's password for later tours, in a file that only the user can read. */
function adminPassword(): string {
  if (!existsSync(PASSWORD_FILE)) {
    if (existsSync(join(DATA, 'fish.db'))) throw new Error(`${DATA} contains another collection. Move it away.`)
    mkdirSync(DATA, { recursive: true, mode: 0o700 })
    writeFileSync(PASSWORD_FILE, randomBytes(18).toString('base64url'), { mode: 0o600 })
  }
  return readFileSync(PASSWORD_FILE, 'utf8')
}

async function takeTour(): Promise<void> {
  const password = adminPassword()
  const env = { ...process.env, FISH_STORAGE: `file:${DATA}`, FISH_ADMIN_PASSWORD: password }
  const logger = createLogger('silent', { stream: process.stderr, colours: false })
  const server = await startServer(readConfig({ env }), { logger, version: '0' })
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  try {
    print(`Started the server: ${server.url}`)
    await catchAndList(server.url, password)
    printNextSteps(server.url)
    await stopped
  } finally {
    await server.close()
  }
}

async function catchAndList(url: string, password: string): Promise<void> {
  const admin = createAdminClient({ baseUrl: url, username: 'admin', password })
  await admin.users.create({ name: PLAYER }).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error
    print(`The player ${PLAYER} exists from an earlier run.`)
  })
  const { fernetKey } = await admin.keys.get(PLAYER)
  writeFileSync(KEY_FILE, fernetKey, { mode: 0o600 })

  const client = createClient({ baseUrl: url, user: PLAYER, fernetKey, gamemode: GAMEMODE })
  const fish = await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
  print(`Encrypted a fish and stored it: ${fish.message}.`)
  const crab = await client.crabs.add()
  print(`Encrypted a crab and stored it: ${crab.message}.`)
  for (const kind of ['fish', 'crabs']) {
    const argv = ['list', kind, PLAYER, '--gamemode', GAMEMODE]
    print(`\n$ fish-cli ${argv.join(' ')}`)
    const list = spawn(process.execPath, [CLI, ...argv], { stdio: 'inherit', env: { ...process.env, FISH_URL: url } })
    await once(list, 'close')
  }
}

function printNextSteps(url: string): void {
  print(`
The service runs at ${url} and stores everything in ${DATA}. In another terminal in this folder, try:

  export FISH_URL=${url} FISH_USER=${PLAYER} FISH_GAMEMODE=${GAMEMODE} FISH_KEY_FILE="${KEY_FILE}"
  npx fish-cli add "Bronze Koi" --rarity bronze
  npx fish-cli add --crab
  npx fish-cli list fish
  curl "${url}/get/fish?name=${PLAYER}&gamemode=${GAMEMODE}"

Serving. Ctrl-C stops.`)
}

try {
  await takeTour()
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  const hint = code === 'EADDRINUSE' ? '. Choose another port: FISH_PORT=0 npm run quickstart' : ''
  process.stderr.write(`quickstart: ${message}${hint}\n`)
  process.exitCode = 1
}
