import { HEADERS, MEDIA_TYPES, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { asRoot } from './administration.ts'
import { countAll, listed, SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { openEvents, readEvents } from './event-stream.ts'
import { createMemoryService } from './memory-service.ts'
import { ADDRESS_HEADER, basic, type TestService, UNLIMITED } from './test-service.ts'

const ALEX = basic('Alex', 'alex-password')

interface Change {
  readonly id: string
  readonly kind?: 'fish' | 'crab'
  readonly gamemode?: string
  readonly authorization?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

function remove(service: TestService, { id, kind = 'fish', gamemode = 'earth', ...rest }: Change): Promise<Response> {
  const { authorization = ALEX, headers } = rest
  const path = `/user/${kind}/${encodeURIComponent(id)}?gamemode=${gamemode}`
  return service.request(path, { method: 'DELETE', headers: { authorization, ...headers } })
}

function move(service: TestService, change: Change, body: unknown = { gamemode: 'survival' }): Promise<Response> {
  const { id, kind = 'fish', gamemode = 'earth', authorization = ALEX, headers } = change
  return service.request(`/user/${kind}/${encodeURIComponent(id)}/move?gamemode=${gamemode}`, {
    method: 'POST',
    headers: { authorization, 'content-type': MEDIA_TYPES.json, ...headers },
    body: JSON.stringify(body),
  })
}

async function add(service: TestService, kind: 'fish' | 'crab' = 'fish'): Promise<string> {
  const response = await write(service, kind, kind === 'fish' ? SALMON : { fish: 'crab' })
  return ((await response.json()) as Saved).id
}

describe('the removal of a record by its player', () => {
  it('requires the password of the player, and accepts neither an API key nor the password of an administrator', async () => {
    const service = await createMemoryService(UNLIMITED)
    const id = await add(service)
    const keys = { [HEADERS.apiKey]: service.alex.apiKey }
    for (const authorization of ['', basic('Alex', 'wrong-password'), basic('Alex', service.alex.apiKey)]) {
      const response = await remove(service, { id, authorization, headers: keys })
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic/)
      await expectError(response, 'invalid_credentials')
      await expectError(await move(service, { id, authorization, headers: keys }), 'invalid_credentials')
    }
    const authorization = basic(service.root.username, service.root.password)
    await expectError(await remove(service, { id, authorization }), 'forbidden')
    expect(await countAll(service)).toBe(1)
  })

  it('counts against the rate limit of the client, unless an API key lifts the limit', async () => {
    const service = await createMemoryService({ rateLimit: { requests: 2, windowMs: 60_000 } })
    const headers = { [ADDRESS_HEADER]: '198.51.100.7' }
    const first = await remove(service, { id: 'x', headers })
    expect([first.status, first.headers.get(HEADERS.rateRemaining)]).toEqual([404, '1'])
    await move(service, { id: 'x', headers })
    await expectError(await remove(service, { id: 'x', headers }), 'rate_limited')
    const lifted = { ...headers, [HEADERS.apiKey]: service.alex.apiKey }
    await expectError(await remove(service, { id: 'x', headers: lifted }), 'record_not_found')
  })
})

describe('a move to a different gamemode', () => {
  it('finds the record even if the query does not name the current gamemode', async () => {
    const service = await createMemoryService(UNLIMITED)
    const id = await add(service)
    const headers = { authorization: ALEX, 'content-type': MEDIA_TYPES.json }
    const request = (gamemode: string, record = id) =>
      service.request(`/user/fish/${record}/move`, { method: 'POST', headers, body: JSON.stringify({ gamemode }) })
    expect((await request('survival')).status).toBe(204)
    expect([await listed(service), await countAll(service)]).toEqual([[], 1])
    expect(await listed(service, 'fish', '&gamemode=survival')).toHaveLength(1)
    await expectError(await request('survival', 'x'), 'record_not_found')
  })

  it('is refused if the request lacks the JSON content type, since a page of a different origin could send such a request', async () => {
    const service = await createMemoryService()
    const id = await add(service)
    for (const type of [undefined, '', 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { authorization: ALEX, ...(type !== undefined && { 'content-type': type }) }
      const body = new TextEncoder().encode('{"gamemode":"survival"}')
      const path = `/user/fish/${id}/move?gamemode=earth`
      await expectError(await service.request(path, { method: 'POST', headers, body }), 'unsupported_media_type')
    }
    expect(await listed(service)).toHaveLength(1)
  })

  it('removes the record from the event stream of one gamemode and adds it to the stream of the other gamemode', async () => {
    const service = await createMemoryService(UNLIMITED)
    const id = await add(service)
    const from = await openEvents(service)
    const response = await service.request('/events?name=Alex&gamemode=survival')
    const to = readEvents(response)
    await Promise.all([from.ready(), to.ready()])
    expect((await move(service, { id })).status).toBe(204)
    expect(await from.next()).toMatchObject({ event: 'removed', data: { kind: 'fish', id } })
    expect((await to.catches(1))[0]).toMatchObject({ event: 'catch', data: { kind: 'fish', name: 'Salmon', id } })
  })

  it('of an unknown record is not recorded in the audit log, and neither is the removal of an unknown record', async () => {
    const service = await createMemoryService(UNLIMITED)
    const id = await add(service)
    for (const unknown of ['nonsense', crypto.randomUUID()]) {
      await expectError(await move(service, { id: unknown }), 'record_not_found')
      await expectError(await remove(service, { id: unknown }), 'record_not_found')
    }
    await expectError(await remove(service, { id, gamemode: 'survival' }), 'record_not_found')
    const { entries } = await (await (await asRoot(service))('GET', '/admin/audit')).json()
    expect(entries.filter(({ actor }: { actor: string }) => actor === 'Alex')).toEqual([])
  })
})
