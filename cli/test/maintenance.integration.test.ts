import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@fish-crab/sdk'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { until } from '../../scripts/test-support/redis-server.ts'
import { createEncryption } from '../../server/src/app/users/encryption.ts'
import { newFolder } from './folders.ts'
import { run, startService } from './harness.ts'
import { launch, serveFolder } from './maintenance-processes.ts'

const ADMIN = { FISH_ADMIN_PASSWORD: 'canary-admin-password' }
const CATCHES_BEFORE = 60

async function createPlayer(url: string, name: string): Promise<CreatedUser> {
  const { stdout } = await run(['user', 'create', name, '--json'], { env: { ...ADMIN, FISH_URL: url } })
  return JSON.parse(stdout) as CreatedUser
}

function playerOf(url: string, { name, fernetKey }: CreatedUser) {
  return createClient({ baseUrl: url, user: name, fernetKey, gamemode: 'earth' })
}

/** Reads the fish of a player in earth, and returns the text of the response. */
async function readFish(url: string, name: string): Promise<string> {
  return (await fetch(`${url}/get/fish?name=${name}&gamemode=earth&detail=full`)).text()
}

const namesIn = (text: string) => (JSON.parse(text) as { fish: { name: string }[] }).fish.map(({ name }) => name)

/** Creates a data folder with the player Alex, and stops the server. */
async function stoppedStore(env: Readonly<Record<string, string>> = {}) {
  const parent = newFolder()
  const data = join(parent, 'data')
  const server = await startService({ FISH_STORAGE: `file:${data}`, ...env })
  const alex = await createPlayer(server.url, 'Alex')
  await playerOf(server.url, alex).fish.add({ name: 'Salmon', rarity: 3 })
  const fish = await readFish(server.url, 'Alex')
  await server.close()
  return { parent, data, alex, fish }
}

/** Serves a data folder in the current process, and adds a fish for the player. This write needs the encrypted key. */
async function addWithEncryptedKey(data: string, alex: CreatedUser, env: Readonly<Record<string, string>> = {}) {
  const server = await startService({ FISH_STORAGE: `file:${data}`, ...env })
  try {
    await playerOf(server.url, alex).fish.add({ name: 'Koi', rarity: 1 })
    return namesIn(await readFish(server.url, 'Alex'))
  } finally {
    await server.close()
  }
}

const errorOf = ({ status, stdout }: { status: number; stdout: string }) => ({
  status,
  code: (JSON.parse(stdout) as { error: { code: string } }).error.code,
})

describe('backup', () => {
  test('contains every catch that was acknowledged before the backup began, even under load, and can be restored', {
    timeout: 60_000,
  }, async () => {
    const parent = newFolder()
    const [data, copy] = [join(parent, 'data'), join(parent, 'copy')]
    const server = await serveFolder(data)
    const alex = await createPlayer(server.url, 'Alex')
    const client = playerOf(server.url, alex)
    const acknowledged: string[] = []
    let going = true
    const writer = async (name: string) => {
      for (let at = 0; going; at += 1) {
        await client.fish.add({ name: `${name}-${at}`, rarity: 3 })
        acknowledged.push(`${name}-${at}`)
      }
    }
    const writers = Array.from({ length: 8 }, (_, index) => writer(`writer${index}`))
    while (acknowledged.length < CATCHES_BEFORE) await new Promise((resolve) => setTimeout(resolve, 5))
    const before = [...acknowledged]
    const backup = launch(['backup', copy, '--json'], { FISH_STORAGE: `file:${data}` })
    const status = await backup.closed
    const during = acknowledged.length - before.length
    going = false
    await Promise.all(writers)
    expect(status).toBe(0)
    expect(during).toBeGreaterThan(0)
    const report = JSON.parse(backup.stdout())
    expect(report).toMatchObject({ folder: copy, users: 1, secrets: 'included' })
    await server.stop()

    const restored = join(parent, 'restored')
    expect((await run(['restore', copy], { env: { FISH_STORAGE: `file:${restored}` } })).status).toBe(0)
    const again = await serveFolder(restored)
    const names = namesIn(await readFish(again.url, 'Alex'))
    expect(names).toEqual(expect.arrayContaining(before))
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength(report.entries)
    await playerOf(again.url, alex).fish.add({ name: 'Koi', rarity: 1 })
    expect(namesIn(await readFish(again.url, 'Alex')).at(-1)).toBe('Koi')
    expect(await again.stop()).toBe(0)
  })

  test('reports that the backup needs FISH_SECRET if the secret encrypts the data', async () => {
    const { parent, data } = await stoppedStore({ FISH_SECRET: 'a given secret, and a long one of course' })
    const { stderr } = await run(['backup', join(parent, 'copy')], { env: { FISH_STORAGE: `file:${data}` } })
    expect(stderr).toMatch(/Also keep FISH_SECRET/)
  })
})

