import { describe, expect, it } from 'vitest'
import { asRoot, create, login, withSession } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

async function openService() {
  const service = await createMemoryService(UNLIMITED)
  const admin = await asRoot(service)
  const { apiKey } = await create(admin, 'Bea')
  const caughtAt = '2026-01-01T00:00:00.000Z'
  const fish = [
    { name: 'Salmon', rarity: 3, caughtAt },
    { name: '=HYPERLINK("x")', rarity: 1, caughtAt },
  ]
  await admin('POST', '/admin/users/Alex/fish?gamemode=earth', { fish })
  await admin('POST', '/admin/users/Bea/crab?gamemode=survival', { crab: [{ name: 'crab', caughtAt }] })
  return { service, admin, secrets: [apiKey, service.alex.fernetKey, service.alex.password] }
}

describe('an export', () => {
  it('contains the catches of all players, without secrets, as CSV with guarded formulas', async () => {
    const { admin, secrets } = await openService()
    const response = await admin('GET', '/admin/export')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const text = await response.text()
    expect(text.replaceAll(/[0-9a-f-]{36}/g, 'ID').split('\r\n')).toEqual([
      'player,kind,gamemode,name,rarity,caughtAt,id,entry',
      'Alex,fish,earth,Salmon,Gold,2026-01-01T00:00:00.000Z,ID,0',
      `Alex,fish,earth,"'=HYPERLINK(""x"")",Bronze,2026-01-01T00:00:00.000Z,ID,1`,
      'Bea,crab,survival,crab,,2026-01-01T00:00:00.000Z,ID,0',
      '',
    ])
    for (const secret of secrets) expect(text).not.toContain(secret)
  })

  it('selects a kind and a gamemode, and is also JSON lines', async () => {
    const { admin } = await openService()
    const rows = async (query: string) =>
      (await (await admin('GET', `/admin/export?format=jsonl&${query}`)).text())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { player: string; name: string })
    expect(await rows('kind=crab')).toMatchObject([{ player: 'Bea', name: 'crab' }])
    expect(await rows('gamemode=earth')).toMatchObject([{ name: 'Salmon' }, { name: '=HYPERLINK("x")' }])
    expect(await rows('kind=crab&gamemode=earth')).toEqual([])
    await expectError(await admin('GET', '/admin/export?gamemode=nowhere'), 'invalid_query')
    await expectError(await admin('GET', '/admin/export?format=xml'), 'invalid_query')
  })

  it('reads only some players before the client reads on, and stops reading when the client leaves', async () => {
    const { storage, calls } = createFailingStorage()
    const service = await createMemoryService({ ...UNLIMITED, storage })
    const admin = await asRoot(service)
    for (let count = 0; count < 60; count += 1) await service.app.users.create({ name: `Player${count}` })
    const reads = () => calls.filter((call) => call.startsWith('read ')).length
    const response = await admin('GET', '/admin/export?kind=fish&gamemode=earth')
    const early = reads()
    expect([early > 0, early < 50]).toEqual([true, true])
    await response.body?.cancel()
    expect(reads()).toBe(early)
    await (await admin('GET', '/admin/export?kind=fish&gamemode=earth')).text()
    expect(reads()).toBe(early + 61)
  })

  it('contains a player with many catches in several parts', async () => {
    const { admin } = await openService()
    const fish = Array.from({ length: 500 }, () => ({ name: 'Salmon', rarity: 3 }))
    for (let count = 0; count < 8; count += 1) await admin('POST', '/admin/users/Bea/fish?gamemode=earth', { fish })
    const body = (await admin('GET', '/admin/export')).body as ReadableStream<Uint8Array>
    const sizes: number[] = []
    for await (const { length } of body) sizes.push(length)
    expect(sizes.length).toBeGreaterThan(1)
  })

  it('contains a player who is renamed meanwhile once', async () => {
    const { service, admin } = await openService()
    for (let count = 0; count < 110; count += 1) await service.app.users.create({ name: `Player${count}` })
    const response = await admin('GET', '/admin/export?format=jsonl')
    expect((await admin('POST', '/admin/users/Alex/rename', { name: 'Zoe' })).status).toBe(200)
    expect((await response.text()).match(/"Salmon"/g)).toHaveLength(1)
  })

  it('is only for superadmins, and in the audit log', async () => {
    const { service, admin } = await openService()
    await admin('POST', '/admin/admins', { username: 'helper', password: 'a long password' })
    const { token } = (await (await login(service, 'helper', 'a long password')).json()) as { token: string }
    await expectError(await withSession(service, token)('GET', '/admin/export'), 'forbidden')
    await (await admin('GET', '/admin/export')).text()
    const log = (await (await admin('GET', '/admin/audit?action=export')).json()) as { entries: unknown[] }
    expect(log.entries).toMatchObject([{ actor: 'root', action: 'export' }])
  })
})
