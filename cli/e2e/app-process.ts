import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMock } from '@fish-crab/mocks'
import { onTestFinished } from 'vitest'
import type { AppState } from '../../server/web/src/player-app/api-types.ts'
import { newFolder, xdgFolders } from '../test/folders.ts'

const CLI = fileURLToPath(new URL('../bin/run.js', import.meta.url))

/** The folder with the socket and the launch files, below a home of {@link newPlayer}. */
export const stateFolder = (home: string) => join(home, 'state', 'fish-crab')

/**
 * Starts the program for players with a browser that only records the address.
 * @param launcher a command that runs the rest of its arguments as a command
 */
export function startApp(home: string, launcher: readonly string[] = []) {
  const opened = join(home, 'opened')
  const browser = join(home, 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`)
  chmodSync(browser, 0o755)
  const env = { PATH: process.env.PATH, HOME: home, ...xdgFolders(home), BROWSER: browser, FISH_SECRET_STORE: 'file' }
  const [command = '', ...args] = [...launcher, process.execPath, CLI, 'app']
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      output += piece
    })
  }
  const ready = once(child.stdout, 'data')
  return {
    child,
    ended: once(child, 'exit'),
    /** Returns all that the program has written to stdout and stderr. */
    output: () => output,
    /** The address that the browser got, once the program is ready. */
    async address(): Promise<string> {
      await ready
      return readFileSync(opened, 'utf8').trim().split('\n').at(-1) ?? ''
    },
  }
}

/** Reads the address of the page and its code from a launch file. */
export function readLaunchFile(address: string): { readonly origin: string; readonly code: string } {
  const text = readFileSync(fileURLToPath(address), 'utf8')
  const [, origin = '', code = ''] = /url=(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]+)/.exec(text) ?? []
  return { origin, code }
}

/** Exchanges a code for the secret, and returns the requests of the page. */
export async function connect({ origin, code }: ReturnType<typeof readLaunchFile>) {
  const call = (path: string, body: object, headers: Readonly<Record<string, string>>) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const { secret } = (await (await call('/api/session', { code }, {})).json()) as { secret: string }
  const headers = { authorization: `Bearer ${secret}` }
  return {
    secret,
    post: (path: string, body: object = {}) => call(path, body, headers),
    /** Returns the current state, which each stream sends first. */
    async state(): Promise<AppState> {
      const ending = new AbortController()
      const response = await fetch(`${origin}/api/events`, { headers, signal: ending.signal })
      let text = ''
      try {
        for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += piece
          if (text.includes('\n\n')) return JSON.parse(text.slice('data: '.length, text.indexOf('\n\n'))) as AppState
        }
      } finally {
        ending.abort()
      }
      throw new Error('The stream ended.')
    },
  }
}

/** Starts a service with the player Alex, and creates a home with a login file and the log of a game of Alex. */
export async function newPlayer() {
  const mock = await createMock({
    seed: { users: [{ name: 'Alex' }], admins: [{ username: 'root', password: 'root-password' }] },
  })
  const server = await mock.serve()
  onTestFinished(() => mock[Symbol.asyncDispose]())
  const home = newFolder()
  const log = join(home, '.minecraft', 'logs', 'latest.log')
  mkdirSync(join(log, '..'), { recursive: true })
  // Later times would belong to the day before.
  const startedAt = Date.now() - 120_000
  const timeAt = (second: number) => new Date(startedAt + second * 1000).toTimeString().slice(0, 8)
  writeFileSync(log, `[${timeAt(0)}] [main/INFO]: Setting user: Alex\n`)
  const user = mock.user('Alex')
  const login = { version: 1, service: server.url, ...user, gamemode: 'earth' }
  let second = 0
  const chat = (text: string) => {
    second += 1
    return `[${timeAt(second)}] [Render thread/INFO]: [CHAT] ${text}\n`
  }
  const says = (...texts: readonly string[]) => appendFileSync(log, [...texts, 'ok'].map(chat).join(''))
  return {
    mock,
    server,
    home,
    user,
    /** The content of the login file. */
    login,
    /** Writes the login file, and returns its path. */
    loginFile(content: object = login): string {
      const file = join(home, 'alex.json')
      writeFileSync(file, JSON.stringify(content))
      return file
    },
    /** Writes to the log that the player joins a gamemode. */
    joins(gamemode: string): void {
      appendFileSync(log, `[${timeAt(0)}] [Render thread/INFO]: Connecting to ${gamemode}.example.net, 25565\n`)
    },
    /** Writes messages of the game to the log. A catch in the last line would wait for a following line. */
    says,
    catches: (...names: readonly string[]) => says(...names.map((name) => `NICE CATCH! You caught a ${name}.`)),
    /** The names of the fish that clients have sent, oldest first. */
    sent: () => mock.sent.fish().map(({ name }) => name),
  }
}
