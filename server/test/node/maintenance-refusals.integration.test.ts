import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  backupStore,
  exportStore,
  importStore,
  MaintenanceError,
  type MaintenanceProgress,
  restoreStore,
  rotateSecret,
} from '@fish-crab/server'
import { createStorage, itemKey } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { writeExport } from '../../../scripts/test-support/export-file.ts'
import { newFolder } from './data-folder.ts'
import { runServe, startTestServer } from './running.ts'

const NOW = new Date(0)
const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A data folder that was served, and the folder around it. */
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

/** Every file below a folder and the digest of its content, but what SQLite lays beside a file that it reads. */
const contentOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(?:wal|shm)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )

it('a file store that contains part of an import is refused by everything', async () => {
  const { parent, data } = await served()
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.items.setItem(itemKey('setting', 'store'), 'unfinished')
  await storage.dispose()
  const before = contentOf(parent)
  const env = envOf(data)
  const target = join(parent, 'target')
  for (const work of [
    () => exportStore({ env, target, now: NOW }),
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

it('secrets of another store are distinguished from a wrong FISH_SECRET, and both files are named', async () => {
  const [{ data }, other] = [await served(), await served()]
  cpSync(join(other.data, 'secrets.json'), join(data, 'secrets.json'))
  const before = contentOf(data)
  const mismatch = `${join(data, 'secrets.json')} belongs to another store than ${join(data, 'fish.db')}`
  const run = runServe(envOf(data))
  expect(await run.status).toBe(2)
  expect(run.stderr.text()).toMatch(/^fish-cli serve: [^\n]+ or set FISH_SECRET [^\n]+\n$/)
  expect(run.stderr.text()).toContain(mismatch)
  for (const options of [{}, { makeNew: true }, { dryRun: true }]) {
    const { code, message } = await refusal(rotateSecret({ env: envOf(data), ...options }))
    expect(code).toBe('wrong_secret')
    expect(message).toContain(mismatch)
  }
  expect(contentOf(data)).toEqual(before)
})

describe('a backup', () => {
  it('into its own data folder is refused, whatever path names it', async () => {
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

  it('of damaged secrets names the file that is damaged', async () => {
    const { parent, data } = await served()
    writeFileSync(join(data, 'secrets.json'), '{')
    const { code, message } = await refusal(backupStore({ env: envOf(data), target: join(parent, 'copy') }))
    expect(code).toBe('damaged')
    expect(message).toContain(`${join(data, 'secrets.json')} is damaged`)
    expect(readdirSync(parent)).toEqual(['data'])
  })
})

describe('a restore', () => {
  it('into a folder with a store or with other secrets is refused, with a command that makes room for it', async () => {
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
    expect((await refusal(restore())).code).toBe('in_use')
    await server.close()
    const before = contentOf(target)
    const other = await refusal(restore())
    expect([other.code, other.message]).toEqual(['exists', `${target} already has a store; nothing was changed.`])
    expect(contentOf(target)).toEqual(before)
    makeRoom(other.hint)
    await restore()
    await (await startTestServer(envOf(target))).close()
    await (await startTestServer(envOf(join(target, 'old-store-2')))).close()
  })

  it('of damaged secrets names the file that is damaged, and leaves nothing', async () => {
    const { parent, data } = await served()
    const backup = join(parent, 'backup')
    cpSync(data, backup, { recursive: true })
    writeFileSync(join(backup, 'secrets.json'), '{')
    const { code, message } = await refusal(restoreStore({ env: envOf(join(parent, 'new')), backup }))
    expect(code).toBe('damaged')
    expect(message).toContain(`${join(backup, 'secrets.json')} is damaged`)
    expect(existsSync(join(parent, 'new'))).toBe(false)
  })

  it('that fails leaves no new lock file', async () => {
    const { parent, data } = await served()
    const target = join(parent, 'target')
    mkdirSync(target)
    writeFileSync(join(target, 'fish.db'), 'of another store')
    const before = contentOf(parent)
    const restore = () => refusal(restoreStore({ env: envOf(target), backup: data }))
    await restore()
    expect(contentOf(parent)).toEqual(before)
    writeFileSync(join(target, 'fish.lock'), '')
    await restore()
    expect(existsSync(join(target, 'fish.lock'))).toBe(true)
  })
})

describe('an import', () => {
  it('that fails removes the folders that it made, and none that existed or is not empty', async () => {
    const parent = newFolder()
    const file = join(parent, 'fish.jsonl')
    writeExport(file, 20_000)
    mkdirSync(join(parent, 'there'))
    const before = contentOf(parent)
    const interrupted = async (target: string, onWrite: () => void = () => {}) => {
      const stop = new AbortController()
      const onProgress = ({ step }: MaintenanceProgress) => {
        if (step !== 'write' || stop.signal.aborted) return
        onWrite()
        stop.abort(new Error('stopped by hand'))
      }
      return refusal(importStore({ env: envOf(target), file, signal: stop.signal, onProgress }))
    }
    expect((await interrupted(join(parent, 'there', 'deep', 'deeper', 'target'))).code).toBe('interrupted')
    expect(readdirSync(parent).sort()).toEqual(['fish.jsonl', 'there'])
    expect(readdirSync(join(parent, 'there'))).toEqual([])
    expect((await interrupted(join(parent, 'there'))).code).toBe('interrupted')
    expect(readdirSync(join(parent, 'there'))).toEqual([])
    expect(contentOf(parent)).toEqual(before)

    const beside = join(parent, 'deep', 'beside')
    await interrupted(join(parent, 'deep', 'target'), () => writeFileSync(beside, ''))
    expect(readdirSync(join(parent, 'deep'))).toEqual(['beside'])
  })

  it('that is interrupted says that nothing was done, and leaves nothing', async () => {
    const parent = newFolder()
    const [file, target] = [join(parent, 'fish.jsonl'), join(parent, 'target')]
    writeExport(file, 20_000)
    const stop = new AbortController()
    const importing = refusal(importStore({ env: envOf(target), file, signal: stop.signal }))
    while (!existsSync(target) || !readdirSync(target).some((name) => name.startsWith('.import'))) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    stop.abort(new Error('stopped by hand'))
    const { code, message, cause } = await importing
    expect([code, message, cause]).toEqual(['interrupted', 'Interrupted. Nothing was imported.', stop.signal.reason])
    expect(existsSync(target)).toBe(false)
    expect(await importStore({ env: envOf(target), file })).toMatchObject({ items: 20_000 })
  })
})

it('an empty path is not the working folder', async () => {
  const { parent, data } = await served()
  const before = contentOf(parent)
  const env = envOf(data)
  const target = envOf(join(parent, 'new'))
  for (const work of [
    () => backupStore({ env, target: '' }),
    () => exportStore({ env, target: '', now: NOW }),
    ...[true, false].flatMap((dryRun) => [
      () => restoreStore({ env: target, backup: '', dryRun }),
      () => importStore({ env: target, file: '', dryRun }),
    ]),
  ]) {
    const { code, message } = await refusal(work())
    expect([code, message]).toEqual(['invalid_path', 'The path is empty.'])
  }
  expect(contentOf(parent)).toEqual(before)
})
