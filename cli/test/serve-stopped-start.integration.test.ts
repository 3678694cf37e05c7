import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, freePort, startRedis } from '../../scripts/test-support/redis-server.ts'
import { createStallingDisk } from '../../scripts/test-support/stalled-disk.ts'
import { newFolder } from '../../server/test/storage/folders.ts'
import { launch } from './maintenance-processes.ts'

const SECRET = 'a secret of a test that is long enough'
const ENV = { FISH_LOG: 'json', FISH_SECRET: SECRET, FISH_JWT_SECRET: SECRET, FISH_ADMIN_PASSWORD: 'boss-password' }
const STOPPED = ['stopping: the start is cancelled', 'stopped']

/** Whether a server listens on the port. The service opens its port before its storage. */
async function isTaken(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return taken
}

describeWithRedis('serve that is stopped while it waits for a Redis that does not respond', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'exits with 0 in time, and has neither printed an address nor written data (%s)',
    {
      timeout: 60_000,
    },
    async (signal) => {
      const redis = await startRedis()
      onTestFinished(redis.stop)
      redis.freeze()
      const port = await freePort()
      const server = launch(['serve'], { ...ENV, FISH_STORAGE: redis.url, FISH_PORT: String(port) })
      await expect.poll(() => isTaken(port)).toBe(true)

      server.child.kill(signal)
      expect(await server.closed).toBe(0)
      const lines = server.stderr().trim().split('\n')
      const log = lines.map((line) => JSON.parse(line) as { msg: string; time: string })
      expect(log.map(({ msg }) => msg)).toEqual(STOPPED)
      // These are the times in the log of the server. Without a limit, the server would wait for 30 s, as it does
      // during a start that is not stopped.
      const [stopping = Number.NaN, stopped = Number.NaN] = log.map(({ time }) => Date.parse(time))
      expect(stopped - stopping).toBeLessThan(10_000)
      expect(server.stdout()).toBe('')
      redis.thaw()
      expect(await redis.admin.dbsize()).toBe(0)
    },
  )
})

test.for(['stall', 'stallLocks'] as const)(
  'serve is alive but not ready while it starts on a stalled disk, and stops on request (%s)',
  {
    timeout: 60_000,
  },
  async (stall, { skip }) => {
    const disk = createStallingDisk(skip)
    disk[stall]()
    const port = await freePort()
    const storage = `file:${newFolder()}`
    const server = launch(['serve'], { ...ENV, ...disk.env, FISH_STORAGE: storage, FISH_PORT: String(port) })
    await expect.poll(() => isTaken(port)).toBe(true)

    const send = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(10_000) })
      return { status: response.status, body: await response.json() }
    }
    expect(await send('/livez')).toEqual({ status: 200, body: { status: 'ok' } })
    expect(await send('/readyz')).toMatchObject({ status: 503, body: { code: 'unavailable' } })

    server.child.kill('SIGTERM')
    expect(await server.closed).toBe(null)
    expect(server.stderr()).toMatch(/the start is cancelled.*killed: the store has not opened in time/s)
  },
)
