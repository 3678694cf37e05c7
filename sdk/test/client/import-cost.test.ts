import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { expect, test } from 'vitest'
import { answerEmpty, listen } from './http-server.ts'

const folder = fileURLToPath(new URL('../..', import.meta.url))

async function bundle(source: string, splitting: boolean) {
  return build({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    bundle: true,
    splitting,
    format: 'esm',
    platform: 'node',
    external: ['undici'],
    outdir: 'unwritten',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
}

/** Everything that runs at import: what is reached from the entry without a dynamic import. */
function readAtImport({ outputs }: Metafile): string[] {
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint !== undefined && /stdin/.test(file)) ?? ''
  const reached = new Set([entry])
  for (const file of reached) {
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') reached.add(path)
  }
  return [...reached].flatMap((file) => [file, ...Object.keys(outputs[file]?.inputs ?? {})])
}

test('importing the client loads neither zod nor undici nor cryptography', async () => {
  const { metafile } = await bundle("import { createClient } from '@fish-crab/sdk'; createClient()", true)
  const files = readAtImport(metafile)
  expect(files.some((file) => file.includes('client/transport.ts'))).toBe(true)
  expect(files.filter((file) => /zod|undici|fernet\/(key|token)/.test(file))).toEqual([])
})

test('a process that used a client ends by itself, with the shared dispatcher of the process as it was', async () => {
  await using server = await listen(answerEmpty)
  const source = `
    import { createClient } from '@fish-crab/sdk'
    void globalThis.Response
    const shared = Symbol.for('undici.globalDispatcher.1')
    const before = globalThis[shared]
    const { user } = await createClient({ baseUrl: '${server.baseUrl}' }).demo.fish()
    process.stdout.write(user + ' ' + (globalThis[shared] === before))
  `
  const { outputFiles } = await bundle(source, false)
  const child = spawn(process.execPath, ['--input-type=module'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const printed = text(child.stdout)
  child.stdin.end(outputFiles[0]?.text)
  const closedStdout = await printed
  expect(closedStdout).toBe('demo true')
  expect(await exited).toBe(0)
})
