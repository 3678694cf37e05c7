import { closeSync, openSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Outbox, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, test } from 'vitest'
import { mountSmallDisk } from '../../../scripts/test-support/small-disk.ts'
import { type FakeService, fakeService, fish, lost, numbers } from './fake-service.ts'

const COLLECTION = 'fish/Alex/earth'
const COUNT = 1200

/** Writes a file until the disk is full. */
function fillDisk(disk: string): void {
  const file = openSync(join(disk, 'other-program'), 'a')
  try {
    for (const bytes of [65_536, 4096, 1]) {
      try {
        while (writeSync(file, Buffer.alloc(bytes, 1)) > 0);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    closeSync(file)
  }
}

function open(disk: string, service: FakeService): Promise<Outbox> {
  return openOutbox({ path: join(disk, 'outbox.db'), client: service.client(), user: 'Alex', gamemode: 'earth' })
}

test('a flush sends all catches although another program fills the disk, also after a restart', async ({ skip }) => {
  const mounted = mountSmallDisk(4)
  if ('reason' in mounted) return skip(mounted.reason)
  const { disk } = mounted
  for (const isRestarted of [false, true]) {
    const service = fakeService()
    let outbox = await open(disk, service)
    await outbox.add(fish(1, COUNT))
    if (isRestarted) await outbox.close()
    fillDisk(disk)
    if (isRestarted) outbox = await open(disk, service)
    expect(await outbox.flush()).toMatchObject({ delivered: COUNT, remaining: 0 })
    expect(service.names(COLLECTION)).toEqual(numbers(1, COUNT))
    await outbox.close()
    await rm(join(disk, 'other-program'))
  }
})

test('a flush sends all catches if the queue itself has filled the disk', async ({ skip }) => {
  const mounted = mountSmallDisk(4)
  if ('reason' in mounted) return skip(mounted.reason)
  const service = fakeService()
  await using outbox = await open(mounted.disk, service)
  let count = 0
  for (const step of [500, 1]) {
    const adding = async () => {
      for (; ; count += step) await outbox.add(fish(count + 1, count + step))
    }
    await expect(adding()).rejects.toMatchObject({ code: 'outbox_disk_full' })
  }
  expect(await outbox.flush()).toMatchObject({ delivered: count, remaining: 0 })
  expect(service.names(COLLECTION)).toEqual(numbers(1, count))
  await outbox.add(fish(count + 1))
})

test('no catch is stored twice if responses are lost and the program restarts on a full disk', async ({ skip }) => {
  const mounted = mountSmallDisk(4)
  if ('reason' in mounted) return skip(mounted.reason)
  const { disk } = mounted
  const service = fakeService()
  const first = await open(disk, service)
  await first.add(fish(1, COUNT))
  fillDisk(disk)
  service.after = () => {
    throw lost()
  }
  expect(await first.flush()).toMatchObject({ delivered: 0, remaining: COUNT })
  await first.close()
  service.after = () => {}
  await using second = await open(disk, service)
  expect(await second.flush()).toMatchObject({ delivered: COUNT, remaining: 0 })
  expect(service.names(COLLECTION)).toEqual(numbers(1, COUNT))
})
