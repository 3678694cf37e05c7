import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { createClient } from '@fish-crab/sdk'
import { build } from 'esbuild'
import { CONTENDERS } from './contenders.ts'

const ROUNDS = 15
const CALLS_A_ROUND = 400
const LONGEST_ROUND_MS = 1000
const PROCESSES = 15

/** A figure: the median of its rounds, and how that compares to the figure it is paired with. */
export interface Cost {
  readonly name: string
  readonly median: number
  readonly overBare: number
}

const BODY = JSON.stringify({ user: 'demo', fish: [{ name: 'Salmon', rarity: 'Gold' }] })
const stub: typeof fetch = async () =>
  new Response(BODY, { headers: { 'content-type': 'application/json', 'x-request-id': 'bench' } })

/** Microseconds per call over a fetch that responds at once, each minus the bare fetch and reading of its JSON. */
export async function callCosts(): Promise<Cost[]> {
  const bare = async () => (await stub('http://fish.test/demo/fish')).json()
  const calls = [
    { name: 'bare fetch', call: bare },
    ...CONTENDERS.map(({ name, open }) => ({ name, call: open(stub) })),
  ]
  return rounds(calls.map(({ name, call }) => ({ name, run: () => timeOf(call) })))
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
export async function importCosts(): Promise<Cost[]> {
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
  return rounds(
    sources.map(([name, source]) => ({
      name,
      async run() {
        const start = performance.now()
        execFileSync(process.execPath, ['-e', source], { cwd: import.meta.dirname })
        return performance.now() - start
      },
    })),
    PROCESSES,
  )
}

/** Runs all once a round, so that a noisy moment meets all alike. */
async function rounds(all: readonly { name: string; run: () => Promise<number> }[], count = ROUNDS): Promise<Cost[]> {
  const times = all.map((): number[] => [])
  for (let round = 0; round <= count; round++) {
    for (const [index, { run }] of all.entries()) {
      const time = await run()
      // The first round warms up.
      if (round > 0) times[index]?.push(time)
    }
  }
  const medians = times.map((each) => each.sort((a, b) => a - b)[Math.floor(each.length / 2)] ?? Number.NaN)
  return all.map(({ name }, index) => ({
    name,
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
