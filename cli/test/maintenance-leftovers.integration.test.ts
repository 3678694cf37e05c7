import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { until } from '../../scripts/test-support/redis-server.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'
import { launch, type Program } from './maintenance-processes.ts'

const STORE_BYTES = 60_000_000

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })
const draftsIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => /^\.(restore|copy|migrate)-/.test(name)) : []

/** Waits until a run has created its draft folder, and returns the name of the folder. */
async function draftOf(program: Program, folder: string): Promise<string> {
  let isOver = false
  program.closed.finally(() => {
    isOver = true
  })
  await until(async () => isOver || draftsIn(folder).length > 0)
  const [draft] = draftsIn(folder)
  if (draft === undefined) throw new Error(`It ended early: ${program.stderr()}`)
  return draft
}

/** Kills a run after it has created its draft folder, and returns the name of the folder. */
async function leftBy(program: Program, folder: string): Promise<string> {
  const draft = await draftOf(program, folder)
  program.child.kill('SIGKILL')
  expect(await program.closed).toBe(null)
  expect(draftsIn(folder)).toEqual([draft])
  return draft
}

/** Creates a data folder with a store that is slow to copy. */
async function largeStore() {
  const parent = newFolder()
  const data = join(parent, 'data')
  await (await createStorage({ driver: 'file', path: data })).dispose()
  const db = new DatabaseSync(join(data, 'fish.db'))
  db.exec(`INSERT INTO items VALUES ('audit:filler', printf('%.${STORE_BYTES}c', 'x'))`)
  db.close()
  return { parent, data, target: join(parent, 'target') }
}

test('a restore removes the leftovers of a killed restore, even if the later restore is interrupted', async () => {
  const { data, target } = await largeStore()
  const env = envOf(target)
  const draft = await leftBy(launch(['restore', data], env), target)
  const stop = new AbortController()
  const restoring = run(['restore', data], { env, interrupted: stop.signal })
  await until(async () => draftsIn(target).some((name) => name !== draft))
  stop.abort()
  expect((await restoring).status).toBe(130)
  expect(draftsIn(target)).toEqual([])
})

test.skipIf(process.platform === 'win32')(
  'a restore does not remove the draft folder of a paused restore',
  async () => {
    const { data, target } = await largeStore()
    const env = envOf(target)
    const living = launch(['restore', data, '--json'], env)
    const draft = await draftOf(living, target)
    // SQLite may remove a journal after its name has been listed.
    const inodeOf = (name: string) => statSync(join(target, draft, name), { throwIfNoEntry: false })?.ino
    const content = () => readdirSync(join(target, draft)).map(inodeOf).filter(Boolean)
    await until(async () => content().length > 0)
    living.child.kill('SIGSTOP')
    const before = content()
    const { status, stderr } = await run(['restore', data], { env })
    expect([status, stderr]).toEqual([
      6,
      `fish-cli: The data folder ${target} is in use by another process, a server or fish-cli.\n  Stop that one first, or choose another folder.\n`,
    ])
    expect(content()).toEqual(expect.arrayContaining(before))
    living.child.kill('SIGCONT')
    expect(await living.closed).toBe(0)
    expect(JSON.parse(living.stdout())).toMatchObject({ users: 0 })
    expect(readdirSync(target).sort()).toEqual(['fish.db', 'fish.lock'])
  },
)

test('a restore does not remove files that are not leftovers but have similar names', async () => {
  const { parent, data, target } = await largeStore()
  const kept = ['.copy-notes', '.restore-0123abcd.old', 'a.copy-0123abcd', '.backup-0123abcd', '.copy-0123ABCD']
  for (const name of kept) mkdirSync(join(target, name), { recursive: true })
  mkdirSync(join(parent, 'elsewhere'))
  writeFileSync(join(parent, 'elsewhere', 'text'), 'mine')
  symlinkSync(join(parent, 'elsewhere'), join(target, '.copy-89abcdef'), 'junction')
  writeFileSync(join(target, '.restore-89abcdef'), 'a file')
  mkdirSync(join(target, '.restore-0123abcd'))
  expect((await run(['restore', data], { env: envOf(target) })).status).toBe(0)
  expect(readdirSync(target).sort()).toEqual(
    ['.copy-89abcdef', '.restore-89abcdef', 'fish.db', 'fish.lock', ...kept].sort(),
  )
  expect(readFileSync(join(parent, 'elsewhere', 'text'), 'utf8')).toBe('mine')
})
