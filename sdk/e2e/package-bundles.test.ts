import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundleForPage, filesLoaded, gzippedBytes } from './package-bundle.ts'

const KB = 1024

/** The script of a page that reads a collection. */
const READING_PAGE = `
  import { createClient } from '@fish-crab/sdk'
  const fetch = async () => Response.json({ user: 'Alex', fish: [{ name: 'Salmon', rarity: 'Gold' }] })
  const client = createClient({ baseUrl: 'https://fish.example', fetch })
  const { fish } = await client.fish.list({ user: 'Alex', gamemode: 'earth' })
  if (fish[0].name !== 'Salmon') throw new Error('It did not read.')
`

function report(what: string, bytes: number): number {
  process.stdout.write(`${what}: ${(bytes / KB).toFixed(2)} KB gzipped\n`)
  return bytes
}

test('a page that reads collections loads at most 14 KB of the client, gzipped, and no cryptography', async () => {
  const page = await bundleForPage(READING_PAGE, { splitting: true })
  const loaded = await filesLoaded(page)
  expect(loaded).toContain('page.js')
  expect(loaded.length).toBeLessThan(page.files.size)
  expect(report('client, all that a reading page loads', gzippedBytes(page, loaded))).toBeLessThanOrEqual(14 * KB)
  report('client, in one file with what adding needs', gzippedBytes(await bundleForPage(READING_PAGE)))
})

test('the README has the correct bundle sizes of the entries', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = Array.from(readme.matchAll(/^\| `(@fish-crab\/sdk\S*)` .*\| ([\d.]+) KB +\|$/gm))
  expect(rows).toHaveLength(5)
  for (const [, entry = '', size] of rows) {
    const bundle = await bundleForPage(`export * from '${entry}'`, { splitting: true })
    const loaded = report(`all of ${entry}`, gzippedBytes(bundle, await filesLoaded(bundle)))
    expect(Math.abs(loaded / KB - Number(size)), entry).toBeLessThan(0.1)
  }
})

test.each([
  ['chat', 3.5],
  ['fernet', 2.5],
  ['outbox', 12],
  ['admin', 16],
])('importing all of ./%s loads at most %f KB, gzipped, without code of Node or zod', async (entry, budgetKB) => {
  const bundle = await bundleForPage(`export * from '@fish-crab/sdk/${entry}'`, { splitting: true })
  const loaded = await filesLoaded(bundle)
  const inputs = loaded.flatMap((name) => bundle.inputs.get(name) ?? [])
  expect(inputs.filter((input) => !input.startsWith('sdk/dist/'))).toEqual([])
  for (const name of loaded) expect(bundle.files.get(name)).not.toMatch(/["']node:|require\(|\bBuffer\b/)
  expect(report(`./${entry}`, gzippedBytes(bundle, loaded))).toBeLessThanOrEqual(budgetKB * KB)
})

test.each([
  ['RateLimitError', 'sdk', 0.75],
  ['isGamemode', 'sdk', 0.5],
  ['OutboxFullError', 'sdk/outbox', 1],
  ['createFernet', 'sdk/fernet', 2.5],
  ['parseChatLine', 'sdk/chat', 2],
])(
  'importing %s alone from @fish-crab/%s does not include the client, and loads at most %f KB',
  async (name, entry, budgetKB) => {
    const bundle = await bundleForPage(`export { ${name} } from '@fish-crab/${entry}'`)
    // Names and strings of the client that a bundler does not shorten.
    expect([...bundle.files.values()].join('')).not.toMatch(/maxRetries|x-ratelimit|octet-stream|setTimeout/i)
    expect(report(`${name} alone`, gzippedBytes(bundle))).toBeLessThanOrEqual(budgetKB * KB)
  },
)
