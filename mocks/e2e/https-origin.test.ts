import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const child = fileURLToPath(new URL('./https-origin.child.ts', import.meta.url))

describe('a mock with an https origin', () => {
  it.each([
    ['listen()', 'listen', ['fetch', 'undici.fetch', 'node:https', 'SDK']],
    ["the handlers of MSW's server", 'msw', ['fetch', 'node:https', 'SDK']],
  ])(
    'handles creations of users and resets of keys through %s, over many connections of every client',
    async (_, transport, clients) => {
      const { stdout } = await promisify(execFile)(process.execPath, [child, transport], { timeout: 60_000 })
      // Each client gets 18 keys: the first key and a new key for three users in each of three rounds.
      expect(JSON.parse(stdout)).toEqual(Object.fromEntries(clients.map((client) => [client, 18])))
    },
  )
})
