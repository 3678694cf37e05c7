import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as published from '@fish-crab/sdk/chat'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../../src/chat/index.ts', import.meta.url))

test('the browser bundle works, is under 3.5 KB gzipped, and contains no node: import or schema library', async () => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
  })
  const code = outputFiles.map((file) => file.text).join('')
  expect(code).not.toMatch(/node:|require\(|\bBuffer\b|\bprocess\b|zod/)
  expect(gzipSync(code).length).toBeLessThan(3.5 * 1024)
  const browser: typeof published = await import(
    /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  )
  expect(browser.parseChatLine('NIMBLE! You’ve hooked a Crab!')).toEqual({ kind: 'crab', name: 'crab' })
  expect(Object.keys(browser).sort()).toEqual(Object.keys(published).sort())
})

test('the module exports exactly its public names', () => {
  expect(Object.keys(published).sort()).toEqual([
    'CHAT_PATTERNS',
    'chatMessageOf',
    'createChatPattern',
    'parseChatLine',
    'stripChatFormatting',
  ])
})
