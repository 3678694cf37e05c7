import { chmod, cp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Fault } from '@fish-crab/mocks'
import { outboxPath } from '../../src/client/outbox-path.ts'
import { type Env, run } from '../harness.ts'
import { SECRETS } from './canaries.ts'
import { type CellContext, openContext } from './context.ts'

/** What can be there before a command is run. */
export type Setup = keyof typeof SETUPS

const LOG = `[09:00:00] [main/INFO]: Setting user: Alex
[09:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon with a length of 31.5cm.
`

const SETUPS = {
  /** The key and the API key of the player are stored. */
  login: (context: CellContext) => logIn(context, ['login', 'Alex', '--with-api-key']),
  /** The session of an administrator is stored. */
  session: (context: CellContext) => logIn(context, ['login', 'admin', '--admin']),
  profile: (context: CellContext) => done(context, ['profile', 'add', 'home', '--url', context.url, '--user', 'Alex']),
  /** Rows are printed as JSON unless a flag says otherwise. */
  'json preset': (context: CellContext) => done(context, ['config', 'set', 'output', 'json']),
  /** A file of catches. */
  catches: ({ home }: CellContext) => writeFile(join(home, 'catches.csv'), 'name,rarity\nSalmon,3\n'),
  /** The log of a game. */
  log: ({ home }: CellContext) => writeFile(join(home, 'latest.log'), LOG),
  /** A catch was added. */
  async added(context: CellContext) {
    await done(context, ['add', 'Salmon', '-r', '3'], { FISH_URL: context.service })
    if (context.url === context.service) return
    const [from, to] = [context.service, context.url].map((url) =>
      outboxPath(context, url).replace('.db', '-added.jsonl'),
    )
    await rename(from ?? '', to ?? '')
  },
  /** A catch waits in the outbox. */
  queued: (context: CellContext) => leaveInOutbox(context, 'reset', 69),
  /** A catch was refused, and is set aside. */
  'dead letters': (context: CellContext) => leaveInOutbox(context, { status: 400 }, 7),
  /** The data folder of a server. */
  store: async ({ home, store }: CellContext) => cp((await store()).folder, join(home, 'data'), { recursive: true }),
  /** A backup, and no data folder. */
  async backup(context: CellContext) {
    const { folder } = await context.store()
    await done(context, ['backup', join(context.home, 'copy'), '--storage', `file:${folder}`])
  },
  /** An export, and no data folder. */
  async export(context: CellContext) {
    const { folder } = await context.store()
    await done(context, ['export', '--out', join(context.home, 'fish.jsonl'), '--storage', `file:${folder}`])
  },
  /** An export of the collection `users` of another database. */
  async dump(context: CellContext) {
    const user = { _id: 1, id: 'u-1', name: 'Alex', userPassword: SECRETS.password, fernetKey: SECRETS.fernetKey }
    await writeFile(join(context.home, 'users.json'), `${JSON.stringify(user)}\n`)
  },
  /** A configuration that is none, with a secret in it that somebody put there by mistake. */
  'broken config': async (context: CellContext) => {
    await SETUPS.profile(context)
    const profiles = { [SECRETS.password]: SECRETS.apiKey }
    const document = { version: 1, current: SECRETS.fernetKey, profiles, settings: { output: SECRETS.secret } }
    await writeFile(join(context.home, 'config', 'fish-crab', 'config.json'), JSON.stringify(document))
  },
  /** A store of secrets that was cut off. */
  async 'broken secrets'(context: CellContext) {
    const path = secretsFile(context)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.slice(0, -20))
  },
  'open secrets': (context: CellContext) => chmod(secretsFile(context), 0o644),
}

/** Where secrets are that no keyring keeps. */
const secretsFile = ({ home }: CellContext) => join(home, 'state', 'fish-crab', 'secrets.json')

export async function setUp(context: CellContext, setups: readonly Setup[] = []): Promise<void> {
  for (const setup of setups) await SETUPS[setup](context)
}

async function leaveInOutbox(context: CellContext, fault: Fault, exit: number): Promise<void> {
  await SETUPS.catches(context)
  using _ = context.mock.fail(fault, { times: Number.POSITIVE_INFINITY, on: 'postFish' })
  await done(context, ['add', '--file', join(context.home, 'catches.csv')], { FISH_URL: context.service }, exit)
  if (context.url === context.service) return
  const path = outboxPath(context, context.url)
  await rename(outboxPath(context, context.service), path)
  const db = new DatabaseSync(path)
  db.prepare('UPDATE service SET address = ?').run(context.url)
  db.close()
}

async function logIn(context: CellContext, argv: readonly string[]): Promise<void> {
  await done(context, argv, { FISH_URL: context.service })
  // Without a server, the service has ended since.
  if (context.url !== context.service) await moveLogins(context, context.service)
}

/** Lets what was stored for a service hold for the service of the context. */
async function moveLogins({ home, url }: CellContext, from: string): Promise<void> {
  const folder = (name: string) => join(home, name, 'fish-crab')
  for (const at of [folder('config'), folder('state')]) {
    for (const name of (await readdir(at)).filter((each) => each.endsWith('.json'))) {
      const text = await readFile(join(at, name), 'utf8')
      await writeFile(join(at, name), text.replaceAll(from, url))
    }
  }
}

/** Logs in as player and administrator when it is first needed, and copies what was stored into each context after that. */
export function loginsOnce(): AsyncDisposable & { readonly logIn: (context: CellContext) => Promise<void> } {
  let making: Promise<CellContext> | undefined
  async function make(store: CellContext['store']): Promise<CellContext> {
    const context = await openContext({ store })
    await setUp(context, ['login', 'session'])
    return context
  }
  return {
    async logIn(context) {
      making ??= make(context.store)
      const { home, service } = await making
      await cp(home, context.home, { recursive: true })
      await moveLogins(context, service)
    },
    async [Symbol.asyncDispose]() {
      await (await making)?.[Symbol.asyncDispose]()
    },
  }
}

async function done(context: CellContext, argv: readonly string[], env: Env = {}, expected = 0): Promise<void> {
  const { status, stderr } = await run(argv, { env: { ...context.env, ...env } })
  if (status !== expected)
    throw new Error(`What is needed before could not be made: ${argv[0]} ended with ${status}: ${stderr}`)
}
