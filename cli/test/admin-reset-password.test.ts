import { join } from 'node:path'
import { createLogger, readConfig, startServer } from '@fish-crab/server'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from './folders.ts'
import { type Env, PASSWORDS, run } from './harness.ts'

const NEW_PASSWORD = 'canary-new-admin-password'

/** The address of a new data folder, and a function that starts a server on the folder. */
async function dataFolder() {
  const storage = `file:${join(newFolder(), 'data')}`
  const start = async (password: string) => {
    const env = { FISH_STORAGE: storage, FISH_PORT: '0', FISH_ADMIN_PASSWORD: password }
    const logger = createLogger('silent', { stream: process.stderr, colours: false })
    const server = await startServer(readConfig({ env }), { logger, version: '0.0.0-test', passwords: PASSWORDS })
    let closed: Promise<void> | undefined
    const close = () => {
      closed ??= server.close()
      return closed
    }
    onTestFinished(close)
    return { ...server, close }
  }
  return { storage, start }
}

const reset = (storage: string, more: readonly string[] = [], env: Env = {}) =>
  run(['admin', 'reset-password', 'ADMIN', '--storage', storage, '--json', ...more], {
    env: { FISH_NEW_PASSWORD: NEW_PASSWORD, ...env },
  })

test('admin reset-password replaces a lost password, ends open sessions, and adds an entry to the audit log', async () => {
  const { storage, start } = await dataFolder()
  const first = await start('canary-lost-password')
  const home = newFolder()
  const kept = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home }
  const as = (url: string, password: string, argv: readonly string[]) =>
    run(argv, { env: { ...kept, FISH_URL: url, FISH_ADMIN_PASSWORD: password } })
  expect((await as(first.url, 'canary-lost-password', ['login', 'admin', '--admin'])).status).toBe(0)
  await first.close()
  const done = await reset(storage)
  expect({ status: done.status, document: JSON.parse(done.stdout) }).toEqual({
    status: 0,
    document: { username: 'admin', role: 'superadmin' },
  })
  expect(done.stdout + done.stderr).not.toContain(NEW_PASSWORD)
  const second = await start(NEW_PASSWORD)
  expect((await as(second.url, 'canary-lost-password', ['admin', 'list'])).status).toBe(4)
  const { stdout } = await as(second.url, NEW_PASSWORD, ['audit', '--json'])
  expect(JSON.parse(stdout).entries).toContainEqual(
    expect.objectContaining({ actor: 'local', action: 'admin.reset.password', subject: 'admin', address: 'local' }),
  )
})

test('admin reset-password does not change a data folder that a server is using', async () => {
  const { storage, start } = await dataFolder()
  const server = await start('canary-lost-password')
  const { status, stdout } = await reset(storage)
  expect({ status, code: JSON.parse(stdout).error.code }).toEqual({ status: 6, code: 'in_use' })
  const env = { FISH_URL: server.url, FISH_ADMIN_PASSWORD: 'canary-lost-password' }
  expect((await run(['admin', 'list'], { env })).status).toBe(0)
})

test('admin reset-password rejects --url with --storage, because the data folder needs no service', async () => {
  const { stdout, status } = await reset('file:./nowhere', ['--url', 'http://127.0.0.1:1'])
  expect({ status, message: JSON.parse(stdout).error.message }).toEqual({
    status: 2,
    message: expect.stringContaining('--url'),
  })
})

test('the server warns about FISH_ADMIN_PASSWORD at startup only if the variable has no effect', async () => {
  const { start } = await dataFolder()
  const first = await start('canary-first-password')
  expect(first.warnings).toEqual([])
  await first.close()
  const second = await start('canary-other-password')
  expect(second.warnings.join()).toContain('FISH_ADMIN_PASSWORD has no effect')
  expect(second.warnings.join()).not.toContain('canary')
})

test('admin reset-password uses the running service, and names --storage if no superadmin can log in', async () => {
  const { start } = await dataFolder()
  const server = await start('canary-admin-password')
  const env = { FISH_URL: server.url, FISH_ADMIN_PASSWORD: 'canary-admin-password', FISH_NEW_PASSWORD: NEW_PASSWORD }
  expect((await run(['admin', 'create', 'mia'], { env })).status).toBe(0)
  const argv = ['admin', 'reset-password', 'mia', '--yes', '--show']
  const { status, stdout } = await run(argv, { env })
  expect(status).toBe(0)
  const mia = { ...env, FISH_ADMIN_USERNAME: 'mia' }
  expect((await run(['user', 'list'], { env: { ...mia, FISH_ADMIN_PASSWORD: NEW_PASSWORD } })).status).toBe(4)
  expect((await run(['user', 'list'], { env: { ...mia, FISH_ADMIN_PASSWORD: stdout.trim() } })).status).toBe(0)

  const offline = 'fish-cli admin reset-password mia --storage file:./data'
  for (const lost of [
    { FISH_ADMIN_PASSWORD: 'canary-wrong' },
    { FISH_ADMIN_PASSWORD: '' },
    { FISH_URL: 'http://127.0.0.1:1' },
  ]) {
    const failed = await run(argv, { env: { ...env, FISH_MAX_WAIT: '0', ...lost } })
    expect([failed.status === 0, failed.stderr]).toEqual([false, expect.stringContaining(offline)])
  }
})
