import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock, type Mock } from '@fish-crab/mocks'
import type { Env } from '../harness.ts'
import { SECRETS } from './canaries.ts'
import type { StoppedStore } from './store.ts'

/** Where nobody listens. */
export const UNREACHABLE = 'http://127.0.0.1:1'

/** What one cell acts in: a service, and a machine of its own. */
export interface CellContext extends AsyncDisposable {
  readonly mock: Mock
  /** Where the service is. */
  readonly service: string
  /** Where the command looks for it. */
  readonly url: string
  /** The id of the fish that is there. */
  readonly record: string
  /** Everything that the command may write is in it. */
  readonly home: string
  readonly env: Env
  /** A store that a server has made, to be copied. */
  readonly store: () => Promise<StoppedStore>
}

const PLAYER = {
  name: 'Alex',
  password: SECRETS.password,
  fernetKey: SECRETS.fernetKey,
  apiKey: SECRETS.apiKey,
  fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] },
  crab: { earth: [{}] },
} as const

const SEED = {
  users: [PLAYER],
  admins: [
    { username: 'admin', password: SECRETS.adminPassword },
    { username: 'mia', password: SECRETS.adminPassword, role: 'admin' },
  ],
} as const

/** The variables that hold secrets. */
export const SECRET_VARIABLES = {
  FISH_PASSWORD: SECRETS.password,
  FISH_ADMIN_PASSWORD: SECRETS.adminPassword,
  FISH_NEW_ADMIN_PASSWORD: SECRETS.newAdminPassword,
  FISH_KEY: SECRETS.fernetKey,
  FISH_API_KEY: SECRETS.apiKey,
  FISH_MASTER_API_KEY: SECRETS.masterKey,
  FISH_JWT_SECRET: SECRETS.jwtSecret,
  FISH_SECRET: SECRETS.secret,
  FISH_SECRET_PREVIOUS: SECRETS.previousSecret,
} as const satisfies Env

/** What {@link openContext} takes. */
export interface ContextOptions {
  readonly store: CellContext['store']
  /** Whether commands look for the service where nobody is. @default false */
  readonly withoutServer?: boolean
}

export async function openContext({ store, withoutServer = false }: ContextOptions): Promise<CellContext> {
  const mock = await createMock({
    seed: SEED,
    keys: { master: SECRETS.masterKey },
    limits: { requests: 10_000, adminRequests: 10_000 },
  })
  const [{ url: service }, home] = await Promise.all([mock.serve(), mkdtemp(join(tmpdir(), 'fish-cli-matrix-'))])
  const detail = await mock.fetch('/get/fish?name=Alex&gamemode=earth&detail=full')
  const { fish } = (await detail.json()) as { fish: { id: string }[] }
  const folder = (name: string) => join(home, name)
  await mkdir(folder('work'))
  const url = withoutServer ? UNREACHABLE : service
  return {
    mock,
    service,
    url,
    record: fish[0]?.id ?? '',
    home,
    store,
    env: {
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
      ...SECRET_VARIABLES,
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}
