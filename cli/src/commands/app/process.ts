import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createSocketServer, type Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NodeRequest, sendNodeResponse } from 'srvx/node'
import type { System } from '../../core/system.ts'
import { clockOf } from '../../core/time.ts'
import { PACKAGE_ROOT } from '../../package.ts'
import { folders } from '../../session/paths.ts'
import { removeLaunchFiles, writeLaunchFile } from './launch-file.ts'
import { createPageApi } from './page-api.ts'
import { Player } from './player.ts'

const LAUNCH_MS = 30_000
const OPEN = 'open'

/**
 * Returns the path of the socket by which a second start finds the first, which only this user can open. On Windows, it
 * is a named pipe.
 */
function socketPath(folder: string): string {
  if (process.platform !== 'win32') return join(folder, 'app.sock')
  return String.raw`\\.\pipe\fish-collection-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
}

/** Asks the process at a socket to open its page. Returns whether there is a process. */
function signalRunning(path: string, opensPage: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => socket.end(opensPage ? OPEN : ''))
    socket.once('close', (hadError) => resolve(!hadError))
    socket.once('error', () => {})
  })
}

/** Listens at the socket. Returns `undefined` if another process of this user already listens there. */
async function listenAlone(path: string, opensPage: boolean, onOpen: () => void): Promise<Server | undefined> {
  for (;;) {
    const server = createSocketServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (message) => {
          if (message.toString() === OPEN) onOpen()
        })
    })
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve)
      server.listen(path, () => resolve(undefined))
    })
    if (!error) return server
    if (error.code === 'EADDRINUSE' && (await signalRunning(path, opensPage))) return undefined
    if (error.code !== 'EADDRINUSE' || process.platform === 'win32') throw error
    // A killed process has left its socket behind.
    rmSync(path, { force: true })
  }
}

interface AppOptions {
  /** Whether the page opens at the start. */
  readonly opensPage: boolean
  /** Called with the address of the page, which is useless without the secret. */
  readonly onReady: (origin: string) => void
}

/**
 * Serves the page on a free port of this machine, until the player quits or a stop signal arrives. Returns `false`
 * immediately if the program already runs, which then opens its page again.
 */
export async function runApp(system: System, { opensPage, onReady }: AppOptions): Promise<boolean> {
  const folder = folders(system).state
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const clock = clockOf(system)
  const closing = new AbortController()
  const ended = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<() => Promise<void>>()
  const path = socketPath(folder)
  const socket = await listenAlone(path, opensPage, () => void ready.promise.then((open) => open()).catch(() => {}))
  if (!socket) return false
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  removeLaunchFiles(folder)

  const player = new Player(system)
  let openedFor: number | undefined
  const server = createServer(async (request, response) => {
    await sendNodeResponse(response, await api.fetch(new NodeRequest({ req: request, res: response })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = createPageApi({
    player,
    origin,
    folder: join(PACKAGE_ROOT, 'dist', 'player-app'),
    now: clock.now,
    quit: () => ended.resolve(),
  })

  async function openPage(): Promise<void> {
    const file = await writeLaunchFile(system, folder, `${origin}/#code=${api.newCode()}`)
    const remove = () => rmSync(file, { force: true })
    clock.sleep(LAUNCH_MS, closing.signal).then(remove, remove)
    if ((await system.openBrowser?.(pathToFileURL(file).href)) !== true) {
      system.stderr.write(`No browser was found. Within 30 s, open ${file} in your browser.\n`)
    }
  }

  const stopRequested = system.stopRequests()
  if (opensPage) await openPage()
  onReady(origin)
  ready.resolve(openPage)
  // In the background, a question of the start would wait unseen.
  player.onChange(({ question }) => {
    if (opensPage || !question || question.id === openedFor || api.hasPage()) return
    openedFor = question.id
    void openPage().catch(() => {})
  })
  // A start may wait for the reply to a question.
  if (player.state.account) void player.start()
  await Promise.race([ended.promise, stopRequested()])
  // A start after this moment is a new process.
  socket.close()
  await player.quit()
  closing.abort()
  server.closeAllConnections()
  server.close()
  return true
}
