import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startBrowser } from '../../scripts/test-support/chromium.ts'
import { filesWith, newFolder } from '../test/folders.ts'
import { connect, newPlayer, readLaunchFile, startApp, stateFolder } from './app-process.ts'

/** Starts the program with a player who is logged in, and returns the requests of its page. */
async function startLoggedIn() {
  const player = await newPlayer()
  const app = startApp(player.home)
  const launch = readLaunchFile(await app.address())
  const page = await connect(launch)
  expect((await page.post('/api/login', { file: JSON.stringify(player.login) })).status).toBe(200)
  return { ...player, ...launch, app, page }
}

/** Serves an empty page of another site. */
async function startOtherSite(): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other site</title><body>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Runs in a page of another site. Returns what each attempt could read, or `refused`. */
async function attack({ target, script }: { readonly target: string; readonly script: string }) {
  const attempts: Record<string, () => Promise<unknown>> = {
    'read the state': async () => (await fetch(`${target}/api/events`, { credentials: 'include' })).text(),
    'read the page': async () => (await fetch(target, { credentials: 'include' })).text(),
    'post JSON': async () =>
      (
        await fetch(`${target}/api/quit`, {
          method: 'POST',
          credentials: 'include',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).text(),
  }
  for (const name of ['start', 'undo', 'logout', 'quit']) {
    attempts[`post ${name} without CORS`] = async () => {
      const url = `${target}/api/${name}`
      return (await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' })).text()
    }
  }
  attempts['read the state without CORS'] = async () =>
    (await fetch(`${target}/api/events`, { mode: 'no-cors', credentials: 'include' })).text()
  attempts.beacon = async () => {
    navigator.sendBeacon(`${target}/api/quit`, '{}')
    return ''
  }
  const loaded = (element: HTMLElement) =>
    new Promise((resolve, reject) => {
      element.onload = resolve
      element.onerror = reject
      document.body.append(element)
    })
  attempts.image = async () => (await loaded(Object.assign(new Image(), { src: `${target}/` }))) && 'loaded'
  attempts.script = async () =>
    (await loaded(Object.assign(document.createElement('script'), { src: script }))) && 'loaded'
  attempts.module = async () => Object.keys(await import(script)).join()
  for (const path of ['/', '/api/events']) {
    attempts[`frame of ${path}`] = async () => {
      const frame = Object.assign(document.createElement('iframe'), { src: target + path })
      await loaded(frame)
      return frame.contentDocument?.body.textContent ?? ''
    }
  }
  attempts.form = async () => {
    const sink = Object.assign(document.createElement('iframe'), { name: 'sink' })
    document.body.append(sink)
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: `${target}/api/quit`, target: 'sink', enctype: 'text/plain' })
    document.body.append(form)
    const answered = new Promise((resolve) => {
      sink.onload = resolve
    })
    form.submit()
    await answered
    return sink.contentDocument?.body.textContent ?? ''
  }
  attempts.socket = () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${target.replace('http', 'ws')}/api/events`)
      socket.onopen = () => resolve('opened')
      socket.onerror = reject
    })
  attempts['event source'] = () =>
    new Promise((resolve, reject) => {
      const source = new EventSource(`${target}/api/events`, { withCredentials: true })
      source.onopen = () => resolve('opened')
      source.onerror = reject
    })
  const results: Record<string, unknown> = {}
  for (const [name, attempt] of Object.entries(attempts)) {
    results[name] = await attempt().catch(() => '')
  }
  return results
}

test('without the secret, nothing can be read or changed', async () => {
  const { origin, code, page, app } = await startLoggedIn()
  const before = await page.state()
  for (const authorization of [undefined, 'Bearer wrong', `Bearer ${code}`, `Bearer ${page.secret}x`, page.secret]) {
    const headers = { origin, 'content-type': 'application/json', ...(authorization && { authorization }) }
    expect((await fetch(`${origin}/api/events`, { headers })).status).toBe(401)
    for (const name of ['login', 'start', 'stop', 'undo', 'logout', 'open', 'quit']) {
      const response = await fetch(`${origin}/api/${name}`, { method: 'POST', headers, body: '{}' })
      expect([name, response.status]).toEqual([name, 401])
    }
  }
  const headers = { origin, 'content-type': 'application/json' }
  const again = await fetch(`${origin}/api/session`, { method: 'POST', headers, body: JSON.stringify({ code }) })
  expect(again.status).toBe(401)
  expect(await page.state()).toEqual(before)
  expect(app.child.exitCode).toBeNull()
})

test('a page of another origin changes nothing and reads nothing', async ({ skip }) => {
  const context = await startBrowser(skip)
  const { origin, home, page, app } = await startLoggedIn()
  const port = await startOtherSite()
  // The player's own page is open in the same browser, with its secret.
  const own = await context.newPage()
  await own.goto(await startApp(home).address())
  await own.getByRole('button', { name: 'Start', exact: true }).waitFor()
  const script = origin + /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(origin)).text())?.[1]
  const before = await page.state()
  for (const site of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    const other = await context.newPage()
    const statuses: (readonly [string, number])[] = []
    other.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (response.url().startsWith(`${origin}/api/`)) statuses.push([pathname, response.status()])
    })
    await other.goto(site)
    const read = await other.evaluate(attack, { target: origin, script })
    expect([site, Object.entries(read).filter(([, text]) => text !== '')]).toEqual([site, []])
    expect(statuses.length).toBeGreaterThan(5)
    expect(statuses.filter(([, status]) => status !== 403)).toEqual([])
    // The page may open in a tab of its own, but it is not connected, and the opener has no hold on it.
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      other.evaluate((target) => {
        Object.assign(globalThis, { tab: window.open(target) })
      }, origin),
    ])
    await tab.getByText('Open Fish Collection again').waitFor()
    expect(await other.evaluate(() => (globalThis as unknown as { tab: Window }).tab.closed)).toBe(true)
    expect(await page.state()).toEqual(before)
  }
  expect(app.child.exitCode).toBeNull()
})

test('a host name that leads to this machine reads nothing', async ({ skip }) => {
  const context = await startBrowser(skip, {}, ['--host-resolver-rules=MAP evil.example 127.0.0.1'])
  const { origin, page } = await startLoggedIn()
  const before = await page.state()
  const rebound = `http://evil.example:${new URL(origin).port}`
  const other = await context.newPage()
  expect((await other.goto(rebound))?.status()).toBe(403)
  const statuses = await other.evaluate(async (secret) => {
    const headers = { authorization: `Bearer ${secret}` }
    const reads = ['/', '/api/events'].map((path) => fetch(path, { headers }))
    const writes = ['session', 'start', 'quit'].map((name) =>
      fetch(`/api/${name}`, { method: 'POST', headers, body: '{}' }),
    )
    return (await Promise.all([...reads, ...writes])).map(({ status }) => status)
  }, page.secret)
  expect(statuses).toEqual([403, 403, 403, 403, 403])
  expect(await page.state()).toEqual(before)
})

