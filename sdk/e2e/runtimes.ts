import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ADMIN, startSurroundings } from './runtimes-service.ts'

/** The outcome of one check of the smoke program. */
export interface Outcome {
  readonly check: string
  readonly outcome: 'ok' | 'failed' | 'not here'
  readonly detail?: string
}

/** The command that starts a runtime. The path of the program is appended. */
export interface Runtime {
  readonly command: string
  readonly args: readonly string[]
}

/** The programs that check the package as an ES module and as a CommonJS module, the server, and the app in a host. */
export const PROGRAMS = {
  ESM: fileURLToPath(new URL('fixtures/smoke-esm.ts', import.meta.url)),
  CJS: fileURLToPath(new URL('fixtures/smoke-cjs.cts', import.meta.url)),
  server: fileURLToPath(new URL('fixtures/smoke-server.ts', import.meta.url)),
  host: fileURLToPath(new URL('fixtures/smoke-host.ts', import.meta.url)),
} as const

/**
 * A process without remaining work must exit at once, without waiting for a connection or a timer. On a busy machine,
 * the process also starts slowly, so the exit may take as long as the start.
 */
const ENDS_WITHIN_MS = 1500
const GIVEN_UP_AFTER_MS = 60_000

/** Runs the smoke program on a runtime, against a service that only this run uses. */
export async function runSmoke(runtime: Runtime, program: keyof typeof PROGRAMS): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fish-crab-runtime-'))
  const service = await startSurroundings()
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    SERVICE_URL: service.url,
    CONTROL_URL: service.controlUrl,
    // This host name does not resolve, so the client can reach the service only through the proxy.
    PROXIED_URL: 'http://service.invalid',
    HTTP_PROXY: service.proxyUrl,
    NO_PROXY: '127.0.0.1',
    ADMIN_PASSWORD: ADMIN.password,
    OUTBOX_FILE: join(folder, 'outbox.db'),
    STORAGE_FOLDER: join(folder, 'storage'),
  }
  try {
    return await outcomesOf({ ...runtime, args: [...runtime.args, PROGRAMS[program]] }, env)
  } finally {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function outcomesOf({ command, args }: Runtime, env: Record<string, string>): Promise<Outcome[]> {
  const startedAt = performance.now()
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), GIVEN_UP_AFTER_MS)
  const exited = once(child, 'exit') as Promise<[number | null]>
  const stderr = text(child.stderr)
  const outcomes: Outcome[] = []
  let startMs: number | undefined
  let lastLineAt = startedAt
  for await (const line of createInterface(child.stdout)) {
    lastLineAt = performance.now()
    startMs ??= lastLineAt - startedAt
    outcomes.push(JSON.parse(line) as Outcome)
  }
  const [status] = await exited
  clearTimeout(timer)
  const tookMs = Math.round(performance.now() - lastLineAt)
  const ended = status === 0 && outcomes.length > 0 && tookMs < Math.max(ENDS_WITHIN_MS, startMs ?? 0)
  const detail = `exit ${status}, ${tookMs} ms after the last check\n${await stderr}`
  return [...outcomes, { check: 'ends by itself', outcome: ended ? 'ok' : 'failed', detail }]
}
