import { createStorage, type FishStorage } from '@fish-crab/server/storage'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runConformance } from '../../../../mocks/src/conformance/index.ts'
import { ADDRESS_HEADER, openDirect } from '../../../../mocks/test/conformance/direct.ts'
import { failuresOf } from '../../../../mocks/test/conformance/failures.ts'
import { describeWithRedis, startCluster, startRedis } from '../../../../scripts/test-support/redis-server.ts'
import { listen } from '../../../src/node/listener.ts'
import { newFolder } from '../../storage/folders.ts'

/** A long timeout, since these checks do not test a slow Redis. */
const timeoutMs = 60_000

const SILENCE = { info() {}, warn() {}, error() {} }

async function expectConformant(opening: Promise<FishStorage>): Promise<void> {
  const storage = await opening
  onTestFinished(() => storage.dispose())
  const { options } = await openDirect({ storage })
  expect(failuresOf(await runConformance(options))).toEqual([])
}

describe('the app passes all conformance checks', () => {
  it('with file storage', () => expectConformant(createStorage({ driver: 'file', path: newFolder() })))

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

describeWithRedis('on Redis, the app passes all conformance checks', () => {
  it('with one server', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    await expectConformant(createStorage({ driver: 'redis', url: server.url, timeoutMs }))
  })

  it('with a cluster', async () => {
    const servers = await startCluster()
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
    const nodes = servers.map(({ port }) => ({ host: '127.0.0.1', port }))
    await expectConformant(createStorage({ driver: 'redis-cluster', nodes, timeoutMs }))
  })
})
