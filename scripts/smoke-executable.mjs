// Checks that a single executable works on this machine, in an environment without Node:
// `node scripts/smoke-executable.mjs FILE DOWNLOAD`, where DOWNLOAD is the same program for players. The script is plain
// JavaScript for any Node that a runner has.
import { equal, match } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LIMIT_MS = 60_000
const ADMIN_PASSWORD = 'canary-admin-password'
const [file, download] = process.argv.slice(2).map((path) => resolve(path))
const home = mkdtempSync(join(tmpdir(), 'fish-smoke-'))
const data = join(home, 'data')
/** @param home the folder in which the program stores everything */
const envOf = (home) => ({
  PATH: process.platform === 'win32' ? `${process.env.SystemRoot}\\System32` : '/usr/bin:/bin',
  HOME: home,
  USERPROFILE: home,
  APPDATA: home,
  LOCALAPPDATA: home,
  TEMP: home,
  ...(process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {}),
  FISH_SECRET_STORE: 'file',
})
const env = envOf(home)
const running = new Set()

function start(args, more = {}) {
  const child = spawn(file, args, { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'], cwd: home })
  const program = { child, stdout: '', stderr: '', closed: once(child, 'close') }
  running.add(program)
  program.closed.then(() => running.delete(program))
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      program[name] += text
    })
  }
  return program
}

async function run(args, more) {
  const program = start(args, more)
  const timer = setTimeout(() => program.child.kill('SIGKILL'), LIMIT_MS)
  const [status] = await program.closed
  clearTimeout(timer)
  equal(status, 0, `fish-cli ${args.join(' ')}: ${program.stdout}${program.stderr}`)
  return program.stdout
}

async function until(what, read) {
  const deadline = Date.now() + LIMIT_MS
  for (;;) {
    const value = await read()
    if (value) return value
    if (Date.now() > deadline) throw new Error(`Timed out: ${what}`)
    await sleep(50)
  }
}

/** Unpacks the download for players, and returns the program in it. */
function unpackDownload() {
  const name = 'Fish Collection'
  const folder = join(home, 'download')
  mkdirSync(folder)
  if (download.endsWith('.tar.gz')) execFileSync('tar', ['-xzf', download, '-C', folder])
  else if (download.endsWith('.zip')) execFileSync('ditto', ['-x', '-k', download, folder])
  else return download
  return join(folder, ...(download.endsWith('.zip') ? [`${name}.app`, 'Contents', 'MacOS'] : [name]), name)
}

async function serve(port) {
  const server = start(['serve', '--port', port, '--storage', `file:${data}`], {
    FISH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    FISH_LOG: 'silent',
  })
  const [, url] = await until('serve', () => {
    equal(server.child.exitCode, null, server.stderr)
    return /^listening on (\S+)$/m.exec(server.stdout + server.stderr)
  })
  return { ...server, url }
}

async function step(title, work) {
  const startedAt = performance.now()
  const result = await work()
  process.stdout.write(`${title}: ${Math.round(performance.now() - startedAt)} ms\n`)
  return result
}

try {
  await step('version', async () => match(await run(['--version']), /^fish-cli\/\d/))
  await step('help', async () => match(await run(['--help']), /demo/))
  await step('licences', async () => match(await run(['licences']), /Node\.js is licensed/))
  await step('demo', async () => match(await run(['demo']), /\S/))
  let server = await step('serve', () => serve('0'))
  const { url } = server
  const client = { FISH_URL: url, FISH_GAMEMODE: 'earth' }
  const names = async () =>
    JSON.parse(await run(['list', 'fish', 'Alex', '--json'], client)).fish.map(({ name }) => name)
  await step('pages', async () => match(await (await fetch(`${url}/`)).text(), /<html/))
  await step('login', async () => {
    const login = join(home, 'alex.json')
    await run(['user', 'create', 'Alex', '--login-file', login], { ...client, FISH_ADMIN_PASSWORD: ADMIN_PASSWORD })
    await run(['login', '--from', login, '--yes'], client)
  })
  await step('add', () => run(['add', 'Cod', '-r', 'gold'], client))
  await step('list', async () => equal((await names()).join(), 'Cod'))
  await step('card', async () => {
    const card = await fetch(`${url}/@Alex/card.png`)
    equal(`${card.status} ${card.headers.get('content-type')}`, '200 image/png')
    await card.arrayBuffer()
  })
  await step('watch', async () => {
    const log = join(home, 'latest.log')
    const prefix = '[12:00:00] [Render thread/INFO]: '
    writeFileSync(log, `${prefix}Connecting to earth.example.net, 25565\n`)
    await run(['watch', log, '--once'], client)
    appendFileSync(log, `${prefix}[CHAT] NICE CATCH! You caught a Salmon.\n`)
    await run(['watch', log, '--once'], client)
    equal((await names()).join(), 'Cod,Salmon')
    const watching = start(['watch', log], client)
    appendFileSync(log, `${prefix}[CHAT] NICE CATCH! You caught a Perch.\n`)
    await until('the catch of a growing log', async () => (await names()).includes('Perch'))
    watching.child.kill('SIGKILL')
    await watching.closed
  })
  await step('backup', async () => {
    await run(['backup', join(home, 'backup'), '--storage', `file:${data}`])
    equal(existsSync(join(home, 'backup')), true)
  })
  await step('kill and restart', async () => {
    server.child.kill('SIGKILL')
    await server.closed
    server = await serve(new URL(url).port)
    equal((await names()).join(), 'Cod,Salmon,Perch')
  })
  await step('app', async () => {
    const own = join(home, 'player')
    mkdirSync(own)
    // A double-click gives the program no arguments and no terminal. Without a PATH, the program finds no browser, so
    // that the code for the page stays in its file.
    const app = spawn(unpackDownload(), [], { env: { ...envOf(own), PATH: own }, stdio: 'ignore', cwd: own })
    const closed = once(app, 'close')
    running.add({ child: app, closed })
    const [, origin, code] = await until('the file for the browser', () => {
      const launch = readdirSync(own, { recursive: true }).find((path) => /fish-collection-[^/\\]*\.html$/.test(path))
      return launch && /url=(http:[^#]*)\/#code=([\w-]+)/.exec(readFileSync(join(own, launch), 'utf8'))
    })
    match(await (await fetch(`${origin}/`)).text(), /<html/)
    const post = (path, body, headers) =>
      fetch(`${origin}/api/${path}`, { method: 'POST', body: JSON.stringify(body), headers: { origin, ...headers } })
    const { secret } = await (await post('session', { code })).json()
    equal((await post('quit', {}, { authorization: `Bearer ${secret}` })).status, 200)
    equal((await closed)[0], 0)
    // On macOS, the started process ends before the program.
    await until('the end of the program', () =>
      fetch(origin).then(
        () => false,
        () => true,
      ),
    )
  })
} finally {
  for (const { child, closed } of running) {
    child.kill('SIGKILL')
    await closed
  }
  // Windows releases the files of a killed process a moment later.
  rmSync(home, { recursive: true, force: true, maxRetries: 10 })
}
