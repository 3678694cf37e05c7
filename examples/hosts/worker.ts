/**
 * The service as a Cloudflare Worker. One Durable Object stores all data in its SQLite database (sql-driver.ts).
 *
 *   npm install --save-dev wrangler
 *   npx wrangler secret put FISH_SECRET          (at least 32 random characters; keep it: it decrypts the players' keys)
 *   npx wrangler secret put FISH_JWT_SECRET      (at least 32 other random characters)
 *   npx wrangler secret put FISH_ADMIN_PASSWORD  (of `admin`, at the first start)
 *   npx wrangler deploy --config hosts/wrangler.json
 */
import { type App, createApp, type PasswordHasher } from '@fish-crab/server/app'
import { wrapDriver } from '@fish-crab/server/storage'
import { createSqlDriver, type SqlDatabase } from './sql-driver.ts'

interface Env {
  readonly SERVICE: {
    idFromName(name: string): object
    get(id: object): { fetch(request: Request): Promise<Response> }
  }
  readonly FISH_SECRET: string
  readonly FISH_JWT_SECRET: string
  readonly FISH_ADMIN_PASSWORD?: string
}

/** The parts of `DurableObjectState` that this Worker uses. */
interface State {
  readonly storage: {
    readonly sql: { exec(...query: Parameters<SqlDatabase['exec']>): { toArray(): ReturnType<SqlDatabase['exec']> } }
    transactionSync<Result>(run: () => Result): Result
  }
  blockConcurrencyWhile<Result>(run: () => Promise<Result>): Promise<Result>
}

export default {
  fetch: (request: Request, { SERVICE }: Env) => SERVICE.get(SERVICE.idFromName('service')).fetch(request),
}

export class Service {
  readonly #app: Promise<App>

  constructor(state: State, env: Env) {
    this.#app = state.blockConcurrencyWhile(() => startApp(state, env))
  }

  async fetch(request: Request): Promise<Response> {
    return (await this.#app).fetch(request, { address: request.headers.get('cf-connecting-ip') ?? undefined })
  }
}

async function startApp({ storage }: State, env: Env): Promise<App> {
  const database: SqlDatabase = {
    exec: (...query) => storage.sql.exec(...query).toArray(),
    transaction: (run) => storage.transactionSync(run),
  }
  const app = createApp({
    storage: wrapDriver(createSqlDriver(database)),
    secrets: { encryption: env.FISH_SECRET, session: env.FISH_JWT_SECRET },
    passwords,
    version: '1.0.0',
  })
  await app.checkSecrets()
  if (env.FISH_ADMIN_PASSWORD && !(await app.admins.exist())) {
    await app.admins.create('admin', env.FISH_ADMIN_PASSWORD, 'superadmin')
  }
  return app
}

// Cloudflare allows at most this many rounds of PBKDF2, which is few for weak passwords. Use generated passwords, which
// are the default of the service.
const ROUNDS = 100_000

const passwords: PasswordHasher = {
  async hash(password) {
    const salt = crypto.getRandomValues(new Uint8Array(16))
    return `${toHex(salt)}:${toHex(await derive(password, salt))}`
  },
  async verify(password, hash) {
    const [salt = '', expected = ''] = hash.split(':')
    const actual = toHex(await derive(password, fromHex(salt)))
    // The comparison takes constant time, so its duration does not reveal the number of correct characters.
    let difference = actual.length ^ expected.length
    for (let at = 0; at < actual.length; at += 1) difference |= actual.charCodeAt(at) ^ expected.charCodeAt(at)
    return difference === 0
  },
}

async function derive(password: string, salt: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, ['deriveBits'])
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256))
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
