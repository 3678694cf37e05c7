import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { loadSecrets, makeSecrets, SecretsError, writeSecrets } from '../../src/node/secrets-file.ts'
import { newFolder } from './data-folder.ts'
import { startTestServer } from './running.ts'

const FILE = 'secrets.json'

describe('the secrets of a data folder', () => {
  it('are generated once, readable by the owner of the folder alone, and read again', async () => {
    const folder = newFolder()
    const { secrets } = await loadSecrets(folder, {})
    expect(Buffer.from(secrets.encryption, 'base64')).toHaveLength(32)
    expect(Buffer.from(secrets.session, 'base64')).toHaveLength(32)
    expect(secrets.encryption).not.toBe(secrets.session)
    if (process.platform !== 'win32') expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual([FILE])
    expect((await loadSecrets(folder, {})).secrets).toEqual(secrets)
  })

  it.runIf(process.platform !== 'win32')('are not waited for where a pipe has their name', async () => {
    const folder = newFolder()
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(folder, FILE)])
    await expect(loadSecrets(folder, {})).rejects.toThrow(/secrets\.json is not a file\. Move it away/)
    expect(readdirSync(folder)).toEqual([FILE])
  })

  it.runIf(process.platform !== 'win32')('leave no part of themselves behind when they cannot be stored', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, FILE))
    await expect(writeSecrets(folder, makeSecrets())).rejects.toThrow()
    expect(readdirSync(folder)).toEqual([FILE])
  })

  it('are the given ones, and nothing is written, when both are given', async () => {
    const folder = newFolder()
    const given = { encryption: 'a', session: 'b' }
    expect((await loadSecrets(folder, given)).secrets).toEqual(given)
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    [{ encryption: 'given' }, 'session'],
    [{ session: 'given' }, 'encryption'],
  ] as const)('are %j and a stored one', async (given, made) => {
    const folder = newFolder()
    const one = await loadSecrets(folder, given)
    const two = await loadSecrets(folder, given)
    expect(one.secrets).toMatchObject(given)
    expect(two.secrets).toEqual(one.secrets)
    expect(one.secrets[made].length).toBeGreaterThan(40)
    expect(readFileSync(join(folder, FILE), 'utf8')).not.toContain('given')
  })

  it('are removed when this load created them, and only then', async () => {
    const folder = newFolder()
    await (await loadSecrets(folder, {})).discard()
    expect(readdirSync(folder)).toEqual([])
    await loadSecrets(folder, {})
    await (await loadSecrets(folder, {})).discard()
    expect(readdirSync(folder)).toEqual([FILE])
  })

  it('stay where the first start fails at a write, which may be stored and need them', async () => {
    const folder = newFolder()
    await (await createStorage({ driver: 'file', path: folder })).dispose()
    const db = new DatabaseSync(join(folder, 'fish.db'))
    db.exec("CREATE TRIGGER failing AFTER INSERT ON items BEGIN SELECT raise(FAIL, 'the disk fails'); END")
    const env = { FISH_STORAGE: `file:${folder}`, FISH_ADMIN_PASSWORD: 'boss-password' }
    await expect(startTestServer(env)).rejects.toThrow(/the disk fails/)
    const secrets = readFileSync(join(folder, FILE), 'utf8')
    db.exec('DROP TRIGGER failing')
    db.close()
    await (await startTestServer(env)).close()
    expect(readFileSync(join(folder, FILE), 'utf8')).toBe(secrets)
  })

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"encryption":"private-words"}',
    '{"encryption":"private-words","session":5}',
    '{"encryption":"private-words","session":""}',
  ])(
    'that are damaged (%j) are an error that says what to do and quotes nothing, and stay as they are',
    async (content) => {
      const folder = newFolder()
      writeFileSync(join(folder, FILE), content)
      const error = await loadSecrets(folder, {}).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(SecretsError)
      expect(String(error)).toMatch(/secrets\.json is damaged.*backup/)
      expect(String(error)).not.toContain('private-words')
      expect(readFileSync(join(folder, FILE), 'utf8')).toBe(content)
    },
  )

  it('are made although an earlier try broke off halfway', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, `${FILE}.new`), 'half')
    chmodSync(join(folder, `${FILE}.new`), 0o644)
    await loadSecrets(folder, {})
    expect(readdirSync(folder)).toEqual([FILE])
    if (process.platform !== 'win32') expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600)
  })

  it('are other ones each time they are made', () => {
    expect(makeSecrets()).not.toEqual(makeSecrets())
  })
})
