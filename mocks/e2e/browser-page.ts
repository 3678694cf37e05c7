import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { TestContext } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { bundlePage } from './browser-bundle.ts'

/** The service worker script of MSW, which the origin of the page must serve. */
const WORKER = 'mockServiceWorker.js'

/** An open page with a script that uses the built packages. */
export interface MockedPage extends AsyncDisposable {
  /** The method and path of every request to the page's server, except requests for the files of the page. */
  readonly strays: readonly string[]
  /** The hosts of all requests of the browser. */
  readonly hosts: ReadonlySet<string>
  /** Exceptions in the page, and errors in the console. */
  readonly errors: readonly string[]
  readonly origin: string
  /** Calls a function that the script has assigned to `globalThis`. */
  call<Result>(name: string): Promise<Result>
}

/** Bundles a page script, and opens a page with the script in headless Chromium. */
export async function openMockedPage(source: string, skip: TestContext['skip']): Promise<MockedPage> {
  const browser = await startBrowser(skip)
  const { files } = await bundlePage(source)
  const scripts = new Map([...files, [WORKER, readFileSync(workerPath(), 'utf8')]])
  const strays: string[] = []
  const server = createServer(({ method, url = '' }, response) => {
    const code = scripts.get(url.slice(1))
    if (code === undefined && url !== '/' && url !== '/favicon.ico') strays.push(`${method} ${url}`)
    response.setHeader('content-type', code === undefined ? 'text/html' : 'text/javascript')
    response.end(code ?? '<!doctype html><script type="module" src="/page.js"></script>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Use localhost, which is a secure context. Service workers and WebCrypto need a secure context.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const page = await browser.newPage()
  const hosts = new Set<string>()
  const errors: string[] = []
  page.context().on('request', (request) => hosts.add(new URL(request.url()).host))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(origin)
  return {
    strays,
    hosts,
    errors,
    origin,
    call: <Result>(name: string) =>
      page.evaluate(async (name) => {
        const functions = globalThis as unknown as Record<string, () => Promise<unknown>>
        return (await functions[name]?.()) as Result
      }, name),
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

function workerPath(): string {
  return join(dirname(createRequire(import.meta.url).resolve('msw/package.json')), 'lib', WORKER)
}
