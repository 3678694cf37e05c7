import { chmod, cp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Fault } from '@fish-crab/mocks'
import { outboxPath } from '../../src/client/outbox.ts'
import { type Env, run } from '../harness.ts'
import { SECRETS } from './canaries.ts'
import type { World } from './world.ts'

/** What can be there before a command is run. */
export type Setup = keyof typeof SETUPS

const LOG = `[09:00:00] [main/INFO]: Setting user: Alex
[09:00:01] [Render thread/INFO]: [CHAT] NICE CATCH! You caught a Salmon with a length of 31.5cm.
`

const SETUPS = {
  /** The key and the API key of the player are kept. */
  login: (world: World) => logIn(world, ['login', 'Alex', '--with-api-key']),
  /** The session of an administrator is kept. */
  session: (world: World) => logIn(world, ['login', 'admin', '--admin']),
  profile: (world: World) => done(world, ['profile', 'add', 'home', '--url', world.url, '--user', 'Alex']),
  /** Rows are printed as JSON unless a flag says otherwise. */
  'json preset': (world: World) => done(world, ['config', 'set', 'output', 'json']),
  /** A file of catches. */
  catches: ({ home }: World) => writeFile(join(home, 'catches.csv'), 'name,rarity\nSalmon,3\n'),
  /** The log of a game. */
  log: ({ home }: World) => writeFile(join(home, 'latest.log'), LOG),
  /** A catch waits in the outbox. */
  queued: (world: World) => leaveInOutbox(world, 'reset', 69),
  /** A catch was refused, and is set aside. */
  'set aside': (world: World) => leaveInOutbox(world, { status: 400 }, 7),
  /** The data folder of a server. */
  store: async ({ home, store }: World) => cp((await store()).folder, join(home, 'data'), { recursive: true }),
  /** A backup, and no data folder. */
  async backup(world: World) {
    const { folder } = await world.store()
    await done(world, ['backup', join(world.home, 'copy'), '--storage', `file:${folder}`])
  },
  /** An export, and no data folder. */
  async export(world: World) {
    const { folder } = await world.store()
    await done(world, ['export', '--out', join(world.home, 'fish.jsonl'), '--storage', `file:${folder}`])
  },
  /** A configuration that is none, with a secret in it that somebody put there by mistake. */
  'broken config': async (world: World) => {
    await SETUPS.profile(world)
    const profiles = { [SECRETS.password]: SECRETS.apiKey }
    const document = { version: 1, current: SECRETS.fernetKey, profiles, settings: { output: SECRETS.secret } }
    await writeFile(join(world.home, 'config', 'fish-crab', 'config.json'), JSON.stringify(document))
  },
  /** A store of secrets that was cut off. */
  async 'broken secrets'(world: World) {
    const path = secretsFile(world)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.slice(0, -20))
  },
  'open secrets': (world: World) => chmod(secretsFile(world), 0o644),
}

/** Where secrets are that no keyring keeps. */
const secretsFile = ({ home }: World) => join(home, 'state', 'fish-crab', 'secrets.json')

/** Prepares a world. */
export async function setUp(world: World, setups: readonly Setup[] = []): Promise<void> {
  for (const setup of setups) await SETUPS[setup](world)
}

async function leaveInOutbox(world: World, fault: Fault, exit: number): Promise<void> {
  await SETUPS.catches(world)
  using _ = world.mock.fail(fault, { times: Number.POSITIVE_INFINITY, on: 'postFish' })
  await done(world, ['add', '--file', join(world.home, 'catches.csv')], { FISH_URL: world.service }, exit)
  if (world.url === world.service) return
  const path = outboxPath(world, world.url)
  await rename(outboxPath(world, world.service), path)
  const db = new DatabaseSync(path)
  db.prepare('UPDATE service SET address = ?').run(world.url)
  db.close()
}

async function logIn(world: World, argv: readonly string[]): Promise<void> {
  await done(world, argv, { FISH_URL: world.service })
  if (world.url === world.service) return
  // The service is gone since.
  const folder = (name: string) => join(world.home, name, 'fish-crab')
  for (const at of [folder('config'), folder('state')]) {
    for (const name of (await readdir(at)).filter((each) => each.endsWith('.json'))) {
      const text = await readFile(join(at, name), 'utf8')
      await writeFile(join(at, name), text.replaceAll(world.service, world.url))
    }
  }
}

async function done(world: World, argv: readonly string[], env: Env = {}, expected = 0): Promise<void> {
  const { status, stderr } = await run(argv, { env: { ...world.env, ...env } })
  if (status !== expected)
    throw new Error(`What is needed before could not be made: ${argv[0]} ended with ${status}: ${stderr}`)
}
