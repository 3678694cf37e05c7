import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, type TestContext } from 'vitest'
import { certificate, privateKey } from '../../../mocks/e2e/intercept-certificate.ts'
import { freePort } from '../../../scripts/test-support/redis-server.ts'
import { EVENTS_LATER, type ProxySetup, rulesOf } from './rules.ts'

/**
 * Starts a proxy in front of a server with the configuration of docs/behind-a-proxy.md and a test certificate. Returns
 * the port of the proxy. If the program is missing, the test is skipped with the reason.
 */
export async function startProxy(proxy: ProxySetup, skip: TestContext['skip'], server: string): Promise<number> {
  const program = proxy.programs.find((each) => spawnSync(each, ['-v']).error === undefined)
  if (program === undefined) return skip(`${proxy.name} is not installed. On Debian: apt-get install ${proxy.debian}`)
  const folder = await mkdtemp(join(tmpdir(), 'fish-proxy-'))
  const place = { port: await freePort(), server, folder }
  const file = join(folder, 'proxy.conf')
  await writeFile(join(folder, 'fullchain.pem'), certificate)
  await writeFile(join(folder, 'privkey.pem'), privateKey)
  await writeFile(join(folder, 'fish.pem'), certificate + privateKey)
  await writeFile(join(folder, 'events-later.http'), EVENTS_LATER)
  await writeFile(file, proxy.config(rulesOf(proxy, place), place))
  const env = { PATH: process.env.PATH, HOME: folder }
  const child = spawn(program, proxy.args(file, folder), { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    await rm(folder, { recursive: true })
  })
  while (!(await isUp(place.port))) {
    if (child.exitCode !== null) throw new Error(`${proxy.name} has ended: ${complaints}`)
    await sleep(20)
  }
  return place.port
}

function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', path: '/livez', servername: 'fish.example.org' }
    const sent = request({ ...options, headers: { host: options.servername }, rejectUnauthorized: false, agent: false })
    sent.on('response', (response) => resolve(response.resume().statusCode === 200))
    sent.on('error', () => resolve(false))
    sent.end()
  })
}
