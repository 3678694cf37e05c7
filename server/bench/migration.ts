// npm run build && node server/bench/migration.ts [folder|archive|export] [PLAYERS] [CATCHES] [KILLS]: generates a dump with every
// oddity, migrates it by the built fish-cli, which it kills so often midway, and counts what a server then has. Prints times and
// the peak of memory.
import '../../scripts/from-sources.ts'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { hash } from 'bcryptjs'
import {
  type Database,
  objectId,
  writeArchive,
  writeDumpFolder,
  writeExports,
} from '../../scripts/test-support/mongo-dump.ts'

const [form = 'folder', players = '2000', catches = '1000000', kills = '0'] = process.argv.slice(2)
const [PLAYERS, CATCHES, KILLS] = [players, catches, kills].map(Number) as [number, number, number]
const GAMEMODES = ['oneblock', 'earth', 'survival', 'factions', 'boxsmp']
const SECONDS = Date.UTC(2021, 0, 1) / 1000
const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))

const print = (figures: object) => process.stdout.write(`${JSON.stringify(figures)}\n`)

/** Every tenth has a name that cannot be kept as it is. */
function nameOf(index: number): string {
  if (index % 10 === 8) return `player${index - 1}`
  if (index % 10 !== 9) return `Player${index}`
  const odd = ['Jo hn', "O'Neil", 'Łukasz', '-dash', 'x'.repeat(40)] as const
  return `${odd[Math.floor(index / 10) % 5]}${index}`
}

const keyOf = (index: number) => Buffer.alloc(32, `${index}`).toString('base64')

async function databaseOf(): Promise<Database> {
  const adminHash = await hash('password of the boss', 10)
  const database = new Map<string, () => Iterable<object>>()
  const list = (count: number, make: (index: number) => object) => () =>
    Array.from({ length: count }, (_, index) => make(index))
  database.set(
    'users',
    list(PLAYERS, (index) => ({
      _id: objectId(SECONDS + index, index),
      id: `u-${index}`,
      name: nameOf(index),
      userPassword: `password ${index}`,
      fernetKey: keyOf(index),
      createdAt: new Date((SECONDS + index) * 1000),
      __v: 0,
    })),
  )
  database.set(
    'api_keys',
    list(PLAYERS, (index) => ({ _id: objectId(SECONDS, index), key: `key-${index}`, userId: `u-${index}` })),
  )
  database.set(
    'admins',
    list(1, () => ({
      _id: objectId(SECONDS, 1),
      username: 'boss',
      password: adminHash,
      role: 'superadmin',
      createdAt: new Date(),
    })),
  )
  database.set(
    'logs',
    list(1000, (index) => ({ _id: objectId(SECONDS, index), body: { password: 'in a log' } })),
  )
  const perCollection = Math.ceil(CATCHES / PLAYERS / 4)
  let left = CATCHES
  for (let index = 0; index < PLAYERS; index += 1) {
    for (let part = 0; part < 4 && left > 0; part += 1) {
      const gamemode = GAMEMODES[(index + part) % 5] as string
      const kind = part === 3 ? 'crab' : 'fish'
      const count = Math.min(left, perCollection)
      left -= count
      const first = index * 10_000 + part * 1000
      database.set(`${kind}_${nameOf(index)}_${gamemode}`, function* () {
        for (let number = 0; number < count; number += 1) {
          const _id = objectId(SECONDS + number, first + number)
          if (kind === 'crab') yield { _id, fish: 'crab' }
          else
            yield {
              _id,
              fish: `Fish ${number % 50}`,
              rarity: number % 9,
              ...(number % 3 === 0 ? { timestamp: new Date((SECONDS + 7 * number) * 1000) } : {}),
            }
        }
      })
    }
  }
  database.set(
    'fish_Gone_earth',
    list(100, (index) => ({ _id: objectId(SECONDS, 90_000_000 + index), fish: 'Ghost', rarity: 1 })),
  )
  return database
}

async function migrate(paths: readonly string[], storage: string, killAfterMs?: number) {
  const env = { ...process.env, FISH_STORAGE: storage, FISH_GAMEMODES: GAMEMODES.join(',') }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [CLI, 'migrate', ...paths, '--yes', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let [output, peak] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const watch = setInterval(() => {
    try {
      peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024 || peak
    } catch {}
  }, 200)
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(watch)
  clearTimeout(timer)
  return { code, seconds: Math.round((performance.now() - startedAt) / 1000), peakMegabytes: Math.round(peak), output }
}

/** With the hasher of passwords that migrates them. */
async function serve(storage: string) {
  const limits = { FISH_RATE_LIMIT: '1000000', FISH_ADMIN_RATE_LIMIT: '1000000' }
  const env = {
    ...process.env,
    FISH_STORAGE: storage,
    FISH_GAMEMODES: GAMEMODES.join(','),
    FISH_PORT: '0',
    FISH_LOG: 'silent',
    ...limits,
  }
  const child = spawn(process.execPath, [CLI, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return { url, child }
  }
  throw new Error('The server ended before it listened.')
}

const folder = mkdtempSync(join(tmpdir(), 'fish-migration-'))
try {
  const database = await databaseOf()
  const dump = join(folder, 'dump')
  const writers: Record<string, () => Promise<readonly string[]>> = {
    folder: async () => [await writeDumpFolder(dump, database)],
    async archive() {
      await writeArchive(`${dump}.gz`, database, { gzip: true })
      return [`${dump}.gz`]
    },
    async export() {
      // Names of files cannot hold everything, and a command line not every file.
      await writeExports(dump, database)
      return [dump]
    },
  }
  const paths = (await writers[form]?.()) ?? []
  const storage = `file:${join(folder, 'data')}`
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { output: _, ...outcome } = await migrate(paths, storage, (kill + 1) * 20_000)
    print({ form, kill: kill + 1, ...outcome })
  }
  const { output, ...outcome } = await migrate(paths, storage)
  print({ form, ...outcome })
  const report = JSON.parse(output)
  print({ ...report, renamed: report.renamed.length, newSecrets: undefined })
  const server = await serve(storage)
  try {
    const admin = createAdminClient({ baseUrl: server.url, username: 'boss', password: 'password of the boss' })
    const { users, fish, crab } = await admin.stats()
    print({ users, fish: fish.total, crab: crab.total, byGamemode: fish.byGamemode })
    const client = createClient({ baseUrl: server.url, apiKey: 'key-1', env: {} })
    let [wrong, checked] = [0, 0]
    const renamed = new Map<string, string>(report.renamed.map(({ id, to }: { id: string; to: string }) => [id, to]))
    for (let index = 0; index < PLAYERS; index += 1) {
      const name = renamed.get(`u-${index}`) ?? nameOf(index)
      for (let part = 0; part < 3; part += 1) {
        const { fish: list } = await client.fish.list({
          user: name,
          gamemode: GAMEMODES[(index + part) % 5] as string,
          detail: 'full',
        })
        const perCollection = Math.ceil(CATCHES / PLAYERS / 4)
        list.forEach((one, number) => {
          const time = new Date((SECONDS + (number % 3 === 0 ? 7 * number : number)) * 1000).toISOString()
          checked += 1
          if (one.name !== `Fish ${number % 50}` || one.caughtAt !== time) wrong += 1
        })
        if (list.length !== perCollection) wrong += 1
      }
      if (index % 100 !== 0) continue
      const { fernetKey } = await client.keys.get({ username: name, password: `password ${index}` })
      if (fernetKey !== keyOf(index)) wrong += 1
    }
    print({ checked, wrong })
  } finally {
    server.child.kill('SIGTERM')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
