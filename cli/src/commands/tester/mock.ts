import { readFile } from 'node:fs/promises'
import { parseSeed, type Seed, SeedError, type SeededUser, startStandaloneMock } from '@fish-crab/mocks/standalone'
import { DEFAULT_BASE_URL, GAMEMODE_RULE, GAMEMODES, type Gamemode, isGamemode, LIMITS } from '@fish-crab/sdk/constants'
import { CliError, EXIT, usageError } from '../../core/errors.ts'
import { parseOrigin, parseWholeNumber } from '../../core/parse-values.ts'
import { parseTime } from '../../core/time.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { decodeTextFile } from '../../session/files.ts'
import { COPYABLE } from '../../terminal/terminal.ts'

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = new URL(DEFAULT_BASE_URL).port
const MOST = 1_000_000_000

export const mockCommand = defineCommand({
  summary: 'Run a mock of the service, for tests in any language.',
  description: [
    'The mock is the real server with data in memory: nothing is stored, and nothing is secret. When the mock is ' +
      'ready, the mock prints one line to stdout, and the seeded users with their keys to stderr. GET /__mock ' +
      'documents how to control the clock, inject faults, read the request history and reset the mock to the seed. ' +
      'The API key in FISH_MASTER_API_KEY (or _FILE) lifts the rate limit.',
    'A seed is a JSON file. If the seed omits a password or a key of a user, the mock generates one that is the same at every start. For example:',
    '{"users": [{"name": "Alex", "password": "...",\n"fish": {"earth": [{"name": "Cod", "rarity": 1}]}}],\n"admins": [{"username": "admin", "password": "..."}]}',
  ].join('\n\n'),
  examples: [
    'fish-cli mock',
    'fish-cli mock --port 0 --json',
    'fish-cli mock --seed players.json --start-at 2026-01-01T00:00:00Z',
    'fish-cli mock --rate-limit 3 --rate-window 10',
    'fish-cli mock --allowed-origins http://localhost:5173',
  ],
  flags: {
    host: Flags.string({
      summary: `Address to listen on, default ${DEFAULT_HOST}. Anyone who can reach this address can read all keys of the mock.`,
      helpValue: 'HOST',
    }),
    port: Flags.string({
      summary: `Port to listen on (default ${DEFAULT_PORT}); 0 takes any free port.`,
      helpValue: 'PORT',
    }),
    seed: Flags.string({ summary: 'JSON file with the initial users (default: one user, Alex).', helpValue: 'FILE' }),
    gamemodes: Flags.string({
      summary: `Comma-separated gamemodes (default ${GAMEMODES.join(', ')}).`,
      helpValue: 'NAME,...',
    }),
    'start-at': Flags.string({
      summary: 'Freeze the clock at this time, such as 2026-01-01T00:00:00Z, until a request advances the clock.',
      helpValue: 'WHEN',
    }),
    'rate-limit': Flags.string({
      summary: `Requests per client and window (default ${LIMITS.requests}).`,
      helpValue: 'N',
    }),
    'rate-window': Flags.string({
      summary: `Length of the window in seconds (default ${LIMITS.windowSeconds}).`,
      helpValue: 'SECONDS',
    }),
    'allowed-origins': Flags.string({
      summary: 'Comma-separated origins whose pages may post and are not rate limited (default: none).',
      helpValue: 'ORIGIN,...',
    }),
  },
  completion: { seed: { paths: 'files' } },

  async run({ session, terminal, flags }) {
    const { host = DEFAULT_HOST, json } = flags
    const port = parseWholeNumber('--port', flags.port ?? DEFAULT_PORT, 0, 65_535)
    const limits = {
      requests: parseWholeNumber('--rate-limit', flags['rate-limit'] ?? String(LIMITS.requests), 1, MOST),
      windowSeconds: parseWholeNumber('--rate-window', flags['rate-window'] ?? String(LIMITS.windowSeconds), 1, MOST),
    }
    // If the host is empty, Node listens on every interface.
    if (host.trim() === '') throw usageError('--host must be an address or a name, such as 127.0.0.1.')
    const startAt = startOf(flags['start-at'])
    const allowedOrigins = originsOf(flags['allowed-origins'])
    const gamemodes = gamemodesOf(flags.gamemodes)
    const stopRequested = session.system.stopRequests()
    const seed = flags.seed === undefined ? { users: [{ name: 'Alex' }] } : await readSeed(flags.seed, gamemodes)
    const masterApiKey = await session.secretFromEnv('FISH_MASTER_API_KEY')
    const options = {
      seed,
      gamemodes,
      limits,
      allowedOrigins,
      masterApiKey,
      host,
      port,
      ...(startAt ? { startAt } : {}),
    }
    const mock = await startStandaloneMock(options).catch((error: unknown) => {
      throw startError(error, host, port)
    })
    const { url, users, warnings } = mock
    terminal.say([...warnings, ...(json ? [] : introduction(url, users))], COPYABLE)
    terminal.printLine({ listening: url, users }, () => `listening on ${url}`)
    await stopRequested()
    await mock.close()
    return EXIT.ok
  },
})

function startOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (!Number.isNaN(time)) return new Date(time)
  throw usageError('--start-at must be an ISO 8601 time, such as 2026-01-01T00:00:00Z.')
}

function gamemodesOf(text: string | undefined): readonly Gamemode[] {
  if (text === undefined) return GAMEMODES
  const gamemodes = text.split(',').flatMap((part) => part.trim() || [])
  if (gamemodes.length > 0 && gamemodes.every(isGamemode)) return [...new Set(gamemodes)]
  throw usageError(`--gamemodes must be names of ${GAMEMODE_RULE}, separated by commas.`)
}

function originsOf(text = ''): string[] {
  const origins = text.split(',').flatMap((part) => part.trim() || [])
  for (const origin of origins) parseOrigin('--allowed-origins', origin)
  return origins
}

/** The keys are printed, because they work only on this mock. */
function introduction(url: string, users: readonly SeededUser[]): readonly string[] {
  const lines = users.map(
    ({ name, password, fernetKey, apiKey }) =>
      `${name}  password ${password}  Fernet key ${fernetKey}  API key ${apiKey}`,
  )
  const [first] = users
  const example = first
    ? [
        `Try: FISH_URL=${url} FISH_USER=${first.name} FISH_KEY=${first.fernetKey} FISH_GAMEMODE=earth fish-cli add Salmon -r gold`,
      ]
    : []
  return [...lines, ...example, `Control it: curl ${url}/__mock`]
}

/** An error with a `syscall` means that the mock cannot listen. Any other error means that the seed is invalid. */
function startError(error: unknown, host: string, port: number): CliError {
  const { syscall, code = '', message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return wrongSeed(message)
  const inUse = code === 'EADDRINUSE'
  return new CliError({
    code: 'start_failed',
    message: inUse
      ? `Port ${port} on ${host} is in use.`
      : `Cannot listen on ${host}, port ${port} (${code || message}).`,
    hint: `${inUse ? 'Stop the program that uses the port, or choose' : 'Choose'} another port with --port, or change --host.`,
    exit: inUse ? EXIT.conflict : EXIT.failure,
  })
}

/** Errors never quote values from the file, because the values may be passwords. */
async function readSeed(path: string, gamemodes: readonly Gamemode[]): Promise<Seed> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw wrongSeed(`The seed file cannot be read (${error.code ?? error.name}).`)
  })
  const text = decodeTextFile(bytes, path)
  try {
    return parseSeed(JSON.parse(text), gamemodes)
  } catch (error) {
    if (error instanceof SeedError) throw wrongSeed(`The seed file is invalid: ${error.message}`)
    throw wrongSeed('The seed file is not JSON.')
  }
}

function wrongSeed(message: string): CliError {
  return new CliError({ code: 'invalid_seed', message, exit: EXIT.usage })
}
