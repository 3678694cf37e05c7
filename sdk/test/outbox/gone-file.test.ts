import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, test } from 'vitest'
import { testFolder } from './folders.ts'

test('after its file was deleted, the outbox rejects catches that it cannot store', async () => {
  const folder = await testFolder()
  await using outbox = await openOutbox({ path: join(folder, 'outbox.db'), user: 'Alex', gamemode: 'earth' })
  await outbox.add({ kind: 'crab' })
  rmSync(folder, { recursive: true })
  await expect(outbox.add({ kind: 'crab' })).rejects.toMatchObject({ name: 'OutboxStoreError', code: 'outbox_gone' })
})

test('a listener that throws or rejects loses no catch', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const onEvent = () => {
    throw new Error('The display is gone.')
  }
  await using outbox = await openOutbox({ path, user: 'Alex', gamemode: 'earth', onEvent })
  outbox.subscribe(async () => Promise.reject(new Error('The display is gone.')))
  expect(await outbox.add({ kind: 'crab' })).toMatchObject({ added: 1, duplicates: 0 })
})
