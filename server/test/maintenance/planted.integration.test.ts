import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backupStore, MaintenanceError, restoreStore } from '@fish-crab/server/maintenance'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../node/data-folder.ts'
import { startTestServer } from '../node/running.ts'

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })

async function makeStore(path: string): Promise<void> {
  await (await createStorage({ driver: 'file', path })).dispose()
}

describe('paths in the leftover folder of a killed restore', () => {
  /** A data folder with a leftover plan, which lists files outside the folder to move and to remove. */
  async function planted() {
    const parent = newFolder()
    const [data, backup, victim] = [join(parent, 'data'), join(parent, 'backup'), join(parent, 'victim')]
    const leftover = join(data, '.restore-0123abcd')
    mkdirSync(leftover, { recursive: true })
    await makeStore(backup)
    writeFileSync(victim, 'of somebody else')
    writeFileSync(join(parent, 'moved'), 'of somebody else')
    writeFileSync(join(leftover, 'fish.db'), '')
    const plan = {
      aside: '..',
      old: ['moved'],
      made: { '../victim': `${statSync(victim).dev}:${statSync(victim).ino}` },
      mark: null,
      hadMark: true,
    }
    writeFileSync(join(leftover, 'swap.json'), JSON.stringify(plan))
    const expectUntouched = () => {
      expect(existsSync(victim)).toBe(true)
      expect(existsSync(join(parent, 'moved'))).toBe(true)
      expect(readdirSync(data).sort()).toEqual(['fish.db', 'fish.lock'])
    }
    return { data, backup, expectUntouched }
  }

  it('are not used by the next restore, which removes the leftover folder', async () => {
    const { data, backup, expectUntouched } = await planted()
    await restoreStore({ env: envOf(data), backup })
    expectUntouched()
  })
})

describe.runIf(process.platform !== 'win32')('a secrets.json that is not a regular file', () => {
  const MAKE: readonly (readonly [string, (path: string) => void])[] = [
    ['a pipe', (path) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path])],
    [
      'a link to a pipe',
      (path) => {
        const pipe = join(newFolder(), 'pipe')
        execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
        execFileSync('ln', ['-s', pipe, path])
      },
    ],
    ['a folder', (path) => mkdirSync(path)],
    ['a device', (path) => execFileSync('ln', ['-s', '/dev/zero', path])],
  ]
  it.each(MAKE)('(%s) is refused by backup and restore, and by a server at its start', async (_, make) => {
    const parent = newFolder()
    const [data, target] = [join(parent, 'data'), join(parent, 'target')]
    await makeStore(data)
    make(join(data, 'secrets.json'))
    const message = `${join(data, 'secrets.json')} is not a file. Move it away.`
    for (const work of [
      () => backupStore({ env: envOf(data), target }),
      () => restoreStore({ env: envOf(target), backup: data }),
    ]) {
      const error = await work().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(MaintenanceError)
      expect(error).toMatchObject({ code: 'damaged', message })
    }
    await expect(startTestServer(envOf(data))).rejects.toThrow(message)
    expect(readdirSync(parent)).toEqual(['data'])
  })
})
