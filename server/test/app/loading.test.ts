import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { login } from './administration.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

/** What the app loads when it is first needed, by a request that needs it. */
const PARTS = [
  ['../../src/app/routes/admin.ts', '/admin/login'],
  ['../../src/app/auth/jwt.ts', '/admin/login'],
  ['@fish-crab/sdk/openapi', '/openapi.json'],
] as const

/** Lets a part fail to load, as with no descriptor or no file left, until it is mended. */
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

describe('a part of the app that is loaded when it is needed', () => {
  it.each(PARTS)('%s is loaded again after it could not be', async (part, path) => {
    vi.resetModules()
    const { mend } = breakPart(part)
    const service = await createMemoryService(UNLIMITED)
    expect((await ask(service, path)).status).toBe(500)
    expect((await ask(service, path)).status).toBe(500)
    mend()
    expect((await ask(service, path)).status).toBe(200)
  })

  it.each(PARTS)('%s is there before the first request of a host that checks the secrets', async (part, path) => {
    vi.resetModules()
    const service = await createMemoryService(UNLIMITED)
    await service.app.checkSecrets()
    breakPart(part)
    expect((await ask(service, path)).status).toBe(200)
  })

  it.each(PARTS)('%s that cannot be loaded at start is an error of the start', async (part) => {
    vi.resetModules()
    const { mend } = breakPart(part)
    const service = await createMemoryService(UNLIMITED)
    await expect(service.app.checkSecrets()).rejects.toThrow()
    mend()
    await service.app.checkSecrets()
  })
})
