import { expect, it } from 'vitest'
import { createMemoryService } from './memory-service.ts'

it('the log line of a refused write contains the error code, and the player and gamemode if they are known', async () => {
  const lines: Readonly<Record<string, unknown>>[] = []
  const logger = {
    info: (fields: Readonly<Record<string, unknown>>) => void lines.push(fields),
    warn() {},
    error() {},
  }
  const octets = { 'content-type': 'application/octet-stream' }
  const service = await createMemoryService({ logger })
  const send = (query: string, headers: Record<string, string> = {}) =>
    service.request(`/post/fish${query}`, { method: 'POST', body: 'AAAA', headers: { ...octets, ...headers } })
  await send('')
  await send('?name=Nobody', { 'x-gamemode': 'earth' })
  await send('?name=alex', { 'x-gamemode': 'mars' })
  await send('?name=alex', { 'x-gamemode': 'earth' })
  await send('', { 'x-gamemode': 'earth', 'x-api-key': service.alex.apiKey })
  expect(lines.map(({ code, player, gamemode }) => [code, player, gamemode])).toEqual([
    ['missing_name', undefined, undefined],
    ['user_not_found', undefined, undefined],
    ['invalid_gamemode', 'Alex', undefined],
    ['invalid_token', 'Alex', 'earth'],
    ['invalid_token', 'Alex', 'earth'],
  ])
})