/** Returns the files of processes below /proc, such as `cmdline`, that contain one of the texts. */
function processFilesWith(name: string, texts: readonly string[]): readonly string[] {
  const paths = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => join('/proc', pid, name))
  return paths.filter((path) => {
    try {
      const content = readFileSync(path, 'utf8')
      return texts.some((text) => content.includes(text))
    } catch {
      // The process has ended, or belongs to the kernel.
      return false
    }
  })
}

test('no secret is in a command line, the environment, the output, the address or the history', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('Only Linux shows processes below /proc.')
  const context = await startBrowser(skip)
  const player = await newPlayer()
  const app = startApp(player.home)
  const address = await app.address()
  const { code, origin } = readLaunchFile(address)
  expect(statSync(fileURLToPath(address)).mode & 0o777).toBe(0o600)
  expect(statSync(stateFolder(player.home)).mode & 0o777).toBe(0o700)
  expect(statSync(join(stateFolder(player.home), 'app.sock')).mode & 0o777).toBe(0o600)
  expect(address).not.toContain(code)

  const page = await context.newPage()
  await page.goto(address)
  await page.locator('input[type=file]').setInputFiles(player.loginFile())
  await page.getByText(player.user.password).waitFor()
  const secret = await page.evaluate(() => sessionStorage.getItem('fish-app') ?? '')
  expect(secret).toMatch(/^[\w-]{43}$/)
  const secrets = [secret, code]
  expect(page.url()).toBe(`${origin}/`)
  const { entries } = await (await context.newCDPSession(page)).send('Page.getNavigationHistory')
  expect(entries.filter(({ url }) => secrets.some((text) => url.includes(text)))).toEqual([])
  const body = JSON.stringify({ code })
  expect((await fetch(`${origin}/api/session`, { method: 'POST', headers: { origin }, body })).status).toBe(401)
  const sensitive = [...secrets, player.user.password, player.user.fernetKey]
  expect(processFilesWith('cmdline', sensitive)).toEqual([])
  expect(processFilesWith('environ', sensitive)).toEqual([])
  expect(await filesWith(secret, player.home)).toEqual([])

  await page.getByRole('button', { name: 'Quit' }).click()
  await app.ended
  expect(sensitive.filter((text) => app.output().includes(text))).toEqual([])
  expect(existsSync(fileURLToPath(address))).toBe(false)
  expect(await filesWith(code, player.home)).toEqual([])
})

