import { expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { ADMIN_PASSWORD, type Env, run, serviceContext } from './harness.ts'

const context = serviceContext()
const MS = expect.stringMatching(/^\d+ ms$/)

/** The lines of requests on stderr, each split before its time. */
async function requestsOf(argv: readonly string[], more: Env = {}) {
  const env = { ...context.player, ...xdgFolders(newFolder()), ...more }
  const { status, stdout, stderr } = await run([...argv, '--debug'], { env })
  const lines = stderr.split('\n').filter((line) => / \d+ ms$/.test(line))
  return { status, stdout, stderr, requests: lines.map((line) => line.split(/, (?=\d)/)) }
}

test.each<[string, readonly string[], Env, readonly string[]]>([
  ['status', ['status'], {}, ['GET /status 200']],
  ['add', ['add', 'Cod', '-r', '1', '-g', 'earth'], {}, ['POST /post/fish 201']],
  ['a failed list', ['list', 'fish', 'Nobody'], {}, ['GET /get/fish 404']],
  ['status as JSON', ['status', '--json'], {}, ['GET /status 200']],
  ['a misspelled gamemode', ['list', 'fish', '-g', 'erth'], {}, ['GET /status 200']],
  [
    'user list',
    ['user', 'list'],
    { FISH_ADMIN_PASSWORD: ADMIN_PASSWORD },
    ['POST /admin/login 200', 'GET /admin/users 200'],
  ],
])('--debug prints each request of %s with its method, path, status and time', async (_title, argv, more, lines) => {
  const { requests } = await requestsOf(argv, more)
  expect(requests).toEqual(lines.map((line) => [`fish-cli: ${line}`, MS]))
})

test('--debug prints each request without a response as soon as it fails', async () => {
  const { stderr } = await requestsOf(['status'], { FISH_URL: 'http://127.0.0.1:1' })
  const [first, second] = stderr.split('\n')
  expect(first).toBe('fish-cli: GET /status no response (connection_error)')
  expect(second).not.toContain('GET')
})

test('--debug leaves stdout unchanged, and prints no secrets', async () => {
  const plain = await run(['key', '--json'], { env: context.player })
  const { status, stdout, stderr } = await requestsOf(['key', '--json'])
  expect({ status, stdout }).toEqual({ status: 0, stdout: plain.stdout })
  for (const secret of [context.alex.fernetKey, context.alex.password]) expect(stderr).not.toContain(secret)
})

test('without --debug, requests are not printed', async () => {
  expect((await run(['status'], { env: context.player })).stderr).toBe('')
})
