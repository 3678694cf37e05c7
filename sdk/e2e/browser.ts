import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import type { TestContext } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { type Bundle, bundleForPage } from './package-bundle.ts'
import { listening } from './runtimes-service.ts'

/** A page on its own origin, with a script that uses the built package. */
export interface ScriptedPage extends AsyncDisposable {
  readonly origin: string
  readonly bundle: Bundle
  /** The files of the script that the browser requested. */
  readonly loaded: ReadonlySet<string>
  /** Calls a function that the script has defined on `globalThis`. */
  call<Result>(name: string, argument: unknown): Promise<Result>
}

/** Bundles a module for browsers with code splitting, serves the files, and opens the page in headless Chromium. */
export async function openPage(source: string, skip: TestContext['skip']): Promise<ScriptedPage> {
  const browser = await startBrowser(skip)
  const bundle = await bundleForPage(source, { splitting: true })
  const loaded = new Set<string>()
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(1)
    const code = bundle.files.get(name)
    if (code !== undefined) loaded.add(name)
    response.setHeader('content-type', code === undefined ? 'text/html' : 'text/javascript')
    response.end(code ?? '<!doctype html><script type="module" src="/page.js"></script>')
  })
  // WebCrypto exists only in secure contexts, such as localhost. The service has another origin, because its host is
  // 127.0.0.1.
  const origin = (await listening(server)).replace('127.0.0.1', 'localhost')
  const page = await browser.newPage()
  await page.goto(origin)
  return {
    origin,
    bundle,
    loaded,
    call: (name, argument) => callIn(page, name, argument),
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

function callIn<Result>(page: Page, name: string, argument: unknown): Promise<Result> {
  return page.evaluate(
    async ([name, argument]) => {
      const functions = globalThis as unknown as Record<string, (argument: unknown) => Promise<unknown>>
      return (await functions[name as string]?.(argument)) as Result
    },
    [name, argument],
  )
}
