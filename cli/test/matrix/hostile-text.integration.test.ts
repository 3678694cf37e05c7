import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/program/commands.ts'
import type { RunOptions } from '../harness.ts'
import { type Machine, openMachine, runOn, setUp } from './machine.ts'
import { type Exceptions, ROWS, type Row } from './rows.ts'
import { storeOnce } from './store.ts'

// These characters erase the screen, colour it, print a link, write to the clipboard, and reverse the direction of text.
const HOSTILE =
  '\u{1b}[2J\u{1b}[35;7m\u{1b}]8;;http://evil.example\u{7}\u{1b}]52;c;ZXZpbA==\u{7}\u{9b}2J\u{202e}\u{2066}\r\nfish-cli: all is well'
// Readline, the status line and colours of this program use these sequences.
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by control characters
const OWN = /\u{1b}\[(?:\d+G|0?J|K|\?7[lh]|0?m|1m|2m|22m|39m|3[0-6]m|38;5;\d+m|90m)|\r/gu
const CONTROLS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The characters in an output that could control a terminal, except those that this program writes itself. */
function controlsIn(text: string): readonly string[] {
  return text.replace(OWN, '').replaceAll('\n', '').match(CONTROLS) ?? []
}

/** Without these values, the client would reject the whole response. */
const STRUCTURE =
  /^(id|gamemodes?|kind|rarity|role|status|action|code|cursor|nextCursor|token|fernetKey|password|apiKey|day|timestamp|publicUrl|.*At|at)$/

function withHostileText(value: unknown, isKept: (key: string) => boolean, key = ''): unknown {
  if (typeof value === 'string') return isKept(key) ? value : value + HOSTILE
  if (Array.isArray(value)) return value.map((item) => withHostileText(item, isKept, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withHostileText(item, isKept, name)]))
}

const FAILURE = { error: `No.${HOSTILE}`, requestId: `r${HOSTILE}`, details: [{ path: HOSTILE, message: HOSTILE }] }

type Change = (text: string) => { readonly status?: number; readonly text: string }

/** Changes a JSON text, or each line of JSON Lines. */
function changeLines(text: string, change: (value: unknown) => unknown): string {
  return text.replaceAll(/.+/g, (line) => JSON.stringify(change(JSON.parse(line))))
}

/** The changes that a hostile service makes to its responses. */
const DATA: readonly (readonly [name: string, change: Change])[] = [
  [
    'with hostile names',
    (text) => ({ text: changeLines(text, (value) => withHostileText(value, (key) => STRUCTURE.test(key))) }),
  ],
  [
    'with hostile text in every field',
    (text) => ({ text: changeLines(text, (value) => withHostileText(value, () => false)) }),
  ],
]
const FAILURES: typeof DATA = [
  ['that rejects everything', () => ({ status: 400, text: JSON.stringify({ ...FAILURE, code: HOSTILE }) })],
  ['that is a web page', () => ({ status: 200, text: `<p>${HOSTILE}</p>` })],
]

