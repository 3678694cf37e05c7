import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { expect, test } from 'vitest'
import { caughtRecord, userItems, writeExport } from '../../scripts/test-support/export-file.ts'
import { folderContent } from '../../scripts/test-support/folder-content.ts'
import { createEncryption } from '../../server/src/app/users/encryption.ts'
import { newFolder } from './folders.ts'
import { run, startService } from './harness.ts'

const [OLD, NEW] = ['the secret of the beginning, long', 'the secret from now on, long enough']

/** A data folder that was served, with a catch and two encrypted keys in it. */
async function stoppedStore(given: Readonly<Record<string, string>> = {}) {
  const parent = newFolder()
  const data = join(parent, 'data')
  const env = { FISH_STORAGE: `file:${data}`, ...given }
  await (await startService({ FISH_ADMIN_PASSWORD: 'canary-admin-password', ...env })).close()
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.append({ owner: 'ann', kind: 'fish', gamemode: 'earth' }, caughtRecord())
  await storage.dispose()
  return { parent, data, env }
}

/** Runs a command, which must change nothing below the folder. */
async function tried(parent: string, argv: readonly string[], env: Readonly<Record<string, string>>) {
  const before = folderContent(parent)
  const result = await run([...argv, '--dry-run'], { env })
  expect(folderContent(parent)).toEqual(before)
  return result
}

/** With `--json`, it prints the document of the real run with a mark. */
async function expectSameDocument(parent: string, argv: readonly string[], env: Readonly<Record<string, string>>) {
  const dry = await tried(parent, [...argv, '--json'], env)
  const real = await run([...argv, '--json'], { env })
  expect([dry.status, dry.stderr]).toEqual([real.status, ''])
  expect(JSON.parse(dry.stdout)).toEqual({ ...JSON.parse(real.stdout), dryRun: true })
}

const HELD = 'players: 0, catches: 1, writes: 1'

test('a dry run of restore says what would be copied, and how much', async () => {
  const { parent, env } = await stoppedStore()
  const [copy, other] = [join(parent, 'copy'), join(parent, 'deep', 'other')]
  expect((await run(['backup', copy], { env })).status).toBe(0)
  const restore = await tried(parent, ['restore', copy, '--storage', `file:${other}`], env)
  expect(restore).toMatchObject({ status: 0, stderr: '' })
  expect(restore.stdout).toMatch(new RegExp(`^Would restore \\d+ kB into ${other}: ${HELD}\\.\n$`))
  await expectSameDocument(parent, ['restore', copy, '--storage', `file:${other}`], env)
})

test('a dry run of restore says that FISH_SECRET is needed too', async () => {
  const { parent, env } = await stoppedStore({ FISH_SECRET: OLD })
  const [copy, other] = [join(parent, 'copy'), join(parent, 'other')]
  expect((await run(['backup', copy], { env })).stderr).toContain(`no secret in ${copy} decrypts its keys.\n`)
  const { stderr } = await tried(parent, ['restore', copy, '--storage', `file:${other}`], env)
  expect(stderr).toBe(`Also keep FISH_SECRET: no secret in ${other} decrypts its keys.\n`)
})

test('a dry run of import says what would be written', async () => {
  const { parent, data, env } = await stoppedStore()
  const storage = await createStorage({ driver: 'file', path: data })
  const encrypted = (await storage.items.getItem('setting:secret-check')) ?? ''
  for (const { item, value } of userItems('ann', 'Ann', encrypted)) await storage.items.setItem(item, value)
  await storage.dispose()
  const held = HELD.replace('players: 0', 'players: 1')
  const [file, target] = [join(parent, 'fish.jsonl'), join(parent, 'target')]
  expect((await run(['export', '--out', file], { env })).status).toBe(0)
  const to = { FISH_STORAGE: `file:${target}` }
  expect(await tried(parent, ['import', file], to)).toMatchObject({
    status: 0,
    stdout: `Would import into ${target}: ${held}.\n`,
  })
  await expectSameDocument(parent, ['import', file], to)
})

