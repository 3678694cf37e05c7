import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { backupStore, exportStore, importStore, MaintenanceError, restoreStore } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { afterFirstBatch, writeExport, writeLines } from '../../../scripts/test-support/export-file.ts'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { newFolder } from './data-folder.ts'
import { prepareFailures } from './failing-files.ts'
import { startTestServer } from './running.ts'

const NOW = new Date(0)
const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

/** A data folder that was served. */
async function served(): Promise<string> {
  const data = join(newFolder(), 'data')
  await (await startTestServer({ ...envOf(data), FISH_ADMIN_PASSWORD: 'boss-password' })).close()
  return data
}

/** Runs work on a new copy of a folder for every call of a file function, which fails, until none is left to fail. */
async function failEverywhere(
  prepare: () => string,
  work: (folder: string) => Promise<unknown>,
  check: (folder: string, error: unknown, call: number) => void,
): Promise<number> {
  const files = prepareFailures()
  for (let call = 1; ; call += 1) {
    const folder = prepare()
    files.fail((at) => at === call)
    const error = await work(folder).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (files.stop() < call) {
      expect(error).toBeUndefined()
      return call
    }
    check(folder, error, call)
  }
}

it('an import whose new store another program reads fails, since the last of it may still be in the log', async () => {
  const [data, file] = [join(newFolder(), 'data'), join(newFolder(), 'export.jsonl')]
  writeExport(file, 3000)
  let reader: DatabaseSync | undefined
  const onProgress = afterFirstBatch(() => {
    const [draft = ''] = readdirSync(data).filter((name) => name.startsWith('.import-'))
    reader = new DatabaseSync(join(data, draft, 'fish.db'), { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM sqlite_schema').get()
  })
  const error = await importStore({ env: envOf(data), file, onProgress }).catch((error: unknown) => error)
  reader?.close()
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('Another program has') })
  expect(existsSync(join(data, 'fish.db'))).toBe(false)
})

describe('an import onto a disk that is nearly full', () => {
  it.for([3000, 4000, 5000, 6000])('fails and leaves nothing, or leaves all of %i lines', async (lines, { skip }) => {
    const mounted = mountSmallDisk()
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const file = join(newFolder(), 'export.jsonl')
    writeExport(file, lines)
    const folder = join(mounted.disk, 'data')
    const env = envOf(folder)
    const result = await importStore({ env, file }).catch((error: unknown) => error)
    if (result instanceof MaintenanceError) {
      expect(result).toMatchObject({ code: 'full' })
      expect(readdirSync(mounted.disk)).toEqual([])
      return
    }
    expect(readdirSync(folder).sort()).toEqual(['fish.db', 'fish.lock'])
    const target = join(newFolder(), 'again.jsonl')
    expect(await exportStore({ env, target, now: NOW })).toMatchObject({ items: lines + 1 })
  })
})

describe('wherever a call of the file system fails,', () => {
  it('a restore into a new folder fails and leaves nothing, or is done', async () => {
    const backup = await served()
    const restore = (folder: string) => restoreStore({ env: envOf(join(folder, 'data')), backup })
    const calls = await failEverywhere(newFolder, restore, (folder, error, call) => {
      const names = readdirSync(folder, { recursive: true })
      if (error === undefined) expect(names).toContain(join('data', 'fish.db'))
      else expect(names, `call ${call}`).toEqual([])
    })
    expect(calls).toBeGreaterThan(8)
  })

  it('an import, a backup and an export fail and leave nothing, or are done', async () => {
    const [data, export_] = [await served(), join(newFolder(), 'export.jsonl')]
    writeLines(export_, [{ item: 'note:a', value: 'b' }])
    const works: readonly ((target: string) => Promise<unknown>)[] = [
      (target) => importStore({ env: envOf(target), file: export_ }),
      (target) => backupStore({ env: envOf(data), target }),
      (target) => exportStore({ env: envOf(data), target, now: NOW }),
    ]
    for (const [index, work] of works.entries()) {
      const calls = await failEverywhere(
        newFolder,
        (folder) => work(join(folder, 'new')),
        (folder, error, call) => {
          if (error === undefined) expect(existsSync(join(folder, 'new'))).toBe(true)
          else expect(readdirSync(folder, { recursive: true }), `work ${index}, call ${call}`).toEqual([])
        },
      )
      expect(calls).toBeGreaterThan(2)
    }
  })
})
