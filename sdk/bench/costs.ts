import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { createClient } from '@fish-crab/sdk'
import { build } from 'esbuild'
import { median } from '../../scripts/bench/results.ts'
import { CONTENDERS } from './contenders.ts'

const CALLS_A_ROUND = 400
const LONGEST_ROUND_MS = 1000

/** A figure: the median of its rounds, and how that compares to the figure it is paired with. */
export interface Cost {
  readonly name: string
  /** One of each round. */
  readonly times: readonly number[]
  readonly median: number
  readonly overBare: number
}

const BODY = JSON.stringify({ user: 'demo', fish: [{ name: 'Salmon', rarity: 'Gold' }] })
const stub: typeof fetch = async () =>
  new Response(BODY, { headers: { 'content-type': 'application/json', 'x-request-id': 'bench' } })

/** Microseconds per call over a fetch that responds at once, each minus the bare fetch and reading of its JSON. */
export async function callCosts(count: number): Promise<Cost[]> {
  const bare = async () => (await stub('http://fish.test/demo/fish')).json()
  const calls = [
    { name: 'bare fetch', call: bare },
    ...CONTENDERS.map(({ name, open }) => ({ name, call: open(stub) })),
  ]
  return rounds(
    calls.map(({ name, call }) => ({ name, run: () => timeOf(call) })),
    count,
  )
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  let calls = 0
  // Some make their callers wait between calls.
  while (calls < CALLS_A_ROUND && performance.now() - start < LONGEST_ROUND_MS) {
    await call()
    calls += 1
  }
  return ((performance.now() - start) * 1000) / calls
}

/** Milliseconds of a process that imports a package and ends, each minus a process that does nothing. */
export async function importCosts(count: number): Promise<Cost[]> {
  const sources = [
    ['node -e 0', '0'],
    ['@fish-crab/sdk', "import('@fish-crab/sdk')"],
    ['@fish-crab/sdk/outbox', "import('@fish-crab/sdk/outbox')"],
    ['@fish-crab/sdk/chat', "import('@fish-crab/sdk/chat')"],
    ['openai', "import('openai')"],
    ['stripe', "import('stripe')"],
    ['ky', "import('ky')"],
    ['octokit + throttling', "Promise.all([import('@octokit/core'), import('@octokit/plugin-throttling')])"],
  ] as const
  return processCosts(sources, count)
}

export const [BARE_CALL, SDK_CALL] = ['a bare fetch', 'the client'] as const

/** Milliseconds of a process that makes one call over a real connection and ends. */
export async function firstCallCosts(count: number): Promise<Cost[]> {
  const serve = `require('node:http').createServer((_, response) => response.setHeader('content-type', 'application/json').end('${BODY}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const server = spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer]
    const url = `http://127.0.0.1:${Number(port)}`
    return await processCosts(
      [
        [BARE_CALL, `fetch('${url}/demo/fish').then((response) => response.json())`],
        [
          SDK_CALL,
          `import('@fish-crab/sdk').then(({ createClient }) => createClient({ baseUrl: '${url}' }).demo.fish())`,
        ],
      ],
      count,
    )
  } finally {
    server.kill()
  }
}

function processCosts(sources: readonly (readonly [name: string, source: string])[], count: number): Promise<Cost[]> {
  return rounds(
    sources.map(([name, source]) => ({
      name,
      async run() {
        const start = performance.now()
        execFileSync(process.execPath, ['-e', source], { cwd: import.meta.dirname })
        return performance.now() - start
      },
    })),
    count,
  )
}

/** Runs all once a round, so that a noisy moment meets all alike, and in turns after each that makes the others wait. */
async function rounds(all: readonly { name: string; run: () => Promise<number> }[], count: number): Promise<Cost[]> {
  const times = all.map((): number[] => [])
  for (let round = 0; round <= count; round++) {
    const order = [...all.entries()]
    for (const [index, { run }] of [...order.slice(round % all.length), ...order.slice(0, round % all.length)]) {
      const time = await run()
      // The first round warms up.
      if (round > 0) times[index]?.push(time)
    }
  }
  const medians = times.map(median)
  return all.map(({ name }, index) => ({
    name,
    times: times[index] ?? [],
    median: medians[index] ?? Number.NaN,
    overBare: (medians[index] ?? Number.NaN) - (medians[0] ?? Number.NaN),
  }))
}

/** Bytes, minified and gzipped, of what a page loads to read a collection, or to make one request. */
export async function browserSizes(): Promise<{ readonly name: string; readonly bytes: number }[]> {
  const sources = {
    '@fish-crab/sdk': "import { createClient } from '@fish-crab/sdk'; createClient().fish.list().then(console.log)",
    openai: "import OpenAI from 'openai'; new OpenAI({ apiKey: '' }).get('/').then(console.log)",
    stripe: "import Stripe from 'stripe'; new Stripe('').rawRequest('GET', '/').then(console.log)",
    ky: "import ky from 'ky'; ky.get('/').json().then(console.log)",
    'octokit + throttling':
      "import { Octokit } from '@octokit/core'; import { throttling } from '@octokit/plugin-throttling'; new (Octokit.plugin(throttling))().request('GET /').then(console.log)",
  }
  return Promise.all(
    Object.entries(sources).map(async ([name, contents]) => {
      const { outputFiles, metafile } = await build({
        stdin: { contents, resolveDir: import.meta.dirname },
        bundle: true,
        minify: true,
        splitting: true,
        format: 'esm',
        platform: 'browser',
        outdir: 'out',
        write: false,
        metafile: true,
        logLevel: 'silent',
        // The packages as they are installed, not the sources that tsconfig.json points to.
        tsconfigRaw: {},
      })
      const eager = loadedAtOnce(metafile.outputs)
      const files = outputFiles.filter(({ path }) => [...eager].some((file) => path.endsWith(file)))
      return { name, bytes: files.reduce((sum, { contents: bytes }) => sum + gzipSync(bytes).length, 0) }
    }),
  )
}

/** What is imported without waiting: a page that reads loads no more. */
function loadedAtOnce(outputs: Record<string, { entryPoint?: string; imports: { path: string; kind: string }[] }>) {
  const eager = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === '<stdin>'))
  for (const file of eager) {
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') eager.add(path)
  }
  return eager
}

/** Milliseconds from the abort of a waiting call to its end. */
export async function abortCosts(): Promise<number[]> {
  const reset = Math.ceil(Date.now() / 1000) + 300
  const headers = { 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
  const usedUp: typeof fetch = async () => new Response(BODY, { headers })
  const client = createClient({ baseUrl: 'http://fish.test', fetch: usedUp, env: {} })
  await client.demo.fish()
  const times: number[] = []
  for (let round = 0; round < 50; round++) {
    const abort = new AbortController()
    const call = client.demo.fish({ signal: abort.signal }).catch(() => performance.now())
    await new Promise((resolve) => setTimeout(resolve, 1))
    const start = performance.now()
    abort.abort()
    times.push(Number(await call) - start)
  }
  return times.sort((a, b) => a - b)
}
