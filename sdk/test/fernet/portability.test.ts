import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as published from '@fish-crab/sdk/fernet'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { KEY, text } from './implementations.ts'

const source = (name: string) => fileURLToPath(new URL(`../../src/fernet/${name}`, import.meta.url))

async function bundleForBrowsers(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source('index.ts')],
    alias: { '#fernet-key': source('key.web.ts') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.map((file) => file.text).join('')
}

test('the browser bundle works, is under 2.5 KB gzipped, and contains no node: import', async () => {
  const code = await bundleForBrowsers()
  expect(code).not.toMatch(/node:|require\(|\bBuffer\b|\bprocess\b/)
  expect(gzipSync(code).length).toBeLessThan(2.5 * 1024)
  const browser: typeof published = await import(
    /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  )
  const token = await browser.createFernet(KEY).encrypt('fish')
  expect(text((await published.createFernet(KEY).decrypt(token)).message)).toBe('fish')
  expect(Object.keys(browser).sort()).toEqual(Object.keys(published).sort())
})

test('the module exports exactly its public names', () => {
  expect(Object.keys(published).sort()).toEqual(['FernetError', 'createFernet', 'generateFernetKey', 'isWithinTtl'])
})
