import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '@fish-crab/sdk'
import { type OutboxClient, openOutbox } from '@fish-crab/sdk/outbox'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { folderContent } from '../../scripts/test-support/folder-content.ts'
import { outboxPath } from '../src/session/paths.ts'
import { newFolder, writeProfiles, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext } from './harness.ts'

const context = serviceContext()
let folder: string
let env: Env

beforeEach(() => {
  folder = newFolder()
  env = { ...context.player, ...xdgFolders(folder) }
})

const json = async (argv: readonly string[], more: Env = {}) => {
  const { status, stdout } = await run([...argv, '--json'], { env: { ...env, ...more } })
  return { status, document: JSON.parse(stdout) }
}

/** Queues catches of an unknown player, which the service rejects. */
async function addRejected(count: number) {
  const file = join(folder, 'catches.csv')
  await writeFile(file, Array.from({ length: count }, (_, index) => `Cod ${index},1\n`).join(''))
  const { status } = await run(['add', '--file', file, '--user', 'Nobody'], { env })
  expect(status).toBe(7)
}

describe('outbox', () => {
  test('is shared with all programs that use the default outbox of the SDK', async () => {
    for (const [name, value] of Object.entries(xdgFolders(folder))) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const service = 'https://Fish.example.org:8443/api/'
    await using outbox = await openOutbox({ baseUrl: service, user: 'Alex', gamemode: 'earth' })
    await outbox.add({ kind: 'crab' })
    const { document } = await json(['outbox'], { FISH_URL: service })
    expect(document).toMatchObject({ waiting: 1 })
  })

  test('reports catches that wait for a service at a different address, with the command that sends these catches, and changes nothing', async () => {
    const away = 'http://127.0.0.1:9'
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: away }, piped: 'Cod\nKoi\n' })
    const note =
      'fish-cli: 2 catches are waiting for the service http://127.0.0.1:9. Send them: fish-cli outbox --send --url http://127.0.0.1:9\n'
    const before = folderContent(folder)
    expect((await run(['outbox'], { env })).stderr).toBe(`${note}The outbox is empty.\n`)
    expect((await json(['outbox'])).document.otherServices).toEqual([{ url: away, queued: 2 }])
    expect(folderContent(folder)).toEqual(before)
    expect((await run(['outbox', '--url', `${away}/`], { env })).stderr).toBe('')
    // The added crab is not in the main database file yet, as after a kill or while the program runs.
    await using open = await openOutbox({ path: outboxPath({ env }, away), user: 'Alex', gamemode: 'earth' })
    await open.add({ kind: 'crab' })
    expect((await json(['outbox'])).document.otherServices).toEqual([{ url: away, queued: 3 }])
  })

  test('is reported by a login that replaces the address of the profile', async () => {
    const away = 'http://127.0.0.1:9'
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: away }, piped: 'Cod' })
    await writeProfiles(folder, { default: { url: away } })
    const login = () =>
      run(['login', 'Alex', '--profile', 'default', '--yes'], { env: { ...env, FISH_PASSWORD: context.alex.password } })
    const { status, stderr } = await login()
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(`--url ${away}\n`) })
    expect((await login()).stderr).toBe('')
  })

  test('reports an unreadable outbox for a different address, and changes nothing', async () => {
    const damaged = outboxPath({ env }, 'http://127.0.0.1:9')
    await mkdir(dirname(damaged), { recursive: true })
    await writeFile(damaged, 'no outbox')
    const before = folderContent(folder)
    const { status, stderr } = await run(['outbox'], { env })
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `fish-cli: The outbox ${damaged} cannot be read. Move the file away to continue. Catches that wait in this file are then not sent.\nThe outbox is empty.\n`,
    })
    expect((await json(['outbox'])).document.otherServices).toEqual([])
    const { checks } = (await json(['doctor', '--offline'])).document
    expect(checks).toContainEqual({
      check: 'outbox',
      status: 'warn',
      result: `The outbox ${damaged} cannot be read.`,
      fix: expect.stringContaining('Move the file away'),
    })
    expect(folderContent(folder)).toEqual(before)
  })

  test('skips a file for a different address if the file was renamed or is not an outbox', async () => {
    const away = 'http://127.0.0.1:9'
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: away }, piped: 'Cod' })
    const state = join(folder, 'state', 'fish-crab')
    await rename(outboxPath({ env }, away), join(state, 'outbox-renamed-00000000.db'))
    await writeFile(join(state, 'outbox-empty-00000000.db'), '')
    await mkdir(join(state, 'outbox-folder-00000000.db'))
    await symlink('/dev/zero', join(state, 'outbox-endless-00000000.db'))
    const before = folderContent(folder)
    const { status, stderr } = await run(['outbox'], { env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'The outbox is empty.\n' })
    expect(folderContent(folder)).toEqual(before)
  })

  test('is sent only to its own service, even if its file has the name of the outbox for a different service', async () => {
    const away = { FISH_URL: 'http://127.0.0.1:9' }
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, ...away }, piped: 'Cod' })
    await rename(outboxPath({ env }, away.FISH_URL), outboxPath({ env }, env.FISH_URL ?? ''))
    const { status, document } = await json(['outbox', '--send'])
    expect({ status, document }).toMatchObject({
      status: 1,
      document: { error: { code: 'outbox_other_service', message: expect.stringContaining(folder) } },
    })
  })

  test('prints rejected catches with the reason, sends them again, and deletes them only after confirmation', async () => {
    await addRejected(3)
    const { document } = await json(['outbox'])
    expect(document).toMatchObject({ waiting: 0, rejected: 3, batches: [{ count: 3, user: 'Nobody' }] })
    const id = String(document.batches[0].id)
    const { stdout, stderr } = await run(['outbox'], { env })
    expect(stdout).toMatch(/^KIND +USER +GAMEMODE +WAITING +REJECTED\nfish +Nobody +earth +0 +3\n$/)
    expect(stderr).toMatch(/Check the spelling; letter case does not matter\.\n.*fish-cli outbox --retry\n$/s)
    expect((await json(['outbox', '--retry', '--user', 'Nobody'])).status).toBe(7)
    const [{ id: again }] = (await json(['outbox'])).document.batches
    expect(again).not.toBe(id)
    expect((await json(['outbox', '--drop'])).status).toBe(2)
    expect((await json(['outbox', '--drop', '--yes'])).document).toEqual({ dropped: 3 })
    expect((await json(['outbox'])).document.rejected).toBe(0)
  })

  test('is not created by a command that has nothing to change', async () => {
    for (const argv of [[], ['--drop', '--yes'], ['--cancel', '--yes']]) {
      expect((await json(['outbox', ...argv])).status).toBe(0)
    }
    expect(await readdir(folder)).toEqual([])
  })

  describe('--cancel', () => {
    const away = { FISH_URL: 'http://127.0.0.1:9' }
    const add = async (names: readonly string[], more: Env = {}) => {
      const file = join(folder, 'catches.csv')
      await writeFile(file, names.map((each) => `${each},1\n`).join(''))
      expect((await run(['add', '--file', file, '--again'], { env: { ...env, ...away, ...more } })).status).toBe(69)
      return file
    }
    const waiting = async () => (await json(['outbox'], away)).document.waiting

    test('deletes only the waiting catches of the player, and only after confirmation', async () => {
      await add(['Cod', 'Koi'])
      await add(['Eel'], { FISH_USER: 'Bella' })
      await unseal()
      const ask = (typed: string) => run(['outbox', '--cancel'], { env: { ...env, ...away }, terminal: true, typed })
      expect(await ask('n\r')).toMatchObject({ status: 1, stderr: expect.stringContaining('Delete 2 catches of Alex') })
      expect((await json(['outbox', '--cancel'], away)).status).toBe(2)
      expect(await waiting()).toBe(3)
      const { stdout } = await run(['outbox', '--cancel', '--yes'], { env: { ...env, ...away } })
      expect(stdout).toBe('Deleted 2 catches.\n')
      expect(await waiting()).toBe(1)
    })

    test('keeps a batch that is being sent, because the service may have stored the batch', async () => {
      await add(['Cod', 'Koi'])
      const { status, document } = await json(['outbox', '--cancel', '--yes'], away)
      expect({ status, document }).toEqual({ status: 7, document: { cancelled: 0, underWay: 2 } })
      expect(await waiting()).toBe(2)
    })

    /** Returns the catches of a frozen batch to the queue. */
    async function unseal() {
      const refuses = (error: Error) => () => Promise.reject(error)
      const expired = new ApiError('Too old.', { code: 'token_expired', status: 403, headers: {} })
      const resource = { encrypt: refuses(new Error('Not now.')), send: refuses(expired) }
      const client = { fish: resource, crabs: resource } as unknown as OutboxClient
      const { path } = (await json(['outbox'], away)).document
      await using outbox = await openOutbox({ path, client })
      await outbox.flush()
      expect(await outbox.cancel({ dryRun: true })).toMatchObject({ frozen: 0 })
    }
  })

  test('for one service is not sent to a different service', async () => {
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: 'http://127.0.0.1:9' }, piped: 'Cod' })
    expect((await json(['outbox', '--send'])).document).toEqual({ sent: 0, rejected: 0, waiting: 0 })
    const other = { FISH_URL: 'http://127.0.0.1:9' }
    expect((await json(['outbox'], other)).document.waiting).toBe(1)
  })
})