/** Forwards requests to the service of a machine, and changes the responses once `change` is set. */
class HostileProxy {
  target = ''
  change: Change | undefined
  /** Called at a request for an event stream, which never gets a response. */
  onStream = () => {}
  readonly #server: Server = createServer(async (request, response) => {
    if (request.url?.startsWith('/events')) return this.onStream()
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      /^(authorization|content-type|x-api-key|user-agent)$/.test(name) ? [[name, String(value)]] : [],
    )
    const forwarded = await fetch(`${this.target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    }).catch(() => undefined)
    if (!forwarded) return response.destroy()
    const text = await forwarded.text()
    const isJson = forwarded.headers.get('content-type')?.includes('json') === true && text !== ''
    const changed =
      this.change && (isJson || forwarded.status === 204) ? this.change(text === '' ? '{}' : text) : { text }
    response.writeHead(changed.status ?? (changed.text === '{}' ? 200 : forwarded.status), {
      'content-type': forwarded.headers.get('content-type') ?? 'application/json',
      ...(forwarded.headers.get('x-ratelimit-limit') === null ? {} : { 'x-ratelimit-limit': '10000' }),
    })
    response.end(forwarded.status === 204 && changed.status === undefined ? undefined : changed.text)
  })

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

const stores = storeOnce()
const proxy = new HostileProxy()
let url: string
beforeAll(async () => {
  url = await proxy.listen()
})
afterAll(async () => {
  proxy.close()
  await stores[Symbol.asyncDispose]()
})

const TYPED = 'y\n'.repeat(8)
const TERMINAL: RunOptions = { terminal: true, columns: 60, rows: 500, typed: TYPED }

interface Output {
  readonly name: string
  readonly flags: readonly string[]
  readonly how: RunOptions
}

const TEXT: Output = { name: 'text on a terminal', flags: [], how: TERMINAL }
const JSON_DOCUMENT: Output = { name: 'JSON on a terminal', flags: ['--json'], how: TERMINAL }
// A pipe gets CSV unchanged, because a program reads it.
const CSV: Output = { name: 'CSV on a terminal', flags: ['--csv'], how: TERMINAL }
const PIPED: Output = { name: 'text in a pipe', flags: [], how: {} }

/** Stops an endless command after its first output, or once it follows a stream. */
function stopWhenReady(): RunOptions {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stops = [promise]
  const stop = new AbortController()
  const onOutput = () => {
    resolve()
    setImmediate(() => stop.abort())
  }
  proxy.onStream = onOutput
  return {
    interrupted: stop.signal,
    stopRequested: () => stops.shift() ?? new Promise(() => {}),
    onStdout: onOutput,
    onStderr: onOutput,
  }
}

const FOLLOWING: readonly Row[] = [
  ['list fish Alex --watch', 'getFish'],
  ['status --watch', 'status'],
]

describe.each<Row>([...ROWS, ...FOLLOWING])('%s', (line, requests, { given, env, runsOn }: Exceptions = {}) => {
  async function outputOf(argv: readonly string[], change: Change | undefined, how: RunOptions): Promise<string> {
    await using opened = await openMachine(stores)
    proxy.target = opened.url
    proxy.change = undefined
    const machine: Machine = { ...opened, url, env: { ...opened.env, FISH_URL: url } }
    await setUp(machine, given)
    proxy.change = change
    const isEndless = runsOn || line.endsWith('--watch')
    const { stdout, stderr } = await runOn(machine, argv, {
      ...(env && { env }),
      how: { ...how, ...(isEndless && stopWhenReady()) },
    })
    return stdout + stderr
  }

  async function expectNoControls(
    argv: readonly string[],
    change: Change | undefined,
    outputs: readonly Output[],
  ): Promise<void> {
    for (const { name, flags, how } of outputs) {
      const text = await outputOf([...argv, ...flags], change, how)
      expect({ name, controls: controlsIn(text) }).toEqual({ name, controls: [] })
    }
  }

  test.each(requests === '' ? [] : DATA)('lets no text of a service %s control the terminal', async (_, change) => {
    const { id = '' } = COMMANDS.find(line.split(' ')) ?? {}
    const { [id]: command } = await COMMANDS.load([id])
    const csv = Object.hasOwn(command?.flags ?? {}, 'csv') ? [CSV] : []
    await expectNoControls(line.split(' '), change, [TEXT, PIPED, JSON_DOCUMENT, ...csv])
  })

  test.each(requests === '' ? [] : FAILURES)('lets no text of a service %s control the terminal', async (_, change) => {
    await expectNoControls(line.split(' '), change, [TEXT, JSON_DOCUMENT])
  })

  test('lets no argument control the terminal', async () => {
    const [command = '', ...rest] = line.split(' ')
    const isVerb = COMMANDS.isTopic(command)
    const words = rest.map((word, index) => (word.startsWith('-') || (isVerb && index === 0) ? word : word + HOSTILE))
    await expectNoControls([command, ...words], undefined, [TEXT, JSON_DOCUMENT])
  })
})
