import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { exportStore, importStore, MaintenanceError } from '@fish-crab/server'
import { describe, expect, it } from 'vitest'
import { mountSmallDisk } from '../storage/small-disk.ts'
import { newFolder } from './data-folder.ts'
import { writeExport } from './export-file.ts'

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
    const env = { FISH_STORAGE: `file:${folder}` }
    const result = await importStore({ env, file }).catch((error: unknown) => error)
    if (result instanceof MaintenanceError) {
      expect(result).toMatchObject({ code: 'full' })
      expect(readdirSync(mounted.disk)).toEqual([])
      return
    }
    expect(readdirSync(folder).sort()).toEqual(['fish.db', 'fish.lock'])
    const target = join(newFolder(), 'again.jsonl')
    expect(await exportStore({ env, target, now: new Date(0) })).toMatchObject({ items: lines + 1 })
  })
})
