import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupStore, MaintenanceError, restoreStore, rotateSecret } from '@fish-crab/server/maintenance'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../node/data-folder.ts'
import { runServe, startTestServer } from '../node/running.ts'

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A data folder that a server has used, and its parent folder. */
async function served() {
  const parent = newFolder()
  const data = join(parent, 'data')
  await (await startTestServer({ ...envOf(data), FISH_ADMIN_PASSWORD: 'boss-password' })).close()
  return { parent, data }
}

const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MaintenanceError)
  return error as MaintenanceError
}

/** The digests of all files below a folder, except the files that SQLite creates for reads. */
const contentOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(?:wal|shm)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )

it('every command refuses an incomplete file store', async () => {
  const { parent, data } = await served()
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.items.setItem(itemKey('setting', 'store'), 'unfinished')
  await storage.dispose()
  const before = contentOf(parent)
  const env = envOf(data)
  const target = join(parent, 'target')
  for (const work of [
    () => backupStore({ env, target }),
    () => restoreStore({ env: envOf(target), backup: data }),
    () => rotateSecret({ env }),
  ]) {
    expect((await refusal(work())).code).toBe('unfinished')
  }
  const run = runServe(env)
  expect(await run.status).toBe(1)
  expect(run.stderr.text()).toMatch(/^fish-cli serve: The store is incomplete: [^\n]+\n$/)
  expect(contentOf(parent)).toEqual(before)
})

it('a refusal of the storage states the problem in its message and the next step in its hint', async () => {
  const { data } = await served()
  const storage = await createStorage({ driver: 'file', path: data })
  const inUse = await refusal(rotateSecret({ env: envOf(data) }))
  await storage.dispose()
  expect(inUse).toMatchObject({
    code: 'in_use',
    message: `The data folder ${data} is in use by another process, a server or fish-cli.`,
    hint: 'Stop that one first, or choose another folder.',
  })
  const file = join(data, 'fish.db')
  writeFileSync(file, 'Some other file. It is not a database.'.repeat(100))
  expect(await refusal(rotateSecret({ env: envOf(data) }))).toMatchObject({
    code: 'not_a_store',
    message: `${file} is not a file of this service and was left as it is.`,
    hint: 'Move it away, or choose another folder.',
  })
})

it('secrets of a different store are not reported as a wrong FISH_SECRET, and the error names both files', async () => {
  const [{ data }, other] = [await served(), await served()]
  cpSync(join(other.data, 'secrets.json'), join(data, 'secrets.json'))
  const before = contentOf(data)
  const mismatch = `${join(data, 'secrets.json')} belongs to another store than ${join(data, 'fish.db')}`
  const run = runServe(envOf(data))
  expect(await run.status).toBe(2)
  expect(run.stderr.text()).toMatch(/^fish-cli serve: [^\n]+ or set FISH_SECRET [^\n]+\n$/)
  expect(run.stderr.text()).toContain(mismatch)
  for (const options of [{}, { makeNew: true }]) {
    const { code, message } = await refusal(rotateSecret({ env: envOf(data), ...options }))
    expect(code).toBe('wrong_secret')
    expect(message).toContain(mismatch)
  }
  expect(contentOf(data)).toEqual(before)
})

describe('a backup', () => {
  it('into the data folder is refused for every path to that folder', async () => {
    const { parent, data } = await served()
    mkdirSync(join(data, 'backups'))
    symlinkSync(join(data, 'backups'), join(parent, 'link'))
    const before = contentOf(parent)
    for (const target of [join(data, 'copy'), join(data, 'backups', 'copy'), join(parent, 'link', 'copy')]) {
      const { code, message } = await refusal(backupStore({ env: envOf(data), target }))
      expect([code, message]).toEqual(['invalid_settings', `${target} is inside the data folder; nothing was changed.`])
    }
    expect(contentOf(parent)).toEqual(before)
    expect(await backupStore({ env: envOf(data), target: join(parent, 'data-copy') })).toMatchObject({ users: 0 })
  })

  it('is refused if the secrets are damaged, and the error names the damaged file', async () => {
    const { parent, data } = await served()
    writeFileSync(join(data, 'secrets.json'), '{')
    const { code, message } = await refusal(backupStore({ env: envOf(data), target: join(parent, 'copy') }))
    expect(code).toBe('damaged')
    expect(message).toContain(`${join(data, 'secrets.json')} is damaged`)
    expect(readdirSync(parent)).toEqual(['data'])
  })
})

describe('a restore', () => {
  it('into a folder that contains a store or secrets is refused, and the hint is a command that moves the files away', async () => {
    const { parent, data } = await served()
    const target = join(parent, "the 'target'")
    mkdirSync(target)
    writeFileSync(join(target, 'secrets.json'), '{}')
    const restore = () => restoreStore({ env: envOf(target), backup: data })
    const makeRoom = (hint = '') => {
      const [advice, command = ''] = hint.split('\n')
      expect(advice).toBe('Name another folder, or stop its server and move the files away:')
      execFileSync('sh', ['-c', command])
    }
    const alone = await refusal(restore())
    expect([alone.code, alone.message]).toEqual(['exists', `${target} already has secrets.json; nothing was changed.`])
    makeRoom(alone.hint)
    expect(readdirSync(target)).toEqual(['old-store'])
    const server = await startTestServer({ ...envOf(target), FISH_ADMIN_PASSWORD: 'boss-password' })
    const running = await refusal(restore())
    expect(running.code).toBe('exists')
    await server.close()
    const before = contentOf(target)
    const other = await refusal(restore())
    expect([other.code, other.message]).toEqual(['exists', `${target} already has a store; nothing was changed.`])
    expect(contentOf(target)).toEqual(before)
    // SQLite has deleted files since this hint was given.
    makeRoom(running.hint)
    await restore()
    await (await startTestServer(envOf(target))).close()
    await (await startTestServer(envOf(join(target, 'old-store-2')))).close()
  })

  it('is refused if the secrets in the backup are damaged, names the damaged file and leaves nothing behind', async () => {
    const { parent, data } = await served()
    const backup = join(parent, 'backup')
    cpSync(data, backup, { recursive: true })
    writeFileSync(join(backup, 'secrets.json'), '{')
    const { code, message } = await refusal(restoreStore({ env: envOf(join(parent, 'new')), backup }))
    expect(code).toBe('damaged')
    expect(message).toContain(`${join(backup, 'secrets.json')} is damaged`)
    expect(existsSync(join(parent, 'new'))).toBe(false)
  })
})

it('an empty path is refused, and is not treated as the working folder', async () => {
  const { parent, data } = await served()
  const before = contentOf(parent)
  const env = envOf(data)
  const target = envOf(join(parent, 'new'))
  for (const work of [() => backupStore({ env, target: '' }), () => restoreStore({ env: target, backup: '' })]) {
    const { code, message } = await refusal(work())
    expect([code, message]).toEqual(['invalid_path', 'The path is empty.'])
  }
  expect(contentOf(parent)).toEqual(before)
})
