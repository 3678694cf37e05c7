import { MEDIA_TYPES, type NewPassword } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { actions, asRoot, login, withSession } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService, createSteppedPasswords } from './memory-service.ts'
import { basic, type TestService, UNLIMITED } from './test-service.ts'

const NEW = 'a new password'

function change(service: TestService, authorization: string, body: unknown): Promise<Response> {
  return service.request('/user/password', {
    method: 'POST',
    headers: { authorization, 'content-type': MEDIA_TYPES.json },
    body: JSON.stringify(body),
  })
}

const readKey = (service: TestService, password: string) =>
  service.request('/get/user/key', { headers: { authorization: basic('Alex', password) } })

describe('a player who changes the password', () => {
  it('logs in with the new password from then on, and no longer with the old one', async () => {
    const service = await createMemoryService(UNLIMITED)
    const { root } = service
    expect((await readKey(service, 'alex-password')).status).toBe(200)
    expect((await change(service, basic('Alex', 'alex-password'), { password: NEW })).status).toBe(204)
    await expectError(await readKey(service, 'alex-password'), 'invalid_credentials')
    expect((await readKey(service, NEW)).status).toBe(200)
    const log = await actions(withSession(service, await sessionOf(service, root.username, root.password)))
    expect(log).toContain('Alex user.password Alex')
  })

  it('needs the old password, and a new password of 8 to 256 characters', async () => {
    const service = await createMemoryService(UNLIMITED)
    await expectError(await change(service, basic('Alex', 'wrong-password'), { password: NEW }), 'invalid_credentials')
    for (const password of ['short', 'x'.repeat(257), undefined]) {
      await expectError(await change(service, basic('Alex', 'alex-password'), { password }), 'invalid_payload')
    }
    expect((await readKey(service, 'alex-password')).status).toBe(200)
  })

  it('cannot be an administrator, who has an endpoint of their own', async () => {
    const service = await createMemoryService(UNLIMITED)
    const { username, password } = service.root
    await expectError(await change(service, basic(username, password), { password: NEW }), 'forbidden')
  })

  it('does not undo a reset that an administrator made while the new password was hashed', async () => {
    const { passwords, beforeHash } = createSteppedPasswords()
    const service = await createMemoryService({ ...UNLIMITED, passwords })
    const admin = await asRoot(service)
    let generated = ''
    beforeHash(async (password) => {
      if (password !== NEW) return
      const response = await admin('POST', '/admin/users/Alex/reset', { type: 'password' })
      generated = ((await response.json()) as NewPassword).password
    })
    await expectError(await change(service, basic('Alex', 'alex-password'), { password: NEW }), 'invalid_credentials')
    expect((await readKey(service, generated)).status).toBe(200)
  })
})

async function sessionOf(service: TestService, username: string, password: string): Promise<string> {
  return ((await (await login(service, username, password)).json()) as { token: string }).token
}

describe('an administrator who changes the password', () => {
  it('ends all sessions, and logs in with the new password', async () => {
    const service = await createMemoryService(UNLIMITED)
    const { username, password } = service.root
    const [admin, other] = [await asRoot(service), await asRoot(service)]
    expect((await admin('POST', '/admin/password', { password, newPassword: NEW })).status).toBe(204)
    for (const session of [admin, other]) await expectError(await session('GET', '/admin/me'), 'invalid_session')
    await expectError(await login(service, username, password), 'invalid_credentials')
    const log = await actions(withSession(service, await sessionOf(service, username, NEW)))
    expect(log).toContain(`${username} admin.password ${username}`)
  })

  it('needs the old password besides the session, and wrong ones count as failed logins', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const wrong = { password: 'wrong-password', newPassword: NEW }
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await expectError(await admin('POST', '/admin/password', wrong), 'invalid_credentials')
    }
    await expectError(await admin('POST', '/admin/password', wrong), 'rate_limited')
    expect((await admin('GET', '/admin/me')).status).toBe(200)
  })
})

it('a change of the password does not undo a reset by another superadmin while the new password is hashed', async () => {
  const { passwords, beforeHash } = createSteppedPasswords()
  const service = await createMemoryService({ ...UNLIMITED, passwords })
  const root = await asRoot(service)
  await root('POST', '/admin/admins', { username: 'mia', password: 'mia-password' })
  const mia = withSession(service, await sessionOf(service, 'mia', 'mia-password'))
  let generated = ''
  beforeHash(async (password) => {
    if (password !== NEW) return
    generated = ((await (await root('POST', '/admin/admins/mia/reset')).json()) as NewPassword).password
  })
  const body = { password: 'mia-password', newPassword: NEW }
  await expectError(await mia('POST', '/admin/password', body), 'invalid_credentials')
  expect((await login(service, 'mia', generated)).status).toBe(200)
})

describe('the reset of an administrator by a superadmin', () => {
  it('returns a generated password, and ends the sessions of that administrator', async () => {
    const service = await createMemoryService(UNLIMITED)
    const root = await asRoot(service)
    await root('POST', '/admin/admins', { username: 'mia', password: 'mia-password' })
    const mia = withSession(service, await sessionOf(service, 'mia', 'mia-password'))
    await expectError(await mia('POST', '/admin/admins/root/reset'), 'forbidden')
    const { password } = (await (await root('POST', '/admin/admins/MIA/reset')).json()) as NewPassword
    expect(password).toMatch(/^[A-Za-z0-9]{20}$/)
    await expectError(await mia('GET', '/admin/me'), 'invalid_session')
    expect((await login(service, 'mia', password)).status).toBe(200)
    expect(await actions(root)).toContain('root admin.reset.password mia')
    await expectError(await root('POST', '/admin/admins/nobody/reset'), 'admin_not_found')
  })
})
