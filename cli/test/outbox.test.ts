import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '@fish-crab/sdk'
import { type OutboxClient, openOutbox } from '@fish-crab/sdk/outbox'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { folderContent } from '../../scripts/test-support/folder-content.ts'
import { outboxPath } from '../src/client/outbox-path.ts'
import { newFolder, xdgFolders } from './folders.ts'
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

/** Puts catches of somebody whom the service does not know into the outbox: they are set aside. */
async function addDeadLetter(count: number) {
  const file = join(folder, 'catches.csv')
  await writeFile(file, Array.from({ length: count }, (_, index) => `Cod ${index},1\n`).join(''))
  const { status } = await run(['add', '--file', file, '--user', 'Nobody'], { env })
  expect(status).toBe(7)
}

describe('outbox', () => {
  test('is that of every program on the SDK that names no other', async () => {
    for (const [name, value] of Object.entries(xdgFolders(folder))) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const service = 'https://Fish.example.org:8443/api/'
    await using outbox = await openOutbox({ baseUrl: service, user: 'Alex', gamemode: 'earth' })
    await outbox.add({ kind: 'crab' })
    const { document } = await json(['outbox', 'status'], { FISH_URL: service })
    expect(document).toMatchObject({ queued: 1 })
  })

  test('says what is queued for another address and how to send it, and changes nothing', async () => {
    const away = 'http://127.0.0.1:9'
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: away }, piped: 'Cod\nKoi\n' })
    const note =
      'fish-cli: 2 catches not sent to http://127.0.0.1:9 yet. Send them: fish-cli outbox flush --url http://127.0.0.1:9\n'
    const before = folderContent(folder)
    expect((await run(['outbox', 'status'], { env })).stderr).toBe(`${note}The outbox is empty.\n`)
    expect((await json(['outbox', 'status'])).document.otherServices).toEqual([{ url: away, queued: 2 }])
    expect(folderContent(folder)).toEqual(before)
    expect((await run(['outbox', 'status', '--url', `${away}/`], { env })).stderr).toBe('')
    // Not yet in the file itself: its program was killed, or goes on.
    await using open = await openOutbox({ path: outboxPath({ env }, away), user: 'Alex', gamemode: 'earth' })
    await open.add({ kind: 'crab' })
    expect((await json(['outbox', 'status'])).document.otherServices).toEqual([{ url: away, queued: 3 }])
  })

  test('is reported by a login that replaces its address in the profile', async () => {
    const away = 'http://127.0.0.1:9'
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: away }, piped: 'Cod' })
    await run(['profile', 'add', 'default', '--url', away], { env })
    const login = () =>
      run(['login', 'Alex', '--profile', 'default', '--yes'], { env: { ...env, FISH_PASSWORD: context.alex.password } })
    const { status, stderr } = await login()
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(`--url ${away}\n`) })
    expect((await login()).stderr).toBe('')
  })

  test('status reports an outbox of another address that cannot be read, and changes nothing', async () => {
    const damaged = outboxPath({ env }, 'http://127.0.0.1:9')
    await mkdir(dirname(damaged), { recursive: true })
    await writeFile(damaged, 'no outbox')
    const before = folderContent(folder)
    const { status, stderr } = await run(['outbox', 'status'], { env })
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `fish-cli: The outbox of another address, ${damaged}, cannot be read. Move it away to continue without it; the catches queued in it are then not sent.\nThe outbox is empty.\n`,
    })
    expect((await json(['outbox', 'status'])).document.otherServices).toEqual([])
    const { checks } = (await json(['doctor', '--offline'])).document
    expect(checks).toContainEqual({
      check: 'outbox',
      status: 'warn',
      result: `The outbox of another address, ${damaged}, cannot be read.`,
      fix: expect.stringContaining('Move it away'),
    })
    expect(folderContent(folder)).toEqual(before)
  })

  test('status passes over a file of another address that is renamed or none of an outbox', async () => {
    const away = 'http://127.0.0.1:9'
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: away }, piped: 'Cod' })
    const state = join(folder, 'state', 'fish-crab')
    await rename(outboxPath({ env }, away), join(state, 'outbox-renamed-00000000.db'))
    await writeFile(join(state, 'outbox-empty-00000000.db'), '')
    await mkdir(join(state, 'outbox-folder-00000000.db'))
    await symlink('/dev/zero', join(state, 'outbox-endless-00000000.db'))
    const before = folderContent(folder)
    const { status, stderr } = await run(['outbox', 'status'], { env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'The outbox is empty.\n' })
    expect(folderContent(folder)).toEqual(before)
  })

  test('that was renamed to that of another service is not sent there', async () => {
    const away = { FISH_URL: 'http://127.0.0.1:9' }
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, ...away }, piped: 'Cod' })
    await rename(outboxPath({ env }, away.FISH_URL), outboxPath({ env }, env.FISH_URL ?? ''))
    const { status, document } = await json(['outbox', 'flush'])
    expect({ status, document }).toMatchObject({
      status: 1,
      document: { error: { code: 'outbox_other_service', message: expect.stringContaining(folder) } },
    })
  })

  test('says what is set aside and why, queues it again, and drops it only after a yes', async () => {
    await addDeadLetter(3)
    const { document } = await json(['outbox', 'status'])
    expect(document).toMatchObject({ queued: 0, deadLetters: 3, batches: [{ count: 3, user: 'Nobody' }] })
    const id = String(document.batches[0].id)
    expect((await run(['outbox', 'status'], { env })).stdout).toMatch(
      /^KIND +USER +GAMEMODE +QUEUED +DEAD LETTERS\nfish +Nobody +earth +0 +3\n$/,
    )
    expect((await json(['outbox', 'retry', 'all'])).status).toBe(2)
    expect((await run(['outbox', 'status'], { env })).stderr).toContain(
      'Check the spelling; letter case does not matter.\nfish-cli: When the reason is gone, send them: fish-cli outbox retry\n',
    )
    expect((await json(['outbox', 'retry', id])).document).toEqual({ queued: 3 })
    expect((await json(['outbox', 'flush'])).document).toMatchObject({ sent: 0, left: 3 })
    expect((await json(['outbox', 'flush', '--user', 'Nobody'])).status).toBe(7)
    expect((await json(['outbox', 'drop'])).status).toBe(2)
    expect((await json(['outbox', 'status'])).document.deadLetters).toBe(3)
    expect((await json(['outbox', 'drop', '--yes'])).document).toEqual({ dropped: 3 })
    expect((await json(['outbox', 'status'])).document.deadLetters).toBe(0)
  })

  test('is not made by who only looks, or would change what is not there', async () => {
    for (const argv of [['status'], ['retry'], ['drop', '--yes'], ['cancel', '--all', '--yes']]) {
      expect((await json(['outbox', ...argv])).status).toBe(0)
    }
    expect((await json(['outbox', 'drop', '1', '--yes'])).status).toBe(5)
    expect(await readdir(folder)).toEqual([])
  })

  describe('cancel', () => {
    test('without --file and --all says once what is missing, and takes only one of them', async () => {
      expect((await json(['outbox', 'cancel', '--all', '--file', 'x', '--yes'])).status).toBe(2)
      const { status, stderr } = await run(['outbox', 'cancel'], { env })
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: 'fish-cli: Missing --file or --all.\n  Choose the catches to cancel: --file FILE, or --all.\n',
      })
    })

    const away = { FISH_URL: 'http://127.0.0.1:9' }
    const add = async (name: string, names: readonly string[]) => {
      const file = join(folder, name)
      await writeFile(file, names.map((each) => `${each},1\n`).join(''))
      expect((await run(['add', '--file', file], { env: { ...env, ...away } })).status).toBe(69)
      return file
    }
    const waiting = async () => (await json(['outbox', 'status'], away)).document.queued

    test('takes a wrong import out of the queue, and nothing else, after a yes', async () => {
      const wrong = await add('wrong.csv', ['Cod', 'Koi', 'Eel'])
      const right = await add('right.csv', ['Salmon'])
      const cancel = ['outbox', 'cancel', '--file', wrong]
      // What Ctrl-C left frozen is another matter, see below.
      await unseal()
      expect((await json(cancel, away)).status).toBe(2)
      expect((await json([...cancel, '--no-input'], away)).document.error.message).toContain('3 catches')
      expect(await waiting()).toBe(4)
      expect(await json([...cancel, '--yes'], away)).toEqual({ status: 0, document: { cancelled: 3, underWay: 0 } })
      expect(await waiting()).toBe(1)
      expect((await json(['outbox', 'cancel', '--file', right, '--yes'], away)).document.cancelled).toBe(1)
    })

    test('with --all empties the queue; a file that is given again is a new import', async () => {
      const file = await add('all.csv', ['Cod', 'Koi'])
      await unseal()
      const { stdout } = await run(['outbox', 'cancel', '--all', '--yes'], { env: { ...env, ...away } })
      expect(stdout).toBe('Cancelled 2 catches.\n')
      expect(await waiting()).toBe(0)
      await add('all.csv', ['Cod', 'Koi'])
      expect(await waiting()).toBe(2)
      await unseal()
      await json(['outbox', 'cancel', '--file', file, '--yes'], away)
      await add('all.csv', ['Cod', 'Koi'])
      expect(await waiting()).toBe(2)
    })

    test('leaves a batch under way, and says that it may have been stored', async () => {
      const file = await add('frozen.csv', ['Cod', 'Koi'])
      const { status, stdout } = await run(['outbox', 'cancel', '--file', file, '--yes'], { env: { ...env, ...away } })
      expect({ status, stdout }).toEqual({
        status: 7,
        stdout: expect.stringMatching(/^Cancelled 0 catches\. 2 catches are in a batch being sent/),
      })
      expect(await waiting()).toBe(2)
      const repeated = await json(['add', '--file', file], away)
      expect([repeated.status, repeated.document.error.code]).toEqual([6, 'import_cancelled'])
      expect(await waiting()).toBe(2)
    })

    test('of all does not cancel what is added later: the same file goes to another gamemode while it is sent', async () => {
      await add('other.csv', ['Eel'])
      await unseal()
      expect((await json(['outbox', 'cancel', '--all', '--yes'], away)).document.cancelled).toBe(1)
      const file = await add('both.csv', ['Cod', 'Koi'])
      const elsewhere = await json(['add', '--file', file, '--gamemode', 'oneblock'], away)
      expect([elsewhere.status, elsewhere.document.error.code]).toEqual([69, expect.not.stringContaining('cancelled')])
      expect(await waiting()).toBe(4)
    })

    test('asks on a terminal, and only a yes changes something', async () => {
      await add('asked.csv', ['Cod'])
      await unseal()
      const ask = (typed: string) =>
        run(['outbox', 'cancel', '--all'], { env: { ...env, ...away }, terminal: true, typed })
      expect(await ask('n\r')).toMatchObject({ status: 1, stderr: expect.stringContaining('Cancel 1 catch') })
      expect(await waiting()).toBe(1)
      expect((await ask('y\r')).status).toBe(0)
      expect(await waiting()).toBe(0)
    })

    /** Makes queued catches of what was frozen for a service that was out of reach. */
    async function unseal() {
      const refuses = (error: Error) => () => Promise.reject(error)
      const expired = new ApiError('Too old.', { code: 'token_expired', status: 403, headers: {} })
      const resource = { encrypt: refuses(new Error('Not now.')), send: refuses(expired) }
      const client = { fish: resource, crabs: resource } as unknown as OutboxClient
      const { path } = (await json(['outbox', 'status'], away)).document
      await using outbox = await openOutbox({ path, client })
      await outbox.flush()
      expect(await outbox.cancel({ dryRun: true })).toMatchObject({ frozen: 0 })
    }
  })

  test('of one service is not sent to another', async () => {
    await run(['add', '--file', '-', '-r', '1'], { env: { ...env, FISH_URL: 'http://127.0.0.1:9' }, piped: 'Cod' })
    expect((await json(['outbox', 'flush'])).document).toEqual({ sent: 0, deadLetters: 0, left: 0 })
    const other = { FISH_URL: 'http://127.0.0.1:9' }
    expect((await json(['outbox', 'status'], other)).document.queued).toBe(1)
  })
})
