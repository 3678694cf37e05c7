import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { writeExport } from '../../scripts/test-support/export-file.ts'
import { until } from '../../scripts/test-support/redis-server.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'
import { launch, type Program } from './maintenance-processes.ts'

const LINES = 40_000
const SMALL = 10
const STORE_BYTES = 60_000_000

const envOf = (folder: string) => ({ FISH_STORAGE: `file:${folder}` })
const draftsIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => /^\.(restore|import)-/.test(name)) : []

/** Waits until a run has begun its draft, and answers what it is called. */
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

/** What a run that was killed leaves. */
async function leftBy(program: Program, folder: string): Promise<string> {
  const draft = await draftOf(program, folder)
  program.child.kill('SIGKILL')
  expect(await program.closed).toBe(null)
  expect(draftsIn(folder)).toEqual([draft])
  return draft
}

/** A large export, a small one, and where an import of them goes. */
function exports() {
  const parent = newFolder()
  const [large, small] = [join(parent, 'large.jsonl'), join(parent, 'small.jsonl')]
  writeExport(large, LINES)
  writeExport(small, SMALL)
  return { parent, large, small, target: join(parent, 'target') }
}

/** A data folder whose store takes a while to copy. */
async function largeStore() {
  const parent = newFolder()
  const data = join(parent, 'data')
  await (await createStorage({ driver: 'file', path: data })).dispose()
  const db = new DatabaseSync(join(data, 'fish.db'))
  db.exec(`INSERT INTO items VALUES ('audit:filler', printf('%.${STORE_BYTES}c', 'x'))`)
  db.close()
  return { parent, data, target: join(parent, 'target') }
}

test('what a killed import left is gone behind the next one, and a dry run leaves it', async () => {
  const { large, small, target } = exports()
  const env = envOf(target)
  const draft = await leftBy(launch(['import', large], env), target)
  expect((await run(['import', small, '--dry-run'], { env })).status).toBe(0)
  expect(draftsIn(target)).toEqual([draft])
  expect(await run(['import', small], { env })).toMatchObject({ status: 0 })
  expect(readdirSync(target).sort()).toEqual(['fish.db', 'fish.lock'])
})

test('what a killed restore left is gone behind the next one, also behind one that is interrupted', async () => {
  const { data, target } = await largeStore()
  const env = envOf(target)
  const draft = await leftBy(launch(['restore', data], env), target)
  expect((await run(['restore', data, '--dry-run'], { env })).status).toBe(0)
  expect(draftsIn(target)).toEqual([draft])
  const stop = new AbortController()
  const restoring = run(['restore', data], { env, interrupted: stop.signal })
  await until(async () => draftsIn(target).some((name) => name !== draft))
  stop.abort()
  expect((await restoring).status).toBe(130)
  expect(draftsIn(target)).toEqual([])
})

test('each takes away what the other left', async () => {
  const { large, target } = exports()
  const { data } = await largeStore()
  await leftBy(launch(['import', large], envOf(target)), target)
  expect((await run(['restore', data], { env: envOf(target) })).status).toBe(0)
  expect(draftsIn(target)).toEqual([])
})

test.skipIf(process.platform === 'win32')(
  'a run that lives keeps what it has begun, however long it stands still',
  async () => {
    const { large, small, target } = exports()
    const env = envOf(target)
    const living = launch(['import', large, '--json'], env)
    const draft = await draftOf(living, target)
    // SQLite removes its journals while they are listed.
    const inodeOf = (name: string) => statSync(join(target, draft, name), { throwIfNoEntry: false })?.ino
    const content = () => readdirSync(join(target, draft)).map(inodeOf).filter(Boolean)
    await until(async () => content().length > 0)
    living.child.kill('SIGSTOP')
    const before = content()
    for (const flags of [[], ['--dry-run']]) {
      const { status, stderr } = await run(['import', small, ...flags], { env })
      expect([status, stderr]).toEqual([
        6,
        `fish-cli: The data folder ${target} is in use by another process, a server or fish-cli.\n  Stop that one first, or choose another folder.\n`,
      ])
    }
    expect(content()).toEqual(expect.arrayContaining(before))
    living.child.kill('SIGCONT')
    expect(await living.closed).toBe(0)
    expect(JSON.parse(living.stdout())).toMatchObject({ items: LINES })
    expect(readdirSync(target).sort()).toEqual(['fish.db', 'fish.lock'])
  },
)

test.each([
  ['backup', 'folder FOLDER.partial-...'],
  ['export', 'file FILE.partial-...'],
])('the help of %s says what a killed one leaves for who ran it', async (command, left) => {
  const { status, stdout } = await run([command, '--help'])
  expect(status).toBe(0)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`may leave a ${left}, which you can delete.`)
})

test('nothing else is taken away, whatever it is called', async () => {
  const { parent, small, target } = exports()
  const kept = ['.import-notes', '.restore-0123abcd.old', 'a.import-0123abcd', '.backup-0123abcd', '.import-0123ABCD']
  for (const name of kept) mkdirSync(join(target, name), { recursive: true })
  mkdirSync(join(parent, 'elsewhere'))
  writeFileSync(join(parent, 'elsewhere', 'text'), 'mine')
  symlinkSync(join(parent, 'elsewhere'), join(target, '.import-89abcdef'), 'junction')
  writeFileSync(join(target, '.restore-89abcdef'), 'a file')
  mkdirSync(join(target, '.restore-0123abcd'))
  expect((await run(['import', small], { env: envOf(target) })).status).toBe(0)
  expect(readdirSync(target).sort()).toEqual(
    ['.import-89abcdef', '.restore-89abcdef', 'fish.db', 'fish.lock', ...kept].sort(),
  )
  expect(readFileSync(join(parent, 'elsewhere', 'text'), 'utf8')).toBe('mine')
})
