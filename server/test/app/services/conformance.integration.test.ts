import { runConformance } from '@fish-crab/mocks/conformance'
import { createStorage, type FishStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { failuresOf } from '../../../../mocks/test/conformance/failures.ts'
import { ADDRESS_HEADER, openDirect } from '../../../../mocks/test/conformance/direct.ts'
import { startCluster } from '../../../../scripts/test-support/redis-cluster.ts'
import { startRedis } from '../../../../scripts/test-support/redis-server.ts'
import { listen } from '../../../src/node/listener.ts'
import { newFolder } from '../../storage/folders.ts'

const SILENCE = { info() {}, warn() {}, error() {} }

const STORAGES: Readonly<Record<string, () => Promise<FishStorage>>> = {
  'a file': () => createStorage({ driver: 'file', path: newFolder() }),
  Redis: async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    return createStorage({ driver: 'redis', url: server.url })
  },
}

describe('the app passes all checks', () => {
  it.each(Object.entries(STORAGES))('on %s', async (_, open) => {
    const storage = await open()
    onTestFinished(() => storage.dispose())
    const { options } = await openDirect({ storage })
    expect(failuresOf(await runConformance(options))).toEqual([])
  })

  it('over a socket', async () => {
    const { app, options } = await openDirect()
    const fetch = (request: Request) => app.fetch(request)
    const listener = await listen({ host: '127.0.0.1', port: 0, fetch, logger: SILENCE, isAccepting: () => true })
    onTestFinished(() => listener.close(0))
    const from = (address: string) => (request: Request) => {
      request.headers.set(ADDRESS_HEADER, address)
      return globalThis.fetch(request)
    }
    let clients = 0
    const otherClient = () => from(`198.51.100.${++clients}`)
    const over = { ...options, baseUrl: listener.url, fetch: from('192.0.2.1'), otherClient }
    expect(failuresOf(await runConformance(over))).toEqual([])
  })
})