describe('restore', () => {
  test('rejects a backup that is damaged, invalid or from a newer version, and does so before writing anything', async () => {
    const { parent, data } = await stoppedStore()
    const target = join(parent, 'target')
    const attempt = async (change: (file: string) => void) => {
      const copy = join(newFolder(), 'copy')
      await run(['backup', copy], { env: { FISH_STORAGE: `file:${data}` } })
      change(join(copy, 'fish.db'))
      return errorOf(await run(['restore', copy, '--json'], { env: { FISH_STORAGE: `file:${target}` } }))
    }
    const change = (sql: string) => (file: string) => {
      const db = new DatabaseSync(file)
      db.exec(sql)
      db.close()
    }
    expect(await attempt(change('PRAGMA user_version = 99'))).toEqual({ status: 1, code: 'newer_schema' })
    expect(await attempt(change('PRAGMA application_id = 99'))).toEqual({ status: 1, code: 'not_a_store' })
    const torn = (file: string) => {
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0x5a, 4096, 5 * 4096))
    }
    expect((await attempt(torn)).status).toBe(1)
    expect(await attempt((file) => writeFileSync(file, ''))).toEqual({ status: 1, code: 'not_a_store' })
    expect(errorOf(await run(['restore', parent, '--json']))).toEqual({ status: 5, code: 'no_store' })
    expect(existsSync(target)).toBe(false)
  })
})

