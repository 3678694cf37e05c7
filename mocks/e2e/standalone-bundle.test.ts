import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../scripts/test-support/child-process.ts'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
/** A program that uses the main features: users, a fault, an admin session and an error response. */
const PROGRAM = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
const { parseSeed, startStandaloneMock } = await import('./dist/standalone.js')
const admin = { username: 'root', password: 'password of root' }
const seed = parseSeed({ users: [{ name: 'Alex', fish: { earth: [{ name: 'Cod', rarity: 1 }] } }], admins: [admin] })
const { url, close } = await startStandaloneMock({ seed })
const send = async (path, body, headers) => {
  const response = await fetch(url + path, { method: body ? 'POST' : 'GET', body: body && JSON.stringify(body), headers })
  return { ...await response.json(), status: response.status }
}
const json = { 'content-type': 'application/json' }
const statuses = []
await send('/__mock/faults', { fault: { status: 503 } })
statuses.push((await send('/status')).status)
statuses.push((await send('/get/fish?name=Alex&gamemode=earth')).status)
const { status, token } = await send('/admin/login', admin, json)
statuses.push(status, (await send('/admin/me', undefined, { authorization: 'Bearer ' + token })).status)
statuses.push((await send('/admin/login', { username: 1 }, json)).status)
await close()
process.stdout.write(JSON.stringify({ statuses, loaded }))
`

let folder: string
beforeAll(async () => {
  // Use a folder outside the project, so that no parent folder contains node_modules.
  folder = await mkdtemp(join(tmpdir(), 'fish-crab-standalone-'))
  await cp(DIST, join(folder, 'dist'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the standalone entry', () => {
  test('works without installed packages, and loads only one file', async () => {
    await writeFile(join(folder, 'program.js'), PROGRAM)
    const { status, stdout, stderr } = await run(process.execPath, ['program.js'], {}, folder)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const { statuses, loaded } = JSON.parse(stdout) as { statuses: number[]; loaded: string[] }
    expect(statuses).toEqual([503, 200, 200, 200, 400])
    const files = loaded.filter((url) => !url.startsWith('node:'))
    expect(files).toEqual([pathToFileURL(join(folder, 'dist/standalone.js')).href])
  })

  test('contains no code of MSW, undici, the interception or the conformance checks', async () => {
    const parts = await bundledFiles()
    expect(parts.length).toBeGreaterThan(100)
    expect(parts.filter((part) => /msw|undici|interceptors|vitest|conformance|intercept/.test(part))).toEqual([])
  })

  test('includes the licences of all bundled packages', async () => {
    const names = (await bundledFiles()).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
    const bundled = [...new Set(names)].filter((name) => name !== undefined)
    expect(bundled).toEqual(expect.arrayContaining(['h3', 'jose', 'srvx', 'zod']))
    const licences = await readFile(join(DIST, 'THIRD-PARTY-LICENCES.txt'), 'utf8')
    for (const name of bundled) {
      const { version, license } = JSON.parse(
        await readFile(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
      ) as { version: string; license: string }
      const [, text = ''] = licences.split(`${name} ${version} (${license})\n`)
      expect(text, name).toMatch(/^\s*(?:#.*\s+)?.*(licen[cs]e|copyright)/i)
    }
  })
})

/** Returns the paths of all bundled modules, which the bundler writes as comments above the code. */
async function bundledFiles(): Promise<string[]> {
  const code = await readFile(join(DIST, 'standalone.js'), 'utf8')
  return [...code.matchAll(/^\/\/ ((?:node_modules|sdk|server|mocks)\/\S+)$/gm)].map(([, file = '']) => file)
}
