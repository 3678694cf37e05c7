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
  it('are generated once, are readable only by the owner of the folder, and are reused at later starts', async () => {
    const folder = newFolder()
    const { secrets } = await loadSecrets(folder, {})
    expect(Buffer.from(secrets.encryption, 'base64')).toHaveLength(32)
    expect(Buffer.from(secrets.session, 'base64')).toHaveLength(32)
    expect(secrets.encryption).not.toBe(secrets.session)
    if (process.platform !== 'win32') expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual([FILE])
    expect((await loadSecrets(folder, {})).secrets).toEqual(secrets)
  })

  it.runIf(process.platform !== 'win32')('are refused without waiting if their file is a pipe', async () => {
    const folder = newFolder()
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(folder, FILE)])
    await expect(loadSecrets(folder, {})).rejects.toThrow(/secrets\.json is not a file\. Move it away/)
    expect(readdirSync(folder)).toEqual([FILE])
  })

  it.runIf(process.platform !== 'win32')('leave no partial file if they cannot be stored', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, FILE))
    await expect(writeSecrets(folder, makeSecrets())).rejects.toThrow()
    expect(readdirSync(folder)).toEqual([FILE])
  })

  it('are neither generated nor stored if both secrets are given', async () => {
    const folder = newFolder()
    const given = { encryption: 'a', session: 'b' }
    expect((await loadSecrets(folder, given)).secrets).toEqual(given)
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    [{ encryption: 'given' }, 'session'],
    [{ session: 'given' }, 'encryption'],
  ] as const)('are the given secret %j and a generated secret, which is stored', async (given, made) => {
    const folder = newFolder()
    const one = await loadSecrets(folder, given)
    const two = await loadSecrets(folder, given)
    expect(one.secrets).toMatchObject(given)
    expect(two.secrets).toEqual(one.secrets)
    expect(one.secrets[made].length).toBeGreaterThan(40)
    expect(readFileSync(join(folder, FILE), 'utf8')).not.toContain('given')
  })

  it('are removed by discard() only if the call that returned discard() has created the secrets', async () => {
    const folder = newFolder()
    await (await loadSecrets(folder, {})).discard()
    expect(readdirSync(folder)).toEqual([])
    await loadSecrets(folder, {})
    await (await loadSecrets(folder, {})).discard()
    expect(readdirSync(folder)).toEqual([FILE])
  })

  it('are kept if the first start fails during a write, since stored data may need them', async () => {
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
    'cause an error with the next step if their file is damaged (%j), and the file is neither quoted nor changed',
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

  it('are generated even if an earlier attempt has left a partial file', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, `${FILE}.new`), 'half')
    chmodSync(join(folder, `${FILE}.new`), 0o644)
    await loadSecrets(folder, {})
    expect(readdirSync(folder)).toEqual([FILE])
    if (process.platform !== 'win32') expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600)
  })

  it('differ each time they are generated', () => {
    expect(makeSecrets()).not.toEqual(makeSecrets())
  })
})
