import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { lockFolder } from '../../src/storage/file/folder.ts'
import { newFolder } from './folders.ts'

const [PROCESSES, ROUNDS] = [4, 500]

test('a lock whose file comes and goes is never held by two processes at once', async () => {
  const folder = newFolder()
  mkdirSync(folder)
  const file = fileURLToPath(new URL('./fixtures/locker.ts', import.meta.url))
  const run = () => promisify(execFile)(process.execPath, [file, folder, String(ROUNDS)])
  const outputs = await Promise.all(Array.from({ length: PROCESSES }, run))
  expect(outputs.map(({ stdout }) => JSON.parse(stdout))).toEqual(
    Array(PROCESSES).fill({ taken: ROUNDS, violations: 0 }),
  )
})

test('an undone lock leaves no file of its own, and keeps one that was there before', () => {
  const folder = newFolder()
  mkdirSync(folder)
  lockFolder(folder).undo()
  expect(readdirSync(folder)).toEqual([])
  lockFolder(folder).close()
  expect(readdirSync(folder)).toEqual(['fish.lock'])
  lockFolder(folder).undo()
  expect(readdirSync(folder)).toEqual(['fish.lock'])
})

const NOBODY = 65_534
const ROOT_ONLY = process.getuid?.() === 0 ? '' : ' (skipped: only root can become a user who may not write)'

test.skipIf(ROOT_ONLY !== '')(`a lock file that may not be written locks nothing, and is refused${ROOT_ONLY}`, () => {
  const folder = newFolder()
  mkdirSync(folder)
  lockFolder(folder).close()
  for (const path of [dirname(folder), folder]) chownSync(path, NOBODY, NOBODY)
  chmodSync(join(folder, 'fish.lock'), 0o444)
  process.seteuid?.(NOBODY)
  try {
    expect(() => lockFolder(folder)).toThrow(expect.objectContaining({ name: 'StorageError', code: 'read_only' }))
  } finally {
    process.seteuid?.(0)
  }
})

test('a store that has a second name is refused, since another server could open it by that, and runs once it has one', async () => {
  const [folder, other] = [newFolder(), newFolder()]
  await (await createStorage({ driver: 'file', path: folder })).dispose()
  mkdirSync(other)
  linkSync(join(folder, 'fish.db'), join(other, 'fish.db'))
  for (const path of [folder, other]) {
    await expect(createStorage({ driver: 'file', path })).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('hard link'),
    })
  }
  rmSync(join(other, 'fish.db'))
  copyFileSync(join(folder, 'fish.db'), join(other, 'fish.db'))
  for (const path of [folder, other]) await (await createStorage({ driver: 'file', path })).dispose()
})

test('a store that is a symbolic link is refused with the folder to name, also where the link leads nowhere', async () => {
  const [folder, other] = [newFolder(), newFolder()]
  await (await createStorage({ driver: 'file', path: folder })).dispose()
  mkdirSync(other)
  symlinkSync(join(folder, 'fish.db'), join(other, 'fish.db'))
  const refused = { code: 'in_use', message: expect.stringContaining(`Use the folder ${realpathSync(folder)} instead`) }
  await expect(createStorage({ driver: 'file', path: other })).rejects.toMatchObject(refused)
  expect(readdirSync(other)).toEqual(['fish.db', 'fish.lock'])
  rmSync(join(folder, 'fish.db'))
  await expect(createStorage({ driver: 'file', path: other })).rejects.toMatchObject(refused)
  expect(readdirSync(other)).toEqual(['fish.db', 'fish.lock'])
})

test.skipIf(ROOT_ONLY !== '').each([
  ['file', 'fish.db'],
  ['folder', ''],
])(`a data %s that may not be written is refused before the store is ready${ROOT_ONLY}`, async (_, name) => {
  const folder = newFolder()
  await (await createStorage({ driver: 'file', path: folder })).dispose()
  for (const path of [dirname(folder), folder, ...readdirSync(folder).map((file) => join(folder, file))]) {
    chownSync(path, NOBODY, NOBODY)
  }
  chmodSync(join(folder, name), name ? 0o444 : 0o555)
  process.seteuid?.(NOBODY)
  try {
    const storage = createStorage({ driver: 'file', path: folder })
    await expect(storage).rejects.toMatchObject({ name: 'StorageError', code: 'read_only' })
  } finally {
    process.seteuid?.(0)
  }
})
