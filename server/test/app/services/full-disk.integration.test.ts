import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CreatedUser, HEADERS } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mountSmallDisk } from '../../../../scripts/test-support/small-disk.ts'
import { type AsAdmin, asRoot, create } from '../administration.ts'
import { listed, post, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { createMemoryService } from '../memory-service.ts'
import { ADDRESS_HEADER, basic, type TestService, UNLIMITED } from '../test-service.ts'

const DISK_MEBIBYTES = 60
/** The largest payload that the contract allows: 500 entries with long names. */
const LARGEST = { fish: Array.from({ length: 500 }, () => ({ name: '🐟'.repeat(50), rarity: 7 })) }

/** Opens a service on a file storage, and returns a function that opens the next one on the same folder. */
async function openOn(path: string) {
  const storage = await createStorage({ driver: 'file', path })
  onTestFinished(() => storage.dispose())
  return { storage, service: await createMemoryService({ ...UNLIMITED, storage }) }
}

async function fillWithCatches(service: TestService, user: CreatedUser): Promise<Response> {
  const fernet = createFernet(user.fernetKey)
  for (;;) {
    const token = await fernet.encrypt(JSON.stringify(LARGEST))
    const response = await post(service, 'fish', token, { query: `?name=${user.name}` })
    if (response.status !== 201) return response
  }
}

/** Another program that takes all free space. */
function takeSpace(disk: string, name: string): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(join(disk, name), Buffer.alloc(bavail * bsize))
}

function readKey(service: TestService, name: string, password: string): Promise<Response> {
  return service.request('/get/user/key', { headers: { authorization: basic(name, password) } })
}

const auditCount = async (admin: AsAdmin) =>
  ((await (await admin('GET', '/admin/audit?limit=1000')).json()) as { entries: unknown[] }).entries.length

describe('a service on a full disk', () => {
  it('refuses catches, still reads, logs in, resets and deletes, and stores catches after a deletion without a restart', async ({
    skip,
  }) => {
    const mounted = mountSmallDisk(DISK_MEBIBYTES)
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const { disk } = mounted
    const { service } = await openOn(join(disk, 'data'))
    let admin = await asRoot(service)
    const [bea, carl] = [await create(admin, 'Bea'), await create(admin, 'Carl')]
    expect((await write(service, 'fish', SALMON)).status).toBe(201)
    const refused = await fillWithCatches(service, bea)
    expect(refused.headers.get(HEADERS.retryAfter)).toBe('60')
    await expectError(refused, 'storage_full')
    takeSpace(disk, 'other')

    await expectError(await write(service, 'fish', SALMON), 'storage_full')
    admin = await asRoot(service)
    expect(await listed(service)).toHaveLength(1)
    expect((await readKey(service, 'Carl', carl.password)).status).toBe(200)
    expect((await admin('POST', '/admin/users/Carl/reset', { type: 'fernet' })).status).toBe(200)
    expect((await admin('DELETE', '/admin/users/Bea')).status).toBe(204)
    expect((await readKey(service, 'Bea', bea.password)).status).toBe(401)
    for (let count = 0; count < 20; count += 1) expect((await write(service, 'fish', SALMON)).status).toBe(201)
    expect(await listed(service)).toHaveLength(21)
    expect((await service.request('/readyz')).status).toBe(200)
  })

  it('works as well after a restart on the full disk', async ({ skip }) => {
    const mounted = mountSmallDisk(DISK_MEBIBYTES)
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const { disk } = mounted
    const path = join(disk, 'data')
    const first = await openOn(path)
    const before = await asRoot(first.service)
    const bea = await create(before, 'Bea')
    // The next service creates Alex again.
    expect((await before('DELETE', '/admin/users/Alex')).status).toBe(204)
    await expectError(await fillWithCatches(first.service, bea), 'storage_full')
    takeSpace(disk, 'other')
    await first.storage.dispose()
    takeSpace(disk, 'more')

    const { service } = await openOn(path)
    await expectError(await fillWithCatches(service, bea), 'storage_full')
    const admin = await asRoot(service)
    expect((await admin('DELETE', '/admin/users/Bea')).status).toBe(204)
    for (let count = 0; count < 20; count += 1) expect((await write(service, 'fish', SALMON)).status).toBe(201)
  })

  it('keeps space for administrators, however many keys players read', async ({ skip }) => {
    const mounted = mountSmallDisk(DISK_MEBIBYTES)
    if ('reason' in mounted) {
      skip(mounted.reason)
      return
    }
    const { disk } = mounted
    const { storage, service } = await openOn(join(disk, 'data'))
    const admin = await asRoot(service)
    const bea = await create(admin, 'Bea')
    await expectError(await fillWithCatches(service, bea), 'storage_full')
    takeSpace(disk, 'other')
    const items = 'x'.repeat(100_000)
    for (let at = 0; storage.remainingReserve() === 1; at += 1) {
      expect(at).toBeLessThan(200)
      await storage.items.setItem(`setting:${at}`, items)
    }
    const readKey = (at: number) =>
      service.request('/get/user/key', {
        headers: { authorization: basic('Bea', bea.password), [ADDRESS_HEADER]: `198.51.100.${at}` },
      })
    await readKey(0)
    const count = await auditCount(admin)
    for (let at = 1; at < 10; at += 1) expect((await readKey(at)).status).toBe(200)
    expect(await auditCount(admin)).toBe(count)
    expect(storage.remainingReserve()).toBeGreaterThan(1 / 2)
  })
})
