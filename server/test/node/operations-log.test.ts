import type { CreatedUser, Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { createLogger } from '@fish-crab/server'
import { StorageError } from '@fish-crab/server/storage'
import { describe, expect, it } from 'vitest'
import { newFolder } from './data-folder.ts'
import { createMemoryStream } from './memory-stream.ts'
import { runServe } from './running.ts'

const CANARY = 'canary-of-a-secret'
const MASTER = `${CANARY}-master-key`
const SECRETS = {
  FISH_ADMIN_USERNAME: 'boss',
  FISH_ADMIN_PASSWORD: `${CANARY}-password`,
  FISH_MASTER_API_KEY: MASTER,
  FISH_SECRET: `${CANARY}-that-encrypts-and-is-long-enough`,
  FISH_JWT_SECRET: `${CANARY}-that-signs-and-is-long-enough`,
}

type Line = Readonly<Record<string, unknown>> & { readonly msg: string }

function linesOf(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

async function stopped(run: ReturnType<typeof runServe>): Promise<string> {
  run.stop()
  await run.status
  return run.stderr.text()
}

describe('the access log', () => {
  it('has one line for every response, with the fields that an operator needs', async () => {
    const run = runServe({ FISH_STORAGE: 'memory:', FISH_LOG: 'json', ...SECRETS })
    const url = await run.ready
    const responses = [
      await fetch(`${url}/demo/fish?x=1`, { headers: { 'x-request-id': 'mine-1' } }),
      await fetch(`${url}/no/such/path`),
      await fetch(`${url}/livez`, { method: 'HEAD' }),
      await fetch(`${url}/admin/users/Alex`),
    ]
    const sizes = await Promise.all(responses.map(async (answer) => (await answer.arrayBuffer()).byteLength))
    const lines = linesOf(await stopped(run)).filter(({ msg }) => msg === 'request')
    expect(lines).toHaveLength(4)
    const common = { ms: expect.any(Number), address: '127.0.0.1', requestId: expect.stringMatching(/./) }
    expect(lines[0]).toMatchObject({
      ...common,
      requestId: 'mine-1',
      method: 'GET',
      path: '/demo/fish',
      route: 'demoFish',
      status: 200,
      bytes: sizes[0],
    })
    expect(lines[1]).toMatchObject({ ...common, route: 'unmatched', status: 404 })
    // An unknown path is free text, and may contain a key that was pasted in the wrong place.
    expect(lines[1]).not.toHaveProperty('path')
    expect(lines[2]).toMatchObject({ ...common, method: 'HEAD', route: 'livez', status: 200 })
    // A name in a path may also be a pasted key.
    expect(lines[3]).toMatchObject({ ...common, path: '/admin/users/:name', route: 'showUser', status: 401 })
  })

  it.each([
    ['GET', `/docs/${CANARY}`, 404],
    ['GET', `/v1//docs/${CANARY}`, 404],
    ['GET', `/${CANARY}`, 404],
    ['GET', `/admin/users/${CANARY}`, 401],
    ['POST', `/admin/users/${CANARY}/reset`, 401],
    ['GET', `/admin/users/Alex/${CANARY}`, 404],
    ['DELETE', `/admin/users/Alex/fish/${CANARY}`, 401],
    ['PUT', `/admin/users/Alex/fish/${CANARY}`, 405],
    ['DELETE', `/admin/admins/${CANARY}`, 401],
    ['OPTIONS', `/admin/users/${CANARY}`, 405],
  ])('omits text that a user pasted into the path of %s %s', async (method, path, status) => {
    const run = runServe({ FISH_STORAGE: 'memory:', FISH_LOG: 'json', ...SECRETS })
    expect((await fetch(`${await run.ready}${path}`, { method })).status).toBe(status)
    const log = await stopped(run)
    expect(linesOf(log).filter(({ msg }) => msg === 'request')).toHaveLength(1)
    expect(log).not.toContain(CANARY)
  })

  it('in the pretty format has a short line for each request, with the request id of failed requests', async () => {
    const run = runServe({ FISH_STORAGE: 'memory:', FISH_LOG: 'pretty', FISH_ADMIN_PASSWORD: 'boss-password' })
    const url = await run.ready
    const headers = { 'x-request-id': 'mine' }
    for (const path of ['/status?token=canary', '/get/fish', `/${CANARY}`]) await fetch(`${url}${path}`, { headers })
    const log = await stopped(run)
    const clock = String.raw`\[\d\d:\d\d:\d\d\]`
    const lines = log.split('\n').filter((line) => / \d+ ms/.test(line))
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${clock} GET /status 200 \\d+ ms$`)),
      expect.stringMatching(new RegExp(`^${clock} GET /get/fish 400 \\d+ ms \\(missing_name, request mine\\)$`)),
      expect.stringMatching(new RegExp(`^${clock} GET unknown path 404 \\d+ ms \\(not_found, request mine\\)$`)),
    ])
    expect(log).toContain(`${url}/docs\n`)
    expect(log).not.toContain(CANARY)
  })

  it.each(['json', 'pretty'])('in the %s format contains no secret, wherever a client sends it', async (format) => {
    const run = runServe({ FISH_STORAGE: 'memory:', FISH_LOG: format, ...SECRETS })
    const url = await run.ready
    const json = { 'content-type': 'application/json' }
    const login = { username: 'boss', password: SECRETS.FISH_ADMIN_PASSWORD }
    const { token } = (await (
      await fetch(`${url}/admin/login`, { method: 'POST', headers: json, body: JSON.stringify(login) })
    ).json()) as Session
    const session = { ...json, authorization: `Bearer ${token}` }
    const alex = (await (
      await fetch(`${url}/admin/users`, { method: 'POST', headers: session, body: '{"name":"Alex"}' })
    ).json()) as CreatedUser
    const fernet = await createFernet(alex.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    const octets = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' }
    const responses = [
      await fetch(`${url}/status?api_key=${MASTER}&token=${token}&password=${CANARY}`),
      await fetch(`${url}/status`, { headers: { 'x-api-key': MASTER, cookie: CANARY, referer: `http://x/${CANARY}` } }),
      await fetch(`${url}/post/fish?name=Alex`, { method: 'POST', body: fernet, headers: octets }),
      await fetch(`${url}/post/fish?name=Alex`, { method: 'POST', body: CANARY, headers: octets }),
      await fetch(`${url}/admin/login`, { method: 'POST', body: `{"password":"${CANARY}`, headers: json }),
      await fetch(`${url}/get/user/key`, { headers: { authorization: `Basic ${btoa(`Alex:${alex.password}`)}` } }),
      await fetch(`${url}/get/user/key`, { headers: { authorization: `Basic ${btoa(`Alex:${CANARY}`)}` } }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 201, 400, 400, 200, 401])
    const reset = await fetch(`${url}/admin/users/Alex/reset`, {
      method: 'POST',
      headers: session,
      body: '{"type":"password"}',
    })
    const { password } = (await reset.json()) as { password: string }
    const log = await stopped(run)
    expect(log).toContain('/get/user/key')
    const secrets = [CANARY, token, alex.apiKey, alex.fernetKey, alex.password, password, fernet, 'Salmon']
    for (const secret of [...secrets, btoa(`Alex:${alex.password}`), btoa(`Alex:${CANARY}`)]) {
      expect(log).not.toContain(secret)
    }
  })
})

describe('errors in the log', () => {
  function logged(err: unknown): string {
    const stream = createMemoryStream()
    createLogger('json', { stream, colours: false }).error({ err }, 'a request failed')
    return stream.text()
  }

  it('of the service are logged with their name, location and next step', () => {
    const line = JSON.parse(logged(new StorageError('full', 'No space is left. Free some.'))) as { err: unknown }
    expect(line.err).toEqual({
      name: 'StorageError',
      code: 'full',
      message: 'No space is left. Free some.',
      stack: expect.arrayContaining([expect.stringMatching(/^at /)]),
    })
  })

  it('from code outside the service do not quote input, even if they are the cause of an error of the service', () => {
    const parse = () => {
      try {
        return JSON.parse(`{"password": ${CANARY}`)
      } catch (error) {
        return error
      }
    }
    const command = Object.assign(new Error(`ERR wrong ${CANARY}`), { code: 'EREPLY', command: { args: [CANARY] } })
    const body = Object.assign(new TypeError(CANARY), { body: CANARY, request: { headers: { 'x-api-key': CANARY } } })
    for (const error of [parse(), command, body, CANARY, { secret: CANARY }, undefined]) {
      expect(logged(error)).not.toContain(CANARY)
      const wrapped = logged(new StorageError('unavailable', 'Out of reach.', { cause: error }))
      expect(wrapped).not.toContain(CANARY)
      expect(wrapped).toContain('Out of reach.')
    }
    expect(logged(command)).toContain('EREPLY')
    expect(logged(body)).toMatch(/"name":"TypeError".*"stack":\["at /)
  })

  it('that are their own cause are logged without an endless loop', () => {
    const error = new Error('round')
    error.cause = error
    expect(logged(error)).toContain('"msg":"a request failed"')
  })
})

describe('the start message in the log', () => {
  it('contains the settings of the server, but only states whether secrets are given', async () => {
    const run = runServe({
      FISH_STORAGE: 'memory:',
      FISH_LOG: 'json',
      FISH_TRUST_PROXY: '1',
      FISH_ALLOWED_ORIGINS: 'https://fish.example',
      ...SECRETS,
    })
    const url = await run.ready
    const log = await stopped(run)
    expect(linesOf(log).find(({ msg }) => msg === 'ready')).toMatchObject({
      version: '1.2.3',
      url,
      metrics: `${url}/metrics`,
      storage: 'memory',
      durability: expect.stringMatching(/\w/),
      rateLimit: 25,
      rateWindowSeconds: 300,
      adminRateLimit: 300,
      trustedProxies: 1,
      allowedOrigins: ['https://fish.example'],
      masterApiKey: 'given',
      FISH_SECRET: 'given',
      FISH_JWT_SECRET: 'given',
    })
    expect(log).not.toContain(CANARY)
  })

  it('in the pretty format has a few short lines with the same content', async () => {
    const folder = newFolder()
    const FISH_ALLOWED_ORIGINS = Array.from({ length: 5 }, (_, index) => `https://page-${index}.example`).join(',')
    const run = runServe({ FISH_STORAGE: `file:${folder}`, FISH_LOG: 'pretty', FISH_ALLOWED_ORIGINS, ...SECRETS })
    const url = await run.ready
    const log = await stopped(run)
    const start = log.slice(log.indexOf(' ready: '), log.indexOf('the API is described'))
    const lines = start.split('\n').slice(0, -1)
    expect(lines.length).toBeGreaterThan(6)
    const words = start.replaceAll(/\s+/g, ' ')
    expect(words).toContain(`ready: version 1.2.3 on ${url}`)
    for (const fact of [
      folder,
      `${url}/metrics`,
      'survives a killed process and a power loss.',
      '25 requests per 300 s',
    ]) {
      expect(words).toContain(fact)
    }
    for (const origin of FISH_ALLOWED_ORIGINS.split(',')) expect(words).toContain(origin)
    expect(words).toContain('FISH_SECRET given')
  })

  it('reports that the secrets are stored in the data folder', async () => {
    const folder = newFolder()
    const run = runServe({ FISH_STORAGE: `file:${folder}`, FISH_LOG: 'json', FISH_ADMIN_PASSWORD: 'boss-password' })
    await run.ready
    expect(linesOf(await stopped(run)).find(({ msg }) => msg === 'ready')).toMatchObject({
      storage: 'file',
      folder,
      masterApiKey: 'none',
      FISH_SECRET: 'stored',
      FISH_JWT_SECRET: 'stored',
    })
  })
})
