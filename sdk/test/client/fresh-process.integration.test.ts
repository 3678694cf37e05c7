import type { Metafile } from 'esbuild'
import { expect, test } from 'vitest'
import { bundle, runInNode } from '../../../scripts/test-support/fresh-process.ts'
import { answerEmpty, listen } from './http-server.ts'

/** Returns the files that load at import: the files that the entry reaches without a dynamic import. */
function readAtImport({ outputs }: Metafile): string[] {
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.includes('stdin')) ?? ''
  const reached = new Set([entry])
  for (const file of reached) {
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') reached.add(path)
  }
  return [...reached].flatMap((file) => [file, ...Object.keys(outputs[file]?.inputs ?? {})])
}

test('importing the client loads neither zod nor undici nor cryptography', async () => {
  const { metafile } = await bundle("import { createClient } from '@fish-crab/sdk'; createClient()", true)
  const files = readAtImport(metafile)
  expect(files.some((file) => file.includes('client/transport/transport.ts'))).toBe(true)
  expect(files.filter((file) => /zod|undici|fernet\/(fernet|key\.(node|web)|token)/.test(file))).toEqual([])
})

test.each(['no proxy', 'a proxy'])(
  'a client with %s does not keep its process alive, and does not change the shared dispatcher',
  async (proxy) => {
    await using server = await listen(answerEmpty)
    const http_proxy = proxy === 'a proxy' ? server.baseUrl : ''
    const { stdout, exitCode } = await runInNode(
      `
      import { createClient } from '@fish-crab/sdk'
      void globalThis.Response
      const shared = Symbol.for('undici.globalDispatcher.1')
      const before = globalThis[shared]
      const { user } = await createClient({ baseUrl: '${server.baseUrl}' }).demo.fish()
      process.stdout.write(user + ' ' + (globalThis[shared] === before))
    `,
      { env: { http_proxy, no_proxy: '', NO_PROXY: '' } },
    )
    expect(stdout).toBe('demo true')
    expect(exitCode).toBe(0)
  },
)

test.each<[string, { readonly http_proxy?: string; readonly no_proxy?: string }, string]>([
  ['no proxy', {}, 'demo, without undici'],
  ['a proxy for other hosts', { http_proxy: 'http://127.0.0.1:1', no_proxy: '127.0.0.1' }, 'demo, without undici'],
  ['a proxy', { http_proxy: 'SERVER' }, 'demo, with undici'],
])('undici is loaded only if the environment sets a proxy for the service (%s)', async (_, proxies, expected) => {
  await using server = await listen(answerEmpty)
  const unset = { HTTP_PROXY: '', HTTPS_PROXY: '', http_proxy: '', https_proxy: '', no_proxy: '', NO_PROXY: '' }
  const env = { ...unset, ...proxies, ...(proxies.http_proxy === 'SERVER' && { http_proxy: server.baseUrl }) }
  const { stdout } = await runInNode(
    `
    import { registerHooks } from 'node:module'
    import { createClient } from '@fish-crab/sdk'
    let undici = 'without'
    registerHooks({
      resolve(name, context, next) {
        if (name === 'undici') undici = 'with'
        return next(name, context)
      },
    })
    const { user } = await createClient({ baseUrl: '${server.baseUrl}' }).demo.fish()
    process.stdout.write(user + ', ' + undici + ' undici')
  `,
    { env },
  )
  expect(stdout).toBe(expected)
})

const RESPONSE =
  '{ statusCode: 200, data: { user: "program", fish: [] }, responseOptions: { headers: { "content-type": "application/json" } } }'

test.each<[string, string, string]>([
  ['a MockAgent', `const agent = mockAgent()`, 'program program'],
  ['a ProxyAgent', `const agent = new ProxyAgent('SERVER')`, 'demo demo'],
  ['a RetryAgent', `const agent = new RetryAgent(mockAgent())`, 'program program'],
  [
    'an Agent with an interceptor',
    `const agent = new Agent().compose(() => (request, handler) => mockAgent().dispatch(request, handler))`,
    'program program',
  ],
])('a client sends its requests through %s that the program passed to setGlobalDispatcher', async (_, agent, users) => {
  await using server = await listen(answerEmpty)
  const { stdout } = await runInNode(`
    import { Agent, MockAgent, ProxyAgent, RetryAgent, setGlobalDispatcher } from 'undici'
    import { createClient } from '@fish-crab/sdk'
    function mockAgent() {
      const mock = new MockAgent()
      const response = ${RESPONSE}
      mock.get('http://fish.test').intercept({ path: /.*/ }).reply(() => response).persist()
      return mock
    }
    ${agent.replace('SERVER', server.baseUrl)}
    const earlier = createClient({ baseUrl: '${server.baseUrl}' })
    await earlier.demo.fish()
    setGlobalDispatcher(agent)
    const later = createClient({ baseUrl: 'http://fish.test', maxRetries: 0 })
    const { user } = await later.demo.fish()
    process.stdout.write(user + ' ' + (await later.demo.fish()).user)
  `)
  expect(stdout).toBe(users)
})

test('a client that has sent a request uses a dispatcher that the program sets later', async () => {
  await using server = await listen(answerEmpty)
  const { stdout } = await runInNode(`
    import { Agent, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici'
    import { createClient } from '@fish-crab/sdk'
    const before = getGlobalDispatcher()
    const client = createClient({ baseUrl: '${server.baseUrl}' })
    const users = [(await client.demo.fish()).user]
    const agent = new MockAgent()
    agent.get('${server.baseUrl}').intercept({ path: /.*/ }).reply(() => (${RESPONSE})).persist()
    setGlobalDispatcher(agent)
    users.push((await client.demo.fish()).user)
    setGlobalDispatcher(before)
    users.push((await client.demo.fish()).user)
    process.stdout.write(users.join(' '))
  `)
  expect(stdout).toBe('demo program demo')
})

test('a dispatcher of the program overrides the proxy variables of the environment', async () => {
  const { stdout } = await runInNode(
    `
    import { MockAgent, setGlobalDispatcher } from 'undici'
    import { createClient } from '@fish-crab/sdk'
    const agent = new MockAgent()
    agent.get('http://fish.test').intercept({ path: /.*/ }).reply(() => (${RESPONSE}))
    setGlobalDispatcher(agent)
    process.stdout.write((await createClient({ baseUrl: 'http://fish.test', maxRetries: 0 }).demo.fish()).user)
  `,
    { env: { http_proxy: 'http://127.0.0.1:1' } },
  )
  expect(stdout).toBe('program')
})

// This test needs a separate process: the test runner loads parts of MSW before any test, which would hide a failure to
// intercept.
test('an MSW server intercepts the requests of a client, even over open connections, until the MSW server closes', async () => {
  await using server = await listen(answerEmpty)
  const { stdout } = await runInNode(`
    import { createClient } from '@fish-crab/sdk'
    const baseUrl = '${server.baseUrl}'
    const client = createClient({ baseUrl })
    const users = []
    for (let call = 0; call < 5; call++) users.push((await client.demo.fish()).user)
    const { HttpResponse, http } = await import('msw')
    const { setupServer } = await import('msw/node')
    const msw = setupServer(http.get(baseUrl + '/demo/fish', () => HttpResponse.json({ user: 'mocked', fish: [] })))
    msw.listen()
    users.push((await client.demo.fish()).user, (await createClient({ baseUrl }).demo.fish()).user)
    msw.close()
    users.push((await client.demo.fish()).user)
    process.stdout.write(users.join(' '))
  `)
  expect(stdout).toBe('demo demo demo demo demo mocked mocked demo')
})