const ALICE = 23_001
const BOB = 23_002

const as = (user: number) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] as const

/** Creates the home of a user. Other users can list it, as on many systems. */
function newHome(user: number): string {
  const home = newFolder()
  chownSync(home, user, user)
  chmodSync(home, 0o755)
  return home
}

/** Runs as another user. Prints the result of each attempt as JSON. */
const INTRUSION = `
const { readFileSync, readdirSync } = require('node:fs')
const [file, folder, pid, origin] = process.argv.slice(1)
const attempt = (work) => { try { return String(work()) } catch ({ code }) { return code } }
const connect = (path) => new Promise((resolve) => {
  require('node:net').connect(path).once('connect', () => resolve('connected')).once('error', ({ code }) => resolve(code))
})
const status = async (path, method) =>
  (await fetch(origin + path, { method, headers: { origin }, ...(method === 'POST' && { body: '{}' }) })).status
const main = async () => ({
  file: attempt(() => readFileSync(file)),
  folder: attempt(() => readdirSync(folder)),
  socket: await connect(folder + '/app.sock'),
  environ: attempt(() => readFileSync('/proc/' + pid + '/environ')),
  descriptors: attempt(() => readdirSync('/proc/' + pid + '/fd')),
  statuses: await Promise.all([
    status('/api/events', 'GET'),
    ...['session', 'login', 'start', 'stop', 'undo', 'logout', 'open', 'quit'].map((name) => status('/api/' + name, 'POST')),
  ]),
})
main().then((result) => console.log(JSON.stringify(result)))
`

test('another user of the machine cannot use the program, and starts one of their own', async ({ skip }) => {
  if (process.getuid?.() !== 0) return skip('Only root can become two users.')
  const [setpriv, ...bob] = as(BOB)
  const probe = spawnSync(setpriv, [...bob, process.execPath, '--version'])
  if (probe.status !== 0) return skip('Another user cannot run Node: setpriv is missing, or the path is private.')
  const home = newHome(ALICE)
  const app = startApp(home, as(ALICE))
  const address = await app.address()
  const launch = readLaunchFile(address)
  const targets = [fileURLToPath(address), stateFolder(home), String(app.child.pid), launch.origin]
  const { stdout } = spawnSync(setpriv, [...bob, process.execPath, '-e', INTRUSION, '--', ...targets])
  expect(JSON.parse(String(stdout))).toEqual({
    file: 'EACCES',
    folder: 'EACCES',
    socket: 'EACCES',
    environ: 'EACCES',
    descriptors: 'EACCES',
    statuses: [401, 401, 401, 401, 401, 401, 401, 401, 401],
  })

  const other = newHome(BOB)
  const own = startApp(other, as(BOB))
  const { origin } = readLaunchFile(await own.address())
  expect(origin).not.toBe(launch.origin)
  const second = startApp(other, as(BOB))
  expect(await second.ended).toEqual([0, null])
  expect(second.output()).toContain('already running')
  expect(readLaunchFile(await second.address()).origin).toBe(origin)
  // The code of Alice was not touched.
  const page = await connect(launch)
  expect(await page.state()).toMatchObject({ account: null, running: false })
})