test('a dry run of rotate-secret says how many keys would be encrypted again, and which ones no secret decrypts', async () => {
  const { parent, data } = await stoppedStore({ FISH_SECRET: OLD })
  const storage = await createStorage({ driver: 'file', path: data })
  const encryption = createEncryption([OLD], (bytes) => crypto.getRandomValues(bytes))
  const encrypted = await encryption.encrypt('a key', 'ann')
  await storage.items.setItem('secret:ann:fernet', encrypted)
  await storage.dispose()
  const env = { FISH_STORAGE: `file:${data}`, FISH_SECRET: NEW, FISH_SECRET_PREVIOUS: OLD }
  const all = await tried(parent, ['rotate-secret'], env)
  expect(all).toMatchObject({ status: 0, stdout: 'Would encrypt 1 of 1 keys again.\n', stderr: '' })
  await expectSameDocument(parent, ['rotate-secret'], env)

  const again = await createStorage({ driver: 'file', path: data })
  await again.items.setItem('secret:bob:fernet', encrypted)
  await again.dispose()
  const partly = await tried(parent, ['rotate-secret'], env)
  expect(partly).toMatchObject({ status: 7, stdout: 'Would encrypt 0 of 2 keys again.\n' })
  expect(partly.stderr).toMatch(/^No secret decrypts the keys of these user ids: bob\./)
  await expectSameDocument(parent, ['rotate-secret'], env)
})

test('a dry run of rotate-secret --new says that a secret would be made', async () => {
  const { parent, env } = await stoppedStore()
  const { status, stdout } = await tried(parent, ['rotate-secret', '--new'], env)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'Would generate a new secret beside the data and encrypt 0 of 0 keys again.\n',
  })
})

test('rotate-secret says how many keys it encrypted, and that other secrets are no longer needed', async () => {
  const { env } = await stoppedStore()
  const rotated = async (...flags: string[]) => (await run(['rotate-secret', ...flags], { env })).stdout
  const end = 'All keys use the current secret; others are no longer needed.\n'
  expect(await rotated('--new')).toBe(`Generated a new secret beside the data and encrypted 0 of 0 keys again. ${end}`)
  expect(await rotated()).toBe(`Encrypted 0 of 0 keys again. ${end}`)
})

test('import into a Redis that is unreachable says so, and what to check', async () => {
  const file = join(newFolder(), 'fine.jsonl')
  writeExport(file, 1)
  const { status, stderr } = await run(['import', file], { env: { FISH_STORAGE: 'redis://127.0.0.1:1' } })
  expect({ status, stderr }).toEqual({
    status: 69,
    stderr:
      'fish-cli: Redis is unreachable: connect ECONNREFUSED 127.0.0.1:1.\n' +
      '  Check the address of the storage and that the storage is running.\n',
  })
})

test('a dry run is refused with the status and the words of the run itself', async () => {
  const { parent, data, env } = await stoppedStore({ FISH_SECRET: OLD })
  mkdirSync(join(parent, 'there'))
  writeFileSync(join(parent, 'bad.jsonl'), '{}\n')
  writeExport(join(parent, 'fine.jsonl'), 1)
  const server = await startService(env)
  for (const [status, argv, more] of [
    [5, ['restore', join(parent, 'there')], {}],
    [6, ['restore', data], {}],
    [2, ['import', join(parent, 'bad.jsonl')], { FISH_STORAGE: `file:${join(parent, 'new')}` }],
    [6, ['import', join(parent, 'bad.jsonl')], {}],
    [69, ['import', join(parent, 'fine.jsonl')], { FISH_STORAGE: 'redis://127.0.0.1:1' }],
    [6, ['rotate-secret'], {}],
    [5, ['rotate-secret'], { FISH_STORAGE: `file:${join(parent, 'there')}` }],
    [4, ['rotate-secret'], { FISH_STORAGE: 'redis://127.0.0.1:1', FISH_SECRET: '' }],
  ] as const) {
    const all = { ...env, ...more }
    const dry = await tried(parent, argv, all)
    const real = await run(argv, { env: all })
    expect({ argv, ...dry }).toEqual({ argv, ...real })
    expect({ argv, status: dry.status, stdout: dry.stdout }).toEqual({ argv, status, stdout: '' })
  }
  await server.close()
  const wrong = { ...env, FISH_SECRET: NEW }
  expect((await tried(parent, ['rotate-secret'], wrong)).status).toBe(4)
})
