import { readFile } from 'node:fs/promises'
import { parseSeed, type Seed, SeedError, type SeededUser, startStandaloneMock } from '@fish-crab/mocks/standalone'
import { DEFAULT_BASE_URL, LIMITS } from '@fish-crab/sdk/constants'
import { CliError, EXIT, usageError } from '../core/errors.ts'
import { printable } from '../output/text.ts'
import { defineCommand, Flags } from './define.ts'
import { parseOrigin, parseWholeNumber } from './parse-values.ts'

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = new URL(DEFAULT_BASE_URL).port
const MOST = 1_000_000_000

/** `fish-cli mock` */
export const mockCommand = defineCommand({
  summary: 'Run a mock of the service, for tests in any language.',
  description: [
    'It is the very program that serves, on memory: nothing is kept, and nothing in it is secret. stdout gets one ' +
      'line when it is ready; the seeded users and their keys go to stderr. GET /__mock tells how to steer it: the ' +
      'clock, faults, the journal of requests, and back to the seed.',
    'A seed is a JSON file; keys that it does not give are the same at every start:',
    '{"users": [{"name": "Alex", "password": "…",\n"fish": {"earth": [{"name": "Cod", "rarity": 1}]}}],\n"admins": [{"username": "admin", "password": "…"}]}',
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
      summary: `Address to listen on; ${DEFAULT_HOST} when left out. Whoever reaches it can read all keys of the mock.`,
      helpValue: 'HOST',
    }),
    port: Flags.string({
      summary: `Port to listen on; ${DEFAULT_PORT} when left out, 0 takes any free one.`,
      helpValue: 'PORT',
    }),
    seed: Flags.string({
      summary: 'JSON file with the users to start with; else there is one, Alex.',
      helpValue: 'FILE',
    }),
    'start-at': Flags.string({
      summary:
        'Let the clock stand still at this moment, such as 2026-01-01T00:00:00Z, until it is steered; else it goes on.',
      helpValue: 'WHEN',
    }),
    'rate-limit': Flags.string({
      summary: `Requests per client and window; ${LIMITS.requests} when left out.`,
      helpValue: 'N',
    }),
    'rate-window': Flags.string({
      summary: `Length of the window, in seconds; ${LIMITS.windowSeconds} when left out.`,
      helpValue: 'SECONDS',
    }),
    'allowed-origins': Flags.string({
      summary: 'Origins whose pages may post and are not limited, separated by commas; none when left out.',
      helpValue: 'ORIGIN,…',
    }),
  },
  completion: { seed: { paths: 'files' } },

  async run(context) {
    const { flags } = context
    const { host = DEFAULT_HOST, json } = flags
    const port = parseWholeNumber('--port', flags.port ?? DEFAULT_PORT, 0, 65_535)
    const limits = {
      requests: parseWholeNumber('--rate-limit', flags['rate-limit'] ?? String(LIMITS.requests), 1, MOST),
      windowSeconds: parseWholeNumber('--rate-window', flags['rate-window'] ?? String(LIMITS.windowSeconds), 1, MOST),
    }
    // Node would take an empty one for every interface.
    if (host.trim() === '') throw usageError('--host must be an address or a name, such as 127.0.0.1.')
    const startAt = startOf(flags['start-at'])
    const allowedOrigins = originsOf(flags['allowed-origins'])
    const stopRequested = context.stopRequests()
    const seed = flags.seed === undefined ? DEFAULT_SEED : await readSeed(flags.seed)
    const options = { seed, limits, allowedOrigins, host, port, ...(startAt ? { startAt } : {}) }
    const mock = await startStandaloneMock(options).catch((error: unknown) => {
      throw startFailure(error, host, port)
    })
    const { url, users, warnings } = mock
    for (const warning of warnings) context.stderr.write(`${warning}\n`)
    if (!json) context.stderr.write(introduction(url, users))
    context.stdout.write(json ? `${JSON.stringify({ listening: url, users })}\n` : `listening on ${url}\n`)
    await stopRequested()
    await mock.close()
    return EXIT.ok
  },
})

function startOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(moment.getTime())) return moment
  throw usageError('--start-at must be a moment in ISO 8601, such as 2026-01-01T00:00:00Z.')
}

function originsOf(text = ''): string[] {
  const origins = text.split(',').flatMap((part) => part.trim() || [])
  for (const origin of origins) parseOrigin('--allowed-origins', origin)
  return origins
}

/** How to use a mock. Its keys are shown: they open nothing else. */
function introduction(url: string, users: readonly SeededUser[]): string {
  const lines = users.map(
    ({ name, password, fernetKey, apiKey }) =>
      `${name}  password ${password}  Fernet key ${fernetKey}  API key ${apiKey}`,
  )
  const [first] = users
  const example = first
    ? [`Try: FISH_URL=${url} FISH_USER=${first.name} FISH_KEY=${first.fernetKey} fish-cli add Salmon -r gold -g earth`]
    : []
  return [...lines, ...example, `Steer it: curl ${url}/__mock`].map((line) => `${printable(line)}\n`).join('')
}

/** Node names what kept it from listening by a code of the system; all else is what the service refused of the seed. */
function startFailure(error: unknown, host: string, port: number): CliError {
  const { syscall, code = '', message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return wrongSeed(message)
  const [what, hint] = START_FAILURES[code]?.(host, port) ?? [
    `The mock could not start: ${message}.`,
    'See: fish-cli mock --help',
  ]
  return new CliError({ code: 'start_failed', message: what, hint, exit: EXIT.failure })
}

const START_FAILURES: Readonly<Record<string, (host: string, port: number) => readonly [string, string]>> = {
  EADDRINUSE: (host, port) => [
    `Port ${port} on ${host} is in use.`,
    'Stop what listens there, or choose another with --port.',
  ],
  EACCES: (host, port) => [`Port ${port} on ${host} may not be used.`, 'Choose one above 1023 with --port.'],
  EADDRNOTAVAIL: (host) => [`${host} is not an address of this machine.`, 'Change --host.'],
  ENOTFOUND: (host) => [`${host} is not an address of this machine.`, 'Change --host.'],
}

/** What a mock starts with when nothing else is said. */
const DEFAULT_SEED: Seed = { users: [{ name: 'Alex' }] }

/** Reads the file of `--seed`. Values in it are never repeated: there may be passwords among them. */
async function readSeed(path: string): Promise<Seed> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw wrongSeed(`The seed file cannot be read (${error.code ?? error.name}).`)
  })
  try {
    return parseSeed(JSON.parse(text))
  } catch (error) {
    if (error instanceof SeedError) throw wrongSeed(`The seed file is not of the expected form: ${error.message}.`)
    throw wrongSeed('The seed file is not JSON.')
  }
}

/** The failure of a seed, with what is wrong with it. */
function wrongSeed(message: string): CliError {
  return new CliError({ code: 'invalid_seed', message, exit: EXIT.usage })
}
