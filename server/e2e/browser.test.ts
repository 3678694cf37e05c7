import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'

/** A script that runs the app in a page, creates a user, posts a catch and reads the catch. */
const PAGE = `
  import { createApp, createMemoryStorage } from '@fish-crab/server/app'
  import { createFernet } from '@fish-crab/sdk/fernet'

  globalThis.tryIt = async () => {
    const app = createApp({
      storage: createMemoryStorage(),
      secrets: { encryption: 'encryption', session: 'a session secret of a test, 32 bytes' },
      passwords: { hash: async (password) => password, verify: async (password, hash) => password === hash },
      version: 'page',
      clientAddress: () => '192.0.2.1',
    })
    const user = await app.users.create({ name: 'Alex' })
    const token = await createFernet(user.fernetKey).encrypt(JSON.stringify({ fish: 'Salmon', rarity: 3 }))
    const write = await app.fetch(new Request('http://page.test/post/fish?name=Alex', {
      method: 'POST', body: token, headers: { 'x-gamemode': 'earth', 'content-type': 'application/octet-stream' },
    }))
    const read = await app.fetch(new Request('http://page.test/get/fish?name=alex&gamemode=earth'))
    return { written: write.status, remaining: read.headers.get('x-ratelimit-remaining'), read: await read.json() }
  }
`

async function bundleForBrowser() {
  const { outputFiles, metafile } = await build({
    stdin: { contents: PAGE, resolveDir: fileURLToPath(new URL('..', import.meta.url)), loader: 'js' },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    tsconfigRaw: '{}',
  })
  return { code: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) }
}

describe('the portable app in a browser', () => {
  it('can be bundled from the built packages, and the bundle imports no node: module', async () => {
    const { code, inputs } = await bundleForBrowser()
    expect(code).not.toMatch(/["']node:/)
    expect(inputs.filter((input) => input.startsWith('sdk/') || input.startsWith('server/'))).not.toHaveLength(0)
    expect(inputs).not.toContainEqual(expect.stringMatching(/fernet-key\.node|pino|node:/))
  })

  it('stores and returns a catch in a page', async ({ skip }) => {
    const { code } = await bundleForBrowser()
    const page = await (await startBrowser(skip)).newPage()
    // WebCrypto needs a secure context, such as localhost. No server listens on localhost, so the test serves the page.
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
    await page.goto('http://localhost/')
    await page.addScriptTag({ content: code })
    const result = await page.evaluate(() => (globalThis as unknown as { tryIt(): Promise<unknown> }).tryIt())
    expect(result).toEqual({
      written: 201,
      remaining: '23',
      read: { user: 'Alex', fish: [{ name: 'Salmon', rarity: 'Gold' }] },
    })
  })
})
