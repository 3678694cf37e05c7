import { userNameKey } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot, login } from './administration.ts'
import { write } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, UNLIMITED } from './test-service.ts'

/** The Kelvin sign, followed by "evin". The lower case of the Kelvin sign is "k". */
const LOOK_ALIKE = '\u212aevin'

/** A service with a player and an administrator called Kevin. */
async function createKevins() {
  const service = await createMemoryService(UNLIMITED)
  await service.app.users.create({ name: 'Kevin', password: 'kevin-password' })
  await service.app.admins.create('Kevin', 'admin-password', 'admin')
  return service
}

describe('a name that differs from an existing name only by a look-alike letter', () => {
  it('has a different folded form', () => {
    expect(userNameKey('KEVIN_.*-09')).toBe('kevin_.*-09')
    expect(userNameKey(LOOK_ALIKE)).not.toBe('kevin')
  })

  it('is not accepted for the login of the administrator', async () => {
    const service = await createKevins()
    expect((await login(service, 'kEVIN', 'admin-password')).status).toBe(200)
    await expectError(await login(service, LOOK_ALIKE, 'admin-password'), 'invalid_credentials')
  })

  it('is not accepted for the key of the player', async () => {
    const service = await createKevins()
    const ask = (name: string) =>
      service.request(`/get/user/key?name=${encodeURIComponent(name)}`, {
        headers: { authorization: basic('Kevin', 'kevin-password') },
      })
    expect((await ask('KEVIN')).status).toBe(200)
    await expectError(await ask(LOOK_ALIKE), 'forbidden')
  })

  it('is not accepted as the user in a payload of the player', async () => {
    const service = await createMemoryService(UNLIMITED)
    const kevin = await service.app.users.create({ name: 'Kevin' })
    const as = { ...service, alex: kevin }
    const fish = [{ name: 'Salmon', rarity: 3 }]
    expect((await write(as, 'fish', { user: 'KEVIN', gamemode: 'earth', fish }, { query: '?name=Kevin' })).status).toBe(
      201,
    )
    await expectError(
      await write(as, 'fish', { user: LOOK_ALIKE, gamemode: 'earth', fish }, { query: '?name=Kevin' }),
      'user_mismatch',
    )
  })

  it('does not identify the administrator in a deletion', async () => {
    const service = await createKevins()
    const root = await asRoot(service)
    await expectError(await root('DELETE', `/admin/admins/${encodeURIComponent(LOOK_ALIKE)}`), 'admin_not_found')
    expect((await root('DELETE', '/admin/admins/kevin')).status).toBe(204)
  })
})
