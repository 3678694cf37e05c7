import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, inject, onTestFinished, test } from 'vitest'
import { freePort } from '../../scripts/test-support/redis-server.ts'
import { launch } from './maintenance-processes.ts'

const PROGRAM = inject('program')
const REQUESTS = 2000

test.each([[['serve']], [['serve', '--json']]])(
  '%j keeps responding if its log is not read, and stops on request',
  { timeout: 60_000 },
  async (argv) => {
    const env = { FISH_STORAGE: 'memory:', FISH_PORT: '0', FISH_LOG: 'json', FISH_ADMIN_PASSWORD: 'boss-password' }
    const child = spawn(process.execPath, [PROGRAM, ...argv], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    child.stderr.pause()
    const [first] = await once(child.stdout, 'data')
    const url = /http:[\d.:/]+/.exec(String(first))?.[0]

    // The log exceeds the 64 KiB buffer of a pipe many times.
    const headers = { 'x-request-id': 'x'.repeat(64) }
    for (let sent = 0; sent < REQUESTS; sent += 50) {
      const responses = Array.from({ length: 50 }, () => fetch(`${url}/livez`, { headers }))
      for (const response of await Promise.all(responses)) await response.arrayBuffer()
    }

    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  },
)

test.each([
  [['serve'], /"msg":"ready"/],
  [['serve', '--json'], /"msg":"ready"/],
  [['mock', '--port', '{port}'], /^/],
])('%j keeps running after the reader closes its stdout, and exits with 0 on request', async (argv, ready) => {
  const port = String(await freePort())
  const env = { FISH_STORAGE: 'memory:', FISH_PORT: port, FISH_LOG: 'json', FISH_ADMIN_PASSWORD: 'boss-password' }
  const program = launch(
    argv.map((argument) => argument.replace('{port}', port)),
    env,
  )
  program.child.stdout?.destroy()
  await expect.poll(program.stderr).toMatch(ready)
  const isAlive = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isAlive).toBe(true)
  program.child.kill('SIGTERM')
  expect(await program.closed).toBe(0)
  if (argv[0] === 'serve') expect(program.stderr()).toContain('"msg":"stopped"')
})
