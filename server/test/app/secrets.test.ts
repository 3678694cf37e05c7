import { inspect } from 'node:util'
import type { CreatedUser, Session } from '@fish-crab/sdk/contract'
import { createApp, createMemoryStorage, DecryptionError } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { asRoot, login, withSession } from './administration.ts'
import { encryptToken, post, SALMON, write } from './catches.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { basic, SESSION_SECRET, UNLIMITED } from './test-service.ts'

const ENCRYPTION_SECRET = 'an encryption secret of a test'
const MASTER = 'a-master-key-of-a-test'

/** A logger that records all fields at any depth. */
function createCapture() {
  const lines: string[] = []
  const keep = (fields: unknown, message: string) => {
    lines.push(`${inspect(fields, { depth: 20, showHidden: true })} ${message}`)
  }
  return { logger: { info: keep, warn: keep, error: keep }, text: () => lines.join('\n'), lines }
}

describe('no secret', () => {
  it('appears in the log, or in a response that should not contain it', async () => {
    const log = createCapture()
    const failing = createFailingStorage()
    const options = { ...UNLIMITED, masterApiKey: MASTER, logger: log.logger, storage: failing.storage }
    const service = await createMemoryService(options)
    const shown: string[] = []
    const seen = async (answer: Promise<Response>) => {
      const response = await answer
      shown.push(`${inspect(response.headers)} ${await response.clone().text()}`)
      return response
    }
    const { token } = (await (await login(service, 'root', 'root-password')).json()) as Session
    const root = withSession(service, token)
    const bob = (await (await root('POST', '/admin/users', { name: 'Bob' })).json()) as CreatedUser
    const reset = await (await root('POST', '/admin/users/Bob/reset', { type: 'fernet' })).json()
    const fernet = await encryptToken(service, SALMON)

    for (const authorization of [
      basic('Alex', 'alex-password'),
      basic('Alex', 'wrong-secret'),
      `Bearer ${token}x`,
      `Bearer ${token}`,
    ]) {
      for (const path of ['/get/user/key?name=Bob', '/admin/users', '/nowhere']) {
        await seen(service.request(path, { headers: { authorization, 'x-api-key': bob.apiKey } }))
      }
    }
    await seen(service.request('/status', { headers: { 'x-api-key': MASTER } }))
    await seen(post(service, 'fish', fernet))
    await seen(post(service, 'fish', `${fernet}x`))
    await seen(write(service, 'fish', { fish: 'very-private-payload', rarity: 'another-private-value' }))
    await seen(root('POST', '/admin/users', { name: 'Eve!', password: 'short77' }))
    await seen(login(service, 'root', 'wrong-secret'))
    failing.failAt(/^append|^items\.getItem secret|^countInWindow admin/)
    await seen(post(service, 'fish', await encryptToken(service, SALMON)))
    await seen(root('GET', '/admin/users'))
    await seen(service.request('/get/user/key', { headers: { authorization: basic('Alex', 'alex-password') } }))

    expect(log.lines.length).toBeGreaterThan(20)
    const secrets = [
      ...[service.alex.fernetKey, service.alex.apiKey, 'alex-password', 'root-password', 'wrong-secret', 'short77'],
      ...[
        bob.fernetKey,
        bob.apiKey,
        bob.password,
        reset.fernetKey,
        MASTER,
        ENCRYPTION_SECRET,
        SESSION_SECRET,
        token,
        fernet,
      ],
      ...['very-private-payload', 'another-private-value', btoa('Alex:alex-password'), btoa('Alex:wrong-secret')],
    ]
    for (const secret of secrets) {
      expect(log.text()).not.toContain(secret)
      expect(shown.join('\n')).not.toContain(secret)
    }
  })

  it('is stored in plain text: Fernet keys are encrypted, and API keys and passwords are hashed', async () => {
    const service = await createMemoryService()
    const items = await Promise.all(
      ['user:', 'secret:', 'api-key:', 'setting:'].map((base) => service.storage.listItems({ base, limit: 100 })),
    )
    const stored = JSON.stringify(items)
    for (const name of ['Alex', 'root']) expect(stored).toContain(name)
    const { fernetKey, apiKey } = service.alex
    for (const secret of [fernetKey, apiKey, Buffer.from(fernetKey, 'base64').toString('hex'), ENCRYPTION_SECRET]) {
      expect(stored).not.toContain(secret)
    }
  })
})

describe('the secret check', () => {
  const open = (storage: ReturnType<typeof createMemoryStorage>, secret: string) =>
    createApp({
      storage,
      secrets: { encryption: secret, session: SESSION_SECRET },
      passwords: plainPasswords,
      version: '0',
      clientAddress: () => '192.0.2.1',
    })

  it('accepts the secret that it was created with, and rejects any other secret', async () => {
    const storage = createMemoryStorage()
    await open(storage, 'one').checkSecrets()
    await open(storage, 'one').checkSecrets()
    await expect(open(storage, 'two').checkSecrets()).rejects.toBeInstanceOf(DecryptionError)
    await open(storage, 'one').checkSecrets()
  })

  it('is stored by exactly one of many servers that start at the same time', async () => {
    const storage = createMemoryStorage()
    const results = await Promise.allSettled(
      ['one', 'two', 'one', 'two'].map((secret) => open(storage, secret).checkSecrets()),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })
})

describe('the log', () => {
  it('contains one line for every request, with the fields that an operator needs', async () => {
    const log = createCapture()
    const service = await createMemoryService({ logger: log.logger })
    await service.request('/v1/get/%66ish/?name=Alex', { headers: { 'x-request-id': 'mine-1' } })
    expect(log.lines).toHaveLength(1)
    for (const piece of [
      "requestId: 'mine-1'",
      "method: 'GET'",
      "path: '/get/fish'",
      'status: 400',
      "address: '192.0.2.1'",
    ]) {
      expect(log.text()).toContain(piece)
    }
  })

  it('contains the cause of a 500 response and the request id', async () => {
    const log = createCapture()
    const { storage, failAt } = createFailingStorage()
    const service = await createMemoryService({ logger: log.logger, storage })
    await asRoot(service)
    failAt(/^read/)
    const response = await service.request('/get/fish?name=Alex&gamemode=earth')
    expect(
      log.lines.some(
        (line) => line.includes('ECONNREFUSED') && line.includes(String(response.headers.get('x-request-id'))),
      ),
    ).toBe(true)
  })
})
