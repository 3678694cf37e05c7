// Creates users and resets their keys at a mock with an https origin, with several clients over many connections, and
// prints the number of keys that each client received. The script runs in a separate process, because a broken
// interception aborts the process.
import https from 'node:https'
import { createRequire } from 'node:module'
import { createMock, type Mock } from '@fish-crab/mocks'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { setupServer } from 'msw/node'

const undici = createRequire(import.meta.url)('undici') as typeof import('undici')
const ADMIN = { username: 'root', password: 'password of root' }
/** The number of concurrent connections. Later connections resume the TLS session of the first connection. */
const AT_ONCE = 3
const ROUNDS = 3
const transport = process.argv[2] === 'msw' ? 'msw' : 'listen'

type Post = (url: string, token: string, body: string) => Promise<string>

const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

const postByFetch =
  (fetch: typeof globalThis.fetch): Post =>
  async (url, token, body) =>
    (await fetch(url, { method: 'POST', headers: headersOf(token), body })).text()

const agent = new https.Agent({ keepAlive: false })
const posts: Readonly<Record<string, Post>> = {
  fetch: postByFetch((...args) => fetch(...args)),
  // The server of MSW does not intercept undici.fetch.
  ...(transport === 'listen' ? { 'undici.fetch': postByFetch(undici.fetch as unknown as typeof fetch) } : {}),
  'node:https': (url, token, body) =>
    new Promise((resolve, reject) => {
      https
        .request(url, { method: 'POST', headers: headersOf(token), agent }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve(text))
        })
        .on('error', reject)
        .end(body)
    }),
}

async function run(mock: Mock): Promise<Record<string, number>> {
  const admin = createAdminClient({ baseUrl: mock.origin, ...ADMIN, env: {} })
  const { token } = await admin.login()
  const counts: Record<string, number> = {}

  async function count(client: string, keys: readonly unknown[]): Promise<void> {
    counts[client] = (counts[client] ?? 0) + keys.filter((key) => typeof key === 'string').length
    // A program under test may also use WebCrypto. Interception by MSW alone breaks if a program encrypts, so only test
    // listen().
    if (transport === 'listen') await encrypt()
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [client, post] of Object.entries(posts)) {
      const names = Array.from({ length: AT_ONCE }, (_, index) => `${client.replace(/\W/g, '')}${round}${index}`)
      const users = await Promise.all(
        names.map((name) => post(`${mock.origin}/admin/users`, token, JSON.stringify({ name }))),
      )
      const resets = await Promise.all(
        names.map((name) => post(`${mock.origin}/admin/users/${name}/reset`, token, '{"type":"fernet"}')),
      )
      await count(
        client,
        [...users, ...resets].map((text) => JSON.parse(text).fernetKey),
      )
    }
    const created = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => admin.users.create({ name: `Sdk${round}${index}` })),
    )
    const reset = await Promise.all(created.map(({ name }) => admin.users.reset(name, 'fernet')))
    await count(
      'SDK',
      [...created, ...reset].map(({ fernetKey }) => fernetKey),
    )
  }
  return counts
}

async function encrypt(): Promise<void> {
  const cipher = { name: 'AES-GCM', length: 256 }
  const key = await crypto.subtle.generateKey(cipher, false, ['encrypt'])
  await crypto.subtle.encrypt({ ...cipher, iv: new Uint8Array(12) }, key, new Uint8Array(40))
}

await using mock = await createMock({ origin: 'https://fish.test', seed: { admins: [ADMIN] } })
if (transport === 'listen') {
  await using _ = await mock.listen()
  process.stdout.write(JSON.stringify(await run(mock)))
} else {
  const network = setupServer(...mock.handlers())
  network.listen()
  process.stdout.write(JSON.stringify(await run(mock)))
  network.close()
}