describe('rotate-secret', () => {
  const [OLD, NEW] = ['the secret of the beginning, long', 'the secret from now on, long enough']
  const USERS = 5_000

  /** Stores many encrypted keys directly in the storage, in the format of the service. */
  async function fill(data: string) {
    const storage = await createStorage({ driver: 'file', path: data })
    const encryption = createEncryption([OLD], (bytes) => crypto.getRandomValues(bytes))
    const users = Array.from({ length: USERS }, (_, index) => `filler-${index}`)
    await Promise.all(
      users.map(async (id) =>
        storage.items.setItem(`secret:${id}:fernet`, await encryption.encrypt(`key of ${id}`, id)),
      ),
    )
    await storage.dispose()
  }

  const secretIdsIn = (data: string) => {
    // SQLite locks the file briefly while another process opens or closes the database.
    const db = new DatabaseSync(join(data, 'fish.db'), { timeout: 10_000 })
    const rows = db.prepare("SELECT value FROM items WHERE key LIKE 'secret:%:fernet'").all()
    db.close()
    return rows.map(({ value }) => String(value).split('.')[1] ?? '')
  }

  test('keeps all keys readable when it is killed, and finishes at the next run', { timeout: 60_000 }, async () => {
    const { data, alex } = await stoppedStore({ FISH_SECRET: OLD })
    await fill(data)
    const [oldId] = secretIdsIn(data)
    const env = { FISH_STORAGE: `file:${data}`, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
    const program = launch(['rotate-secret'], env)
    await until(async () => {
      if (program.child.exitCode !== null) throw new Error(`Ended before it was killed: ${program.stderr()}`)
      return secretIdsIn(data).some((id) => id !== oldId)
    })
    program.child.kill('SIGKILL')
    await program.closed
    expect(program.stdout()).toBe('')
    // Opening the database applies the writes that are only in the write-ahead log, like a start of the server.
    const left = secretIdsIn(data).filter((id) => id === oldId).length
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(USERS)

    for (const secret of [OLD, NEW]) {
      const refused = launch(['serve'], {
        ...ADMIN,
        ...env,
        FISH_PORT: '0',
        FISH_SECRET: secret,
        FISH_SECRET_PREVIOUS: '',
      })
      expect([await refused.closed, refused.stdout()]).toEqual([2, ''])
      expect(refused.stderr()).toMatch(/^fish-cli serve: FISH_SECRET does not decrypt [^\n]+\n$/)
    }
    const rest = JSON.parse((await run(['rotate-secret', '--json'], { env })).stdout)
    expect(rest).toEqual({ keys: USERS + 1, reencrypted: left, undecryptable: [] })
    expect(JSON.parse((await run(['rotate-secret', '--json'], { env })).stdout)).toEqual({ ...rest, reencrypted: 0 })
    expect(secretIdsIn(data)).not.toContain(oldId)
    expect(await addWithEncryptedKey(data, alex, { FISH_SECRET: NEW })).toEqual(['Salmon', 'Koi'])
  })

  test('--new replaces both secrets that are stored in the data folder, so that no old session is valid', async () => {
    const { data, alex } = await stoppedStore()
    const secrets = () => JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'))
    const before = secrets()
    const env = { FISH_STORAGE: `file:${data}` }
    const { status, stdout, stderr } = await run(['rotate-secret', '--new'], { env })
    expect(status).toBe(0)
    const fresh = expect.stringMatching(/^.{44}$/)
    expect(secrets()).toEqual({ encryption: fresh, session: fresh })
    expect(secrets().encryption).not.toBe(before.encryption)
    expect(secrets().session).not.toBe(before.session)
    for (const secret of Object.values<string>({ ...before, ...secrets() }))
      expect(stdout + stderr).not.toContain(secret)
    expect(await addWithEncryptedKey(data, alex)).toEqual(['Salmon', 'Koi'])
    const server = await startService({ FISH_STORAGE: `file:${data}` })
    expect(errorOf(await run(['rotate-secret', '--json'], { env }))).toEqual({ status: 6, code: 'in_use' })
    await server.close()
  })

  test('reports a wrong secret, a missing store and a damaged key, and keeps the data', async () => {
    const { parent, data, alex } = await stoppedStore({ FISH_SECRET: OLD })
    const env = { FISH_STORAGE: `file:${data}`, FISH_SECRET: NEW }
    expect(errorOf(await run(['rotate-secret', '--json'], { env }))).toEqual({ status: 4, code: 'wrong_secret' })
    expect(errorOf(await run(['rotate-secret', '--new', '--json'], { env }))).toEqual({
      status: 2,
      code: 'invalid_settings',
    })
    const nothing = { ...env, FISH_STORAGE: `file:${join(parent, 'nothing')}` }
    expect(errorOf(await run(['rotate-secret', '--json'], { env: nothing }))).toEqual({ status: 5, code: 'no_store' })
    expect(readdirSync(parent)).toEqual(['data'])

    const db = new DatabaseSync(join(data, 'fish.db'))
    db.exec("UPDATE items SET value = value || 'AAAA' WHERE key LIKE 'secret:%:fernet'")
    db.close()
    const partly = await run(['rotate-secret', '--json'], { env: { ...env, FISH_SECRET_PREVIOUS: OLD } })
    expect(partly.status).toBe(7)
    expect(JSON.parse(partly.stdout)).toEqual({ keys: 1, reencrypted: 0, undecryptable: [alex.id] })
  })
})
