import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createMock, type HistoryEntry, type Mock } from '@fish-crab/mocks'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { writeProfiles } from '../folders.ts'
import { type Env, type RunOptions, type RunResult, run } from '../harness.ts'
import { SECRETS, type SecretName, tracesIn } from './canaries.ts'
import type { Stores } from './store.ts'

/** A mock service, and a home folder for all files that a command may write. */
export interface Machine extends AsyncDisposable {
  readonly mock: Mock
  readonly url: string
  readonly home: string
  readonly env: Env
  /** The id of the stored fish. */
  readonly record: string
  /** The id of the invitation of the setup `invitation`. */
  invitation: string
  readonly stores: Stores
}

const SEED = {
  users: [
    {
      name: 'Alex',
      password: SECRETS.password,
      fernetKey: SECRETS.fernetKey,
      apiKey: SECRETS.apiKey,
      fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] },
      crab: { earth: [{}] },
    },
  ],
  admins: [
    { username: 'admin', password: SECRETS.adminPassword },
    { username: 'mia', password: SECRETS.adminPassword, role: 'admin' },
  ],
} as const

/** The variables that hold secrets of accounts. */
export const ACCOUNTS = {
  FISH_PASSWORD: SECRETS.password,
  FISH_ADMIN_PASSWORD: SECRETS.adminPassword,
  FISH_NEW_PASSWORD: SECRETS.newAdminPassword,
  FISH_KEY: SECRETS.fernetKey,
  FISH_API_KEY: SECRETS.apiKey,
} as const satisfies Env

const LOG = `[09:00:00] [main/INFO]: Setting user: Alex
[09:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon with a length of 31.5cm.
`
const SECRETS_FILE = 'state/fish-crab/secrets.json'

export async function openMachine(stores: Stores): Promise<Machine> {
  const limits = { requests: 10_000, adminRequests: 10_000 }
  const mock = await createMock({
    seed: SEED,
    publicUrl: 'https://fish.example.org',
    keys: { master: SECRETS.masterKey },
    limits,
  })
  const [{ url }, home] = await Promise.all([mock.serve(), mkdtemp(join(tmpdir(), 'fish-cli-matrix-'))])
  const folder = (name: string) => join(home, name)
  await mkdir(folder('work'))
  const { fish } = (await (await mock.fetch('/get/fish?name=Alex&gamemode=earth&detail=full')).json()) as {
    readonly fish: readonly { readonly id: string }[]
  }
  const env = {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: folder('config'),
    XDG_STATE_HOME: folder('state'),
    XDG_DATA_HOME: folder('share'),
    XDG_CACHE_HOME: folder('cache'),
    FISH_SECRET_STORE: 'file',
    FISH_URL: url,
    FISH_MAX_WAIT: '0',
    FISH_USER: 'Alex',
    FISH_GAMEMODE: 'earth',
    FISH_PORT: '0',
    FISH_STORAGE: `file:${folder('data')}`,
    ...ACCOUNTS,
    FISH_MASTER_API_KEY: SECRETS.masterKey,
    FISH_JWT_SECRET: SECRETS.jwtSecret,
    FISH_SECRET: SECRETS.secret,
    FISH_SECRET_PREVIOUS: SECRETS.previousSecret,
  }
  return {
    mock,
    url,
    home,
    env,
    record: fish[0]?.id ?? '',
    invitation: '',
    stores,
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const done = async ({ env }: Machine, argv: readonly string[], more: Env = {}, expected = 0) => {
  const { status, stderr } = await run(argv, { env: { ...env, ...more } })
  if (status !== expected) throw new Error(`The setup "${argv.join(' ')}" ended with ${status}: ${stderr}`)
}

async function leaveInOutbox(machine: Machine, fault: 'reset' | { status: 400 }, exit: number): Promise<void> {
  await SETUPS.catches(machine)
  using _ = machine.mock.fail(fault, { times: Number.POSITIVE_INFINITY, on: 'postFish' })
  await done(machine, ['add', '--file', join(machine.home, 'catches.csv')], {}, exit)
}

const SETUPS = {
  login: (machine: Machine) => done(machine, ['login', 'Alex', '--with-api-key']),
  session: (machine: Machine) => done(machine, ['login', 'admin', '--admin']),
  profile: ({ home, url }: Machine) => writeProfiles(home, { home: { url, user: 'Alex' } }),
  catches: ({ home }: Machine) => writeFile(join(home, 'catches.csv'), 'name,rarity\nSalmon,3\n'),
  async invitation(machine: Machine) {
    const { origin: baseUrl, fetch } = machine.mock
    const admin = createAdminClient({ baseUrl, fetch, username: 'admin', password: SECRETS.adminPassword })
    machine.invitation = (await admin.invitations.create({ uses: 1 })).id
  },
  players: ({ home }: Machine) => writeFile(join(home, 'players.csv'), 'name\nBella\n'),
  log: ({ home }: Machine) => writeFile(join(home, 'latest.log'), LOG),
  added: (machine: Machine) => done(machine, ['add', 'Salmon', '-r', '3']),
  queued: (machine: Machine) => leaveInOutbox(machine, 'reset', 69),
  rejected: (machine: Machine) => leaveInOutbox(machine, { status: 400 }, 7),
  store: async ({ home, stores }: Machine) =>
    cp((await stores.store()).folder, join(home, 'data'), { recursive: true }),
  async backup(machine: Machine) {
    const { folder } = await machine.stores.store()
    await done(machine, ['backup', join(machine.home, 'copy'), '--storage', `file:${folder}`])
  },
  dump: ({ home }: Machine) => {
    const user = { _id: 1, id: 'u-1', name: 'Alex', userPassword: SECRETS.password, fernetKey: SECRETS.fernetKey }
    return writeFile(join(home, 'users.json'), `${JSON.stringify(user)}\n`)
  },
  /** An invalid configuration that contains secrets by mistake. */
  async 'broken config'(machine: Machine) {
    await SETUPS.profile(machine)
    const profiles = { [SECRETS.password]: SECRETS.apiKey }
    const document = { version: 1, current: SECRETS.fernetKey, profiles, settings: { gamemode: SECRETS.secret } }
    await writeFile(join(machine.home, 'config', 'fish-crab', 'config.json'), JSON.stringify(document))
  },
  async 'broken secrets'({ home }: Machine) {
    const path = join(home, SECRETS_FILE)
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, -20))
  },
  'open secrets': ({ home }: Machine) => chmod(join(home, SECRETS_FILE), 0o644),
}

