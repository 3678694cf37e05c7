import { chmodSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import type { System } from '../../core/system.ts'
import { clockOf } from '../../core/time.ts'
import { PACKAGE_ROOT } from '../../package.ts'
import { folders } from '../../session/paths.ts'
import { createPageApi } from './page-api.ts'
import { Player } from './player.ts'

const LAUNCH_MS = 30_000

/** Where this user's processes meet. On Windows, the name of a pipe; elsewhere, a socket that only this user can open. */
function meetingPoint(system: System, folder: string): string {
  if (process.platform !== 'win32') return join(folder, 'app.sock')
  return `\\\\.\\pipe\\fish-cli-app-${(system.env.USERNAME ?? 'user').replace(/\W/g, '')}`
}

const OPEN = 'open'

/**
 * Finds the process that already runs. Returns whether there is one.
 * @param opensPage whether that process opens its page
 */
export function findRunning(system: System, opensPage: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(meetingPoint(system, folders(system).state))
    socket.once('connect', () => socket.end(opensPage ? OPEN : ''))
    socket.once('close', (hadError) => resolve(!hadError))
    socket.once('error', () => {})
  })
}

interface AppOptions {
  /** Whether the page opens at the start. A second start opens it in any case. */
  readonly opensPage: boolean
  /** Called with the address of the page, which is of no use without its secret. */
  readonly onReady: (origin: string) => void
}

/** Serves the page on a free port of this machine. Resolves when the player quits, or at a stop signal. */
export async function runApp(system: System, { opensPage, onReady }: AppOptions): Promise<void> {
  const folder = folders(system).state
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const player = new Player(system)
  const clock = clockOf(system)
  const closing = new AbortController()
  const ended = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    await sendNodeResponse(response, await api.fetch(new NodeRequest({ req: request, res: response })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const openUrl = async (url: string) => (await system.openBrowser?.(url)) === true
  const api = createPageApi({
    player,
    origin,
    pages: join(PACKAGE_ROOT, 'dist', 'player-app'),
    now: clock.now,
    quit: () => ended.resolve(),
  })

  /** The command line of a browser is visible to all users of the machine, so it names a file that only this user can read. */
  async function openPage(): Promise<void> {
    const file = join(folder, `open-${crypto.randomUUID()}.html`)
    const address = `${origin}/#code=${api.newCode()}`
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`, { mode: 0o600 })
    const remove = () => rmSync(file, { force: true })
    clock.sleep(LAUNCH_MS, closing.signal).then(remove, remove)
    if (!(await openUrl(pathToFileURL(file).href))) {
      system.stderr.write(`No browser was found. Within 30 s, open ${file} in your browser.\n`)
    }
  }

  // A killed process has left its files behind.
  for (const name of globSync('open-*.html', { cwd: folder })) rmSync(join(folder, name), { force: true })
  const point = meetingPoint(system, folder)
  if (process.platform !== 'win32') rmSync(point, { force: true })
  const meeting = createSocketServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (word) => {
        if (word.toString() === OPEN) void openPage()
      })
  })
  await new Promise<void>((resolve) => meeting.listen(point, resolve))
  if (process.platform !== 'win32') chmodSync(point, 0o600)
  const stopRequested = system.stopRequests()
  if (opensPage) await openPage()
  onReady(origin)
  // A start may wait for the reply to a question.
  if (player.state.account) void player.start()
  await Promise.race([ended.promise, stopRequested()])
  await player.quit()
  closing.abort()
  meeting.close()
  server.closeAllConnections()
  server.close()
  if (process.platform !== 'win32') rmSync(point, { force: true })
}
