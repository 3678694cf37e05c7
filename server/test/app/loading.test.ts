import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { login } from './administration.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

/** The modules that the app loads on demand, each with the path of a request that needs the module. */
const PARTS = [
  ['../../src/app/routes/on-demand.ts', '/admin/login'],
  ['../../src/app/auth/jwt.ts', '/admin/login'],
  ['@fish-crab/sdk/openapi', '/openapi.json'],
] as const

/** Makes the import of a module fail until `mend` is called, as if no file descriptor were available. */
function breakPart(path: string): { mend(): void } {
  let broken = true
  vi.doMock(path, async (importOriginal) => {
    if (broken) throw new Error(`EMFILE: too many open files, open '${path}'`)
    return importOriginal()
  })
  onTestFinished(() => {
    vi.doUnmock(path)
    vi.resetModules()
  })
  return {
    mend() {
      broken = false
      vi.doUnmock(path)
    },
  }
}

function ask(service: Awaited<ReturnType<typeof createMemoryService>>, path: string): Promise<Response> {
  return path === '/admin/login' ? login(service, 'root', 'root-password') : service.request(path)
}

describe('a module that the app loads on demand', () => {
  it.each(PARTS)('(%s) is loaded again after a failure', async (part, path) => {
    vi.resetModules()
    const { mend } = breakPart(part)
    const service = await createMemoryService(UNLIMITED)
    expect((await ask(service, path)).status).toBe(500)
    expect((await ask(service, path)).status).toBe(500)
    mend()
    expect((await ask(service, path)).status).toBe(200)
  })

  it.each(PARTS)('(%s) is loaded before the first request if the host checks the secrets', async (part, path) => {
    vi.resetModules()
    const service = await createMemoryService(UNLIMITED)
    await service.app.checkSecrets()
    breakPart(part)
    expect((await ask(service, path)).status).toBe(200)
  })

  it.each(PARTS)('(%s) prevents the start if it cannot be loaded', async (part) => {
    vi.resetModules()
    const { mend } = breakPart(part)
    const service = await createMemoryService(UNLIMITED)
    await expect(service.app.checkSecrets()).rejects.toThrow()
    mend()
    await service.app.checkSecrets()
  })
})
