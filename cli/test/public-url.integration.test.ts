import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext, startImpostor } from './harness.ts'

const PUBLIC = 'https://fish.example.org'
const context = serviceContext({ FISH_PUBLIC_URL: PUBLIC })

test('a login file contains the public address of the service, not the address that the administrator uses', async () => {
  const folder = newFolder()
  const file = join(folder, 'alex.json')
  const env = { ...context.admin, ...xdgFolders(folder) }
  const { status, stderr } = await run(['user', 'create', 'Walter', '--login-file', file], { env })
  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ service: PUBLIC, name: 'Walter' })
})

test('open prints the public address, even on the machine that runs the service', async () => {
  const { stdout } = await run(['open', 'Alex', '--print'], { env: context.base })
  expect(stdout).toBe(`${PUBLIC}/@Alex?gamemode=earth\n`)
})

/** Starts a proxy that changes the responses that contain the public address, and returns the address of the proxy. */
async function serviceWithStatus(respond: (status: object) => readonly [number, object]): Promise<string> {
  const between = await startImpostor(async (request, response) => {
    const body = await text(request)
    const { host: _, connection: __, ...headers } = request.headers
    const original = await fetch(`${context.service.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body === '' ? {} : { body }),
    })
    const content = await original.json()
    const [status, json] = ['/status', '/admin/me'].includes(request.url ?? '')
      ? respond(content)
      : [original.status, content]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(json))
  })
  onTestFinished(() => void between.close())
  return between.url
}

test.each([
  ['unknown', 'Bella', () => [503, { error: 'Unavailable', code: 'unavailable', requestId: 'r' }], 'unavailable'],
  [
    'not a web address',
    'Bruno',
    (status) => [200, { ...status, publicUrl: 'javascript:alert(1)' }],
    'invalid_response',
  ],
] as const satisfies readonly (readonly [string, string, Parameters<typeof serviceWithStatus>[0], string])[])(
  'user create --login-file creates nothing if the public address is %s, and open prints the address in FISH_URL',
  async (_, name, respond, code) => {
    const FISH_URL = await serviceWithStatus(respond)
    const folder = newFolder()
    const file = join(folder, 'login.json')
    const env: Env = { ...context.admin, ...xdgFolders(folder), FISH_URL }
    const { status, stdout } = await run(['user', 'create', name, '--login-file', file, '--json'], { env })
    expect([status === 0, JSON.parse(stdout).error?.code]).toEqual([false, code])
    expect(existsSync(file)).toBe(false)
    expect((await run(['user', 'show', name], { env: context.admin })).status).toBe(5)
    expect((await run(['open', 'Alex', '--print'], { env })).stdout).toBe(`${FISH_URL}/@Alex?gamemode=earth\n`)
  },
)

test('an administrator creates a login file from an address whose public rate limit is exhausted', async () => {
  let response = new Response()
  while (response.status !== 429) response = await fetch(`${context.service.url}/status`)
  const folder = newFolder()
  const file = join(folder, 'xaver.json')
  const env = { ...context.admin, ...xdgFolders(folder), FISH_MAX_WAIT: '0' }
  const { status, stderr } = await run(['user', 'create', 'Xaver', '--login-file', file, '-g', 'Earth'], { env })
  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ service: PUBLIC, gamemode: 'earth' })
})
