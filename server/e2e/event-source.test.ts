import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@fish-crab/sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { freePort } from '../../scripts/test-support/redis-server.ts'
import { createUser, type ServerProcess, startServerProcess } from '../../scripts/test-support/server-process.ts'
import { startProxy } from './proxies/proxy.ts'
import { PROXIES, type ProxySetup } from './proxies/rules.ts'

/** `RestartSec` of the systemd unit in docs/operate.md. */
const RESTART_MS = 2000
const CRASHES = 2

it('the EventSource of a browser receives every catch through the documented nginx, even if the server crashes and restarts', async ({
  skip,
}) => {
  const nginx = PROXIES.find(({ name }) => name === 'nginx') as ProxySetup
  const context = await startBrowser(skip, { ignoreHTTPSErrors: true })
  const folder = mkdtempSync(join(tmpdir(), 'fish-event-source-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const port = String(await freePort())
  const start = () =>
    startServerProcess({
      FISH_STORAGE: `file:${folder}`,
      FISH_PORT: port,
      FISH_TRUST_PROXY: '1',
      FISH_RATE_LIMIT: '1000',
    })
  let server: ServerProcess = await start()
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const { name, fernetKey } = await createUser(server.url, 'Alex')
  const proxy = await startProxy(nginx, skip, new URL(server.url).host)
  const client = createClient({ baseUrl: server.url, user: name, fernetKey, gamemode: 'earth' })

  const page = await context.newPage()
  await page.goto(`https://127.0.0.1:${proxy}/livez`)
  await page.evaluate(() => {
    const shown = { names: [] as string[], source: new EventSource('/events?name=Alex&gamemode=earth') }
    shown.source.addEventListener('catch', ({ data }) => shown.names.push(JSON.parse(data).name))
    Object.assign(window, { shown })
    return new Promise((resolve) => shown.source.addEventListener('ready', resolve, { once: true }))
  })
  const names = () => page.evaluate(() => (window as unknown as { shown: { names: string[] } }).shown.names)
  const expected: string[] = []
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const gone = once(server.child, 'exit')
    server.child.kill('SIGKILL')
    await gone
    // Simulate the delay of systemd before a restart.
    await sleep(RESTART_MS)
    server = await start()
    expected.push(`fish after crash ${crash}`)
    await client.fish.add({ name: `fish after crash ${crash}`, rarity: 'Gold' })
    await expect.poll(names, { timeout: 60_000 }).toEqual(expected)
  }
})