/** The name of a state in which a command line starts. */
export type Setup = keyof typeof SETUPS

export async function setUp(machine: Machine, setups: readonly Setup[] = []): Promise<void> {
  for (const setup of setups) await SETUPS[setup](machine)
}

/** Copies the logins of a machine to another machine. */
export async function copyLogins(from: Machine, to: Machine): Promise<void> {
  for (const name of ['config/fish-crab', 'state/fish-crab']) {
    await cp(join(from.home, name), join(to.home, name), { recursive: true })
    for (const file of (await readdir(join(to.home, name))).filter((each) => each.endsWith('.json'))) {
      const path = join(to.home, name, file)
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from.url, to.url))
    }
  }
}

/** Further conditions of a run. */
export interface Conditions {
  readonly env?: Env | undefined
  readonly how?: RunOptions
  /** Secrets that the command prints on request. */
  readonly shows?: readonly (SecretName | 'new')[] | undefined
}

export interface Result extends RunResult {
  /** The routes that received a request, sorted. */
  readonly requested: readonly string[]
  /** Files that are new or changed. */
  readonly changed: readonly string[]
  /** Each secret that was found, and its location. */
  readonly traces: readonly string[]
}

/**
 * Runs a command line and looks for secrets in its output, in the files that it wrote and in the addresses of its
 * requests. `{home}`, `{url}`, `{port}`, `{record}` and `{invitation}` are replaced by the values of the machine.
 */
export async function runOn(
  machine: Machine,
  argv: readonly string[],
  { env, how, shows = [] }: Conditions = {},
): Promise<Result> {
  const { mock, home, url, record, invitation, stores } = machine
  const fill = (text: string) =>
    text
      .replaceAll('{record}', record)
      .replaceAll('{invitation}', invitation)
      .replaceAll('{home}', home)
      .replaceAll('{url}', url)
      .replaceAll('{port}', new URL(url).port)
  const [before, sent] = [await filesIn(home), mock.requests.length]
  const result = await run(argv.map(fill), { ...how, env: { ...machine.env, ...env } })
  const requests = mock.requests.slice(sent)
  const changed = [...(await filesIn(home))].filter(([name, text]) => before.get(name) !== text)
  // The command `mock` prints its keys, which are not secret.
  const printed = argv[0] === 'mock' ? (['new'] as const) : []
  return {
    ...result,
    requested: [...new Set(requests.map((request) => `${request.route}`))].toSorted(),
    changed: changed.map(([name]) => name),
    traces: [
      ...stores.made.flatMap((secret) =>
        [result.stdout, result.stderr, ...changed.map(([, text]) => text)].some((text) => text.includes(secret))
          ? ['a secret of the store']
          : [],
      ),
      ...tracesIn(result.stdout, [...shows, ...printed]).map((name) => `${name} on stdout`),
      ...tracesIn(result.stderr, printed).map((name) => `${name} on stderr`),
      ...changed.flatMap(([name, text]) => tracesIn(text, allowedIn(name)).map((trace) => `${trace} in ${name}`)),
      ...requests.flatMap(tracesInAddress),
    ],
  }
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const read = files.map(
    async (path) => [relative(folder, path), await readFile(path, 'latin1').catch(() => '')] as const,
  )
  return new Map(await Promise.all(read))
}

/** Keys and sessions are only in the secrets file, and the requested secret is only in the file of `--out` or a login file. */
function allowedIn(name: string): readonly (SecretName | 'new')[] {
  if (name === SECRETS_FILE) return ['fernetKey', 'apiKey', 'new']
  if (name === 'secret-file' || name.startsWith('logins')) return ['fernetKey', 'new']
  return /\.(db|jsonl)(-\w+)?$/.test(name) ? ['new'] : []
}

/** The history redacts known secrets, so a redaction is also the trace of a secret. */
function tracesInAddress({ path, query }: HistoryEntry): readonly string[] {
  const address = `${path}?${JSON.stringify(query)}`
  const found = [...tracesIn(address), ...tracesIn(decodeURIComponent(path))]
  return [...found, ...(address.includes('[redacted]') ? ['a secret'] : [])].map((name) => `${name} in an address`)
}
