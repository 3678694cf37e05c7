import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('./fixtures/loaded-clients.ts', import.meta.url))
const loadsClient = (options: object) =>
  execFileSync(process.execPath, [script, JSON.stringify(options)], { encoding: 'utf8' })

test('only a storage in Redis loads the Redis client', () => {
  expect(loadsClient({ driver: 'memory' })).toBe('false')
  expect(loadsClient({ driver: 'redis', url: 'redis://127.0.0.1:1' })).toBe('true')
})
