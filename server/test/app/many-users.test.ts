import { type Session, type UserLine, userLineSchema } from '@fish-crab/sdk/contract'
import type { PasswordHasher } from '@fish-crab/server/app'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { asRoot, list, login, names, withSession } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { basic, type TestService, UNLIMITED } from './test-service.ts'

const linesOf = (text: string): UserLine[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => userLineSchema.parse(JSON.parse(line)))

async function sessionOf(service: TestService): Promise<string> {
  return ((await (await login(service, 'second', 'a long password')).json()) as Session).token
}

describe('a request that creates several users', () => {
  it('returns one line for each user in order: the secrets, or the reason why not', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const users = [
      { name: 'Bea' },
      { name: 'alex' },
      { name: 'two words' },
      { name: 'Cleo', password: 'short' },
      { name: 'Dora', password: 'a chosen password' },
      { name: 'bea' },
    ]
    const response = await admin('POST', '/admin/users/bulk', { users })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const lines = linesOf(await response.text())
    expect(lines.map((line) => [line.name, line.status === 'error' ? line.code : line.status])).toEqual([
      ['Bea', 'created'],
      ['alex', 'user_exists'],
      ['two words', 'invalid_payload'],
      ['Cleo', 'invalid_payload'],
      ['Dora', 'created'],
      ['bea', 'user_exists'],
    ])
    for (const line of lines) {
      if (line.status !== 'created') continue
      const key = await service.request('/get/user/key', {
        headers: { authorization: basic(line.name, line.password) },
      })
      expect(await key.json()).toEqual({ fernetKey: line.fernetKey })
    }
    expect(names(await list(admin))).toEqual(['Alex', 'Bea', 'Dora'])
  })

  it('creates a user when its line is read, and stops at the next user when the client leaves', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const users = Array.from({ length: 500 }, (_, index) => ({ name: `Player${index}` }))
    const { body } = await admin('POST', '/admin/users/bulk', { users })
    const reader = body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect((await list(admin)).users.length).toBeLessThanOrEqual(3)
  })

  it('takes 1 to 500 users and a body of up to 1 MiB', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const users = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `x ${index}`.padEnd(900) }))
    expect(linesOf(await (await admin('POST', '/admin/users/bulk', { users: users(500) })).text())).toHaveLength(500)
    await expectError(await admin('POST', '/admin/users/bulk', { users: users(501) }), 'invalid_payload')
    await expectError(await admin('POST', '/admin/users/bulk', { users: [] }), 'invalid_payload')
    const large = [{ name: 'x'.repeat(1024 * 1024) }]
    await expectError(await admin('POST', '/admin/users/bulk', { users: large }), 'payload_too_large')
  })

  it('does not hide a user with the name bulk', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    await admin('POST', '/admin/users', { name: 'bulk' })
    expect((await admin('GET', '/admin/users/bulk')).status).toBe(200)
    const refused = await admin('PATCH', '/admin/users/bulk')
    await expectError(refused, 'method_not_allowed')
    expect((await admin('DELETE', '/admin/users/bulk')).status).toBe(204)
  })

  it('gives the remaining users the error of a failed storage without trying them', async () => {
    const storage = createMemoryStorage()
    let attempts = 0
    const setItemIfAbsent: typeof storage.setItemIfAbsent = (key, value) => {
      if (!key.startsWith('user:player')) return storage.setItemIfAbsent(key, value)
      attempts += 1
      return attempts > 1 ? Promise.reject(new Error('the disk failed')) : storage.setItemIfAbsent(key, value)
    }
    const service = await createMemoryService({
      ...UNLIMITED,
      storage: { ...storage, observedBy: () => ({ ...storage, setItemIfAbsent }) },
    })
    const admin = await asRoot(service)
    const users = [1, 2, 3, 4].map((number) => ({ name: `Player${number}` }))
    const lines = linesOf(await (await admin('POST', '/admin/users/bulk', { users })).text())
    expect(lines.map((line) => (line.status === 'error' ? line.code : line.status))).toEqual([
      ...['created', 'internal_error', 'internal_error', 'internal_error'],
    ])
    expect(attempts).toBe(2)
  })

  it('hashes generated passwords at the low cost, and chosen passwords at the full cost', async () => {
    const isRandom: unknown[] = []
    const passwords: PasswordHasher = {
      ...plainPasswords,
      hash(password, options) {
        isRandom.push(options?.isRandom)
        return plainPasswords.hash(password)
      },
    }
    const service = await createMemoryService({ ...UNLIMITED, passwords })
    const admin = await asRoot(service)
    isRandom.length = 0
    const users = [{ name: 'Bea' }, { name: 'Cleo', password: 'a chosen password' }]
    await (await admin('POST', '/admin/users/bulk', { users })).text()
    expect(isRandom).toEqual([true, false])
  })

  it('stops when the administrator is deleted meanwhile', async () => {
    const service = await createMemoryService(UNLIMITED)
    const root = await asRoot(service)
    await root('POST', '/admin/admins', { username: 'second', password: 'a long password', role: 'superadmin' })
    const users = [1, 2, 3].map((number) => ({ name: `Player${number}` }))
    const { body } = await root('POST', '/admin/users/bulk', { users })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    const first = await reader?.read()
    expect(linesOf(first?.value ?? '')).toMatchObject([{ status: 'created' }])
    const second = withSession(service, await sessionOf(service))
    expect((await second('DELETE', '/admin/admins/root')).status).toBe(204)
    let rest = ''
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) rest += part.value
    expect(linesOf(rest).at(-1)).toMatchObject({ status: 'error', code: 'invalid_session' })
  })
})
