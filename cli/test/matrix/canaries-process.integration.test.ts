import { describe, expect, test } from 'vitest'
import { launch } from '../maintenance-processes.ts'
import { SECRETS, tracesIn } from './canaries.ts'
import { openMachine } from './machine.ts'
import { storeOnce } from './store.ts'

const stores = storeOnce()

describe('a separate process', () => {
  test.each(['login Alex --with-api-key', 'add Salmon -r 3', 'user list'])(
    'prints no secret with DEBUG=* and NODE_DEBUG: %s',
    async (line) => {
      await using machine = await openMachine(stores)
      const env = Object.fromEntries(Object.entries(machine.env).map(([name, value]) => [name, value ?? '']))
      const program = launch(line.split(' '), {
        ...env,
        DEBUG: '*',
        NODE_DEBUG: 'http,https,net,tls,undici,fetch,fs,module',
      })
      expect(await program.closed).toBe(0)
      expect(tracesIn(program.stdout())).toEqual([])
      expect(tracesIn(program.stderr())).toEqual([])
      // Verify that debugging output was enabled.
      expect(program.stderr()).toMatch(/^[A-Z]+ \d+:/m)
    },
  )

  test('does not print the password of an unreachable proxy', async () => {
    const http_proxy = `http://alex:${encodeURIComponent(SECRETS.password)}@127.0.0.1:1`
    const program = launch(['status', '--url', 'http://fish.invalid'], { http_proxy, FISH_MAX_WAIT: '0' })
    expect(await program.closed).toBe(69)
    expect(tracesIn(program.stdout() + program.stderr())).toEqual([])
  })

  test('reports an uncaught error, but not the message of the error', async () => {
    await using machine = await openMachine(stores)
    const env = Object.fromEntries(Object.entries(machine.env).map(([name, value]) => [name, value ?? '']))
    // Throw after the first output, when the mock is listening.
    const crash = `const { write } = process.stdout
      process.stdout.write = function (...given) {
        setTimeout(() => { throw Object.assign(new Error(process.env.FISH_PASSWORD), { ...process.env }) })
        return write.apply(this, given)
      }`
    const options = { ...env, NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(crash)}"` }
    for (const more of [[], ['--json']]) {
      const program = launch(['mock', '--port', '0', ...more], options)
      expect(await program.closed).toBe(1)
      expect(tracesIn(program.stderr(), ['new'])).toEqual([])
      expect(program.stdout() + program.stderr()).toContain('This is a bug in fish-cli')
    }
  })
})
