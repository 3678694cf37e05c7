import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { newFolder } from './folders.ts'
import { type RunOptions, run } from './harness.ts'

const ENV = { FISH_STORAGE: 'memory:', FISH_PORT: '0', FISH_ADMIN_PASSWORD: 'canary-admin-password', FISH_LOG: 'json' }

/** Options that stop `serve` as soon as it has printed its address. */
function untilReady(env: RunOptions['env']): RunOptions {
  let stop = () => {}
  let calls = 0
  const ready = new Promise<void>((resolve) => {
    stop = resolve
  })
  const never = new Promise<void>(() => {})
  return { env: env ?? {}, onStdout: () => stop(), stopRequested: () => (calls++ === 0 ? ready : never) }
}

describe('serve', () => {
  test('prints exactly one line on stdout and logs on stderr', async () => {
    const { status, stdout, stderr } = await run(['serve'], untilReady(ENV))
    expect(status).toBe(0)
    expect(stdout).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/)
    expect(stderr).toContain('"msg":"ready"')
    expect(stdout + stderr).not.toContain('canary')
  })

  test('prints one JSON document on stdout with --json', async () => {
    const { status, stdout } = await run(['serve', '--json'], untilReady(ENV))
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  })

  test.each([
    ['a terminal', true, {}, true],
    ['no terminal', false, {}, false],
    ['a terminal', true, { NO_COLOR: '1' }, false],
    ['a terminal', true, { FORCE_COLOR: '0' }, false],
    ['a terminal', true, { TERM: 'dumb' }, false],
    ['no terminal', false, { FORCE_COLOR: '1' }, true],
    ['no terminal', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])(
    'uses colours in its log by the same rules as all other commands, on %s (%s) with %j: %s',
    async (_, terminal, env, coloured) => {
      // With --json, the log passes through a further stream, which must not change the colours.
      const argv = 'NO_COLOR' in env ? ['serve', '--json'] : ['serve']
      const { stderr } = await run(argv, { ...untilReady({ ...ENV, FISH_LOG: 'pretty', ...env }), terminal })
      expect(stderr).toContain('ready')
      expect(stderr.includes('\u{1b}[3')).toBe(coloured)
    },
  )

  test('a flag overrides the environment', async () => {
    const { stdout } = await run(['serve', '--port', '0'], untilReady({ ...ENV, FISH_PORT: 'wrong' }))
    expect(stdout).toMatch(/^listening on /)
  })

  test('reports all mistakes in its configuration together, and exits with 2', async () => {
    const env = { FISH_PORT: 'canary-port', FISH_RATE_LIMIT: '0', FISH_ADMIN_PASSWORD: 'short' }
    const { status, stdout, stderr } = await run(['serve', '--log', 'loud'], { env })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    for (const name of ['FISH_PORT', 'FISH_RATE_LIMIT', 'FISH_ADMIN_PASSWORD', '--log']) {
      expect(stderr).toMatch(new RegExp(`^fish-cli serve: ${name} `, 'm'))
    }
    const json = await run(['serve', '--log', 'loud', '--json'], { env })
    const { error } = JSON.parse(json.stdout)
    expect(error).toMatchObject({ code: 'invalid_configuration', exit: 2 })
    expect(error.message).toContain('FISH_RATE_LIMIT')
    expect(error.message).toContain('--log')
  })

  test('exits with 6 and a next step if its port is in use', async () => {
    const inUse = await new Promise<string>((resolve) => {
      const { stopRequested, ...options } = untilReady(ENV)
      const onStdout = async (line: string) => {
        const port = /:(\d+)\s$/.exec(line)?.[1] ?? ''
        const { status, stdout } = await run(['serve', '--port', port, '--json'], { env: ENV })
        resolve(`${status} ${JSON.parse(stdout).error.code} ${JSON.parse(stdout).error.message}`)
        options.onStdout?.(line)
      }
      run(['serve'], { ...options, onStdout, ...(stopRequested ? { stopRequested } : {}) })
    })
    expect(inUse).toMatch(/^6 start_failed port \d+ .* in use/)
  })

  test('exits with 6 if its data folder is in use, and so do the maintenance commands', async () => {
    const env = { ...ENV, FISH_STORAGE: `file:${join(newFolder(), 'data')}` }
    const { stopRequested, ...options } = untilReady(env)
    const inUse = await new Promise<readonly number[]>((resolve) => {
      const onStdout = async (line: string) => {
        const plain = await run(['serve'], { env })
        const json = await run(['serve', '--json'], { env })
        const maintenance = await run(['rotate-secret'], { env })
        resolve([plain.status, json.status, JSON.parse(json.stdout).error.exit, maintenance.status])
        options.onStdout?.(line)
      }
      run(['serve'], { ...options, onStdout, ...(stopRequested ? { stopRequested } : {}) })
    })
    expect(inUse).toEqual([6, 6, 6, 6])
  })
})

describe('the program as a process', () => {
  const program = inject('program')
  const launch = (argv: readonly string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, [program, ...argv], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (data) => {
      output.stdout += data
    })
    child.stderr.on('data', (data) => {
      output.stderr += data
    })
    return { child, output, closed: once(child, 'close') as Promise<[number | null, string | null]> }
  }

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('serve exits with 0 after %s', async (signal) => {
    const { child, output, closed } = launch(['serve'], ENV)
    await once(child.stdout, 'data')
    child.kill(signal)
    expect(await closed).toEqual([0, null])
    expect(output.stdout).toMatch(/^listening on \S+\n$/)
  })

  test('with --json and a JSON log, serve handles requests whose lines are written at once', async () => {
    const { child, closed } = launch(['serve', '--json', '--log', 'json'], { ...ENV, FISH_ENCODING: 'cp850' })
    const [line] = (await once(child.stdout, 'data')) as [Buffer | string]
    const { listening } = JSON.parse(String(line)) as { listening: string }
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await fetch(new URL('/livez', listening))).status),
    )
    child.kill('SIGTERM')
    expect([statuses, await closed]).toEqual([Array(10).fill(200), [0, null]])
  })

  test.each([{ FISH_SECRET_PREVIOUS: '[broken' }, { FISH_RATELIMT: '3' }])(
    'with FISH_LOG=json, serve writes only JSON to stderr: %j',
    async (env) => {
      const { child, output, closed } = launch(['serve'], { ...ENV, FISH_LOG: 'json', ...env } as Record<
        string,
        string
      >)
      child.stdout.once('data', () => child.kill('SIGTERM'))
      await closed
      const lines = output.stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { msg: string })
      expect(lines.map(({ msg }) => msg).join('\n')).toContain(Object.keys(env)[0])
    },
  )

  test('the process has the exit status and the output of the command', async () => {
    const { output, closed } = launch(['status', '--json'], { FISH_URL: 'http://127.0.0.1:1', FISH_MAX_WAIT: '0' })
    expect(await closed).toEqual([69, null])
    expect(output.stderr).toBe('')
    expect(JSON.parse(output.stdout).error.code).toBe('unreachable')
  })
})
