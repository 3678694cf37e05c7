import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, start } from '../../scripts/test-support/child-process.ts'
import { PROJECT } from '../../scripts/test-support/language-tools.ts'
import { EXPECTED, tryHost } from './hosts.ts'
import { type Installation, installPacked, PACKAGES } from './packed.ts'
import { type Player, type Service, startService } from './service.ts'

let installed: Installation
let service: Service

beforeAll(async () => {
  installed = await installPacked()
  service = await startService([join(installed.folder, 'serve.ts')])
})
afterAll(async () => {
  const ended = await service?.stop()
  await installed?.remove()
  expect(ended).toMatchObject({ status: 0 })
})

const TSC = [join(PROJECT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--ignoreConfig', '--strict'].concat([
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--skipLibCheck',
  'false',
  '--types',
  'node',
])

const runExample = (file: string, args: readonly string[], env: Record<string, string>) =>
  run(process.execPath, [join(installed.folder, file), ...args], env)

/** Starts an example that watches a player, and waits until the example reports that it is watching. */
async function startWatching(file: string, { name }: Player, env: Record<string, string>) {
  const child = start(process.execPath, [join(installed.folder, file), name], env)
  if (!child.stdout) throw new Error('A child without output.')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  expect(line).toBe(`Watching ${name} in earth.`)
  return { child, closed: once(child, 'close') }
}

const postCatches = (player: Player) =>
  runExample('post-catches.ts', [], { FISH_URL: service.url, FISH_API_KEY: player.apiKey, ...identity(player) })

const identity = ({ name, password }: Player) => ({ FISH_USER: name, FISH_PASSWORD: password })

describe('the examples with the packed packages', () => {
  const sdkEntries = ['sdk', 'sdk/contract', 'sdk/fernet', 'sdk/chat', 'sdk/outbox', 'sdk/admin']

  /** Runs a program with the statement once per entry, and returns the printed lines. */
  const loaded = async (type: 'module' | 'commonjs', entries: readonly string[], statement: string) => {
    const lines = entries.map((entry) => statement.replaceAll('ENTRY', `@fish-crab/${entry}`))
    const args = [`--input-type=${type}`, '--eval', lines.join('\n')]
    const { stdout, stderr } = await run(process.execPath, args, {}, installed.folder)
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }

  it('load every entry of the tarballs as an ES module', async () => {
    const entries = [
      ...sdkEntries,
      'server',
      'server/app',
      'server/maintenance',
      'server/storage',
      'mocks',
      'mocks/standalone',
    ]
    const found = await loaded('module', entries, `await import('ENTRY'); console.log(import.meta.resolve('ENTRY'))`)
    const folders = entries.map((entry) => `node_modules/@fish-crab/${entry.split('/')[0]}/dist/`)
    expect(found).toEqual(
      folders.map((folder) => expect.stringContaining(pathToFileURL(join(installed.folder, folder)).href)),
    )
  })

  it('load every entry of the tarball of the SDK with `require()`', async () => {
    const found = await loaded('commonjs', sdkEntries, `require('ENTRY'); console.log(require.resolve('ENTRY'))`)
    const folder = join(installed.folder, 'node_modules/@fish-crab/sdk/dist/')
    expect(found).toEqual(sdkEntries.map(() => expect.stringContaining(folder)))
    for (const path of found) expect(path).toMatch(/\.cjs$/)
  })

  it('post a fish and a crab with only the name and password of a player, and print both', async () => {
    const player = await service.createPlayer('Alex')
    const env = { FISH_URL: service.url, FISH_API_KEY: player.apiKey }
    const posted = await runExample('post-catches.ts', [], { ...env, ...identity(player) })
    expect(posted).toMatchObject({ status: 0, stderr: '' })
    expect(posted.stdout).toMatch(/^Fish saved for user Alex, id \S+\nCrab saved for user Alex, id \S+\n$/)
    expect(await service.read('fish', player)).toEqual([{ name: 'Salmon', rarity: 'Gold' }])
    expect(await service.read('crab', player)).toEqual([{ name: 'crab' }])

    const printed = await runExample('print-collection.ts', ['Alex', 'earth'], env)
    expect(printed).toMatchObject({ status: 0, stderr: '' })
    expect(printed.stdout).toMatch(/^Alex in earth: 1 fish, 1 crab\nfish {2}Gold +Salmon\ncrab +crab\n$/)
  })

  it('print the time of the next attempt if the rate limit is reached, and lose no earlier catch', async () => {
    const tight = await startService([join(installed.folder, 'serve.ts')], { FISH_RATE_LIMIT: '2' })
    try {
      const player = await tight.createPlayer('Alex')
      const posted = await runExample('post-catches.ts', [], { FISH_URL: tight.url, ...identity(player) })
      expect(posted.status).toBe(1)
      expect(posted.stdout).toMatch(/^Fish saved for user Alex, id \S+\n$/)
      const next = /^Try again at (\S+)\.$/m.exec(posted.stderr)?.[1] ?? ''
      expect(Date.parse(next)).toBeGreaterThan(Date.now())
      expect(await tight.read('fish', player)).toHaveLength(1)
      expect(await tight.read('crab', player)).toEqual([])
    } finally {
      await tight.stop()
    }
  })

  it('announce each catch to a webhook, including the catches during a downtime of the announcer', async () => {
    const player = await service.createPlayer('Announced')
    const announced: string[] = []
    const responses = [429, 503, 204]
    const webhook = createServer(async (request, response) => {
      const { content, allowed_mentions } = JSON.parse(await text(request))
      const status = responses.shift() ?? 204
      if (status === 204) announced.push(`${content} ${JSON.stringify(allowed_mentions)}`)
      response.writeHead(status, { 'retry-after': '0' }).end()
    })
    await once(webhook.listen(0, '127.0.0.1'), 'listening')
    const env = {
      FISH_URL: service.url,
      WEBHOOK_URL: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`,
      STATE_FILE: join(installed.folder, 'announced.txt'),
    }
    const announce = () => startWatching('announce-catches.ts', player, env)
    const post = () => postCatches(player)
    const lines = ['Announced has caught Salmon (Gold)! {"parse":[]}', 'Announced has caught a crab! {"parse":[]}']

    const first = await announce()
    await post()
    await expect.poll(() => announced.toSorted()).toEqual(lines)
    await expect.poll(() => existsSync(env.STATE_FILE)).toBe(true)
    first.child.kill('SIGKILL')
    await first.closed
    await post()
    const second = await announce()
    await expect.poll(() => announced.length).toBeGreaterThan(3)
    second.child.kill('SIGINT')
    expect((await second.closed)[0]).toBe(0)
    expect(announced.slice(-2).toSorted()).toEqual(lines)
    // If a kill hits after an announcement but before its id is stored, the catch is announced again.
    expect(announced.length).toBeLessThan(6)
    webhook.close()
  })

  it('write a file for the overlay of a stream, with the number of catches since the start and the latest five catches', async () => {
    const player = await service.createPlayer('Streamer')
    const env = { FISH_URL: service.url, OVERLAY_FILE: join(installed.folder, 'overlay.txt') }
    const shown = async () => (await readFile(env.OVERLAY_FILE, 'utf8')).split('\n')
    await postCatches(player)
    const { child, closed } = await startWatching('overlay.ts', player, env)
    expect(await shown()).toEqual(['Fish: 0  Crabs: 0', ''])
    for (const _ of [1, 2, 3]) await postCatches(player)
    await expect.poll(shown).toContain('Fish: 3  Crabs: 3')
    expect((await shown()).slice(1).toSorted()).toEqual(
      expect.arrayContaining(['', 'Salmon (Gold)', 'Salmon (Gold)', 'a crab', 'a crab']),
    )
    expect(await shown()).toHaveLength(7)
    child.kill('SIGINT')
    expect((await closed)[0]).toBe(0)
  })

  it('host the service with Hono on Node', async () => {
    expect(await tryHost(join(installed.folder, 'hosts/hono.ts'))).toEqual(EXPECTED)
  })

  it.each([
    ['a wrong password', 'post-catches.ts', [], { FISH_USER: 'Alex', FISH_PASSWORD: 'not the password' }],
    ['an unknown player', 'print-collection.ts', ['Nobody'], {}],
    ['an unknown gamemode', 'print-collection.ts', ['Alex', 'skyblock'], {}],
    ['a missing player name', 'print-collection.ts', [], {}],
    ['a player who does not exist', 'announce-catches.ts', ['Nobody'], {}],
    ['a streamer who does not exist', 'overlay.ts', ['Nobody'], {}],
  ])('print a one-line error about %s', async (_, file, args, env) => {
    const ended = await runExample(file, args, { FISH_URL: service.url, ...env })
    expect(ended).toMatchObject({ status: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^.{10,}\n$/)
    expect(ended.stderr).not.toContain('not the password')
  })
})

/** Returns the code blocks of a packed README, in order. */
const blocksOf = (name: (typeof PACKAGES)[number]): readonly string[] =>
  Array.from(
    (installed.files[name].get('README.md') ?? '').matchAll(/^```[tj]s\n(.*?)^```$/gms),
    ([, code = '']) => code,
  )

/** Returns the only code block of a packed README that contains a piece of code. */
function blockWith(piece: string, name: (typeof PACKAGES)[number]): string {
  const found = blocksOf(name).filter((block) => block.includes(piece))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

/**
 * Runs code of the SDK's README unchanged, except for the address of the service and the name and key of the player.
 */
async function runAs(player: Player, code: string, state = '') {
  const text = code.replaceAll('http://127.0.0.1:8787', service.url).replace("'Alex'", `'${player.name}'`)
  await writeFile(join(installed.folder, 'readme.ts'), `const { key } = process.env\n${text}`)
  return runExample('readme.ts', [], { key: player.fernetKey, FISH_API_KEY: player.apiKey, XDG_STATE_HOME: state })
}

/** Writes an ES module and a CommonJS module that import every entry of the packed packages, and returns their names. */
function writePrograms(): Promise<string[]> {
  const programs = { 'program.mts': PACKAGES, 'program.cts': ['sdk'] as const }
  return Promise.all(
    Object.entries(programs).map(async ([file, packages]) => {
      const entries = packages.flatMap((name) => {
        const { exports } = JSON.parse(installed.files[name].get('package.json') ?? '') as { exports: object }
        const paths = Object.keys(exports).filter((path) => path !== './package.json')
        return paths.map((path) => `@fish-crab/${name}${path.slice(1)}`)
      })
      expect(entries.length).toBeGreaterThan(5)
      const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'\n`)
      const used = `export const entries = [${entries.map((__, index) => `entry${index}`).join(', ')}]\n`
      await writeFile(join(installed.folder, file), imports.join('') + used)
      return file
    }),
  )
}

describe('the READMEs of the packed packages', () => {
  it.each(['sdk', 'mocks'] as const)('show only code of %s that Node 22 can parse', (name) => {
    const blocks = blocksOf(name)
    expect(blocks.length).toBeGreaterThan(2)
    expect(blocks.filter((block) => /\busing \w+ =/.test(block))).toEqual([])
  })

  it('show a client that stores catches and reads them', async () => {
    const player = await service.createPlayer('Reader')
    const ended = await runAs(player, `${blockWith('await client.crabs.add()', 'sdk')}\nconsole.log(fish.length)`)
    expect(ended).toEqual({ status: 0, stdout: '1\n', stderr: '' })
    expect(await service.read('crab', player)).toEqual([{ name: 'crab' }])
  })

  it('show an outbox that stores unsent catches for the next run', async () => {
    const player = await service.createPlayer('Sender')
    const [client = ''] = /^import.*?^const client.*?$/ms.exec(blockWith('await client.crabs.add()', 'sdk')) ?? []
    const code = `${client}\n${blockWith('openOutbox(', 'sdk')}`
    const state = join(installed.folder, 'state')
    const done = { status: 0, stdout: '', stderr: '' }
    expect(await runAs(player, code, state)).toEqual(done)
    const flush = code.replace(/^outbox\.start.*/m, 'await outbox.flush()').replace(/^await outbox\.add.*/m, '')
    expect(await runAs(player, flush, state)).toEqual(done)
    expect(await service.read('fish', player)).toEqual([{ name: 'Salmon', rarity: 'Gold' }])
  })

  it('show how to use a mock service without a test runner', async () => {
    const code = blockWith('mock.sent.fish() //', 'mocks')
    await writeFile(join(installed.folder, 'readme.ts'), `${code}\nconsole.log(mock.sent.fish().length)`)
    expect(await runExample('readme.ts', [], {})).toEqual({ status: 0, stdout: '1\n', stderr: '' })
  })

  it('describe packages with type declarations that compile for every entry', async () => {
    // One compiler run checks both modules.
    const compiled = await run(process.execPath, [...TSC, ...(await writePrograms())], {}, installed.folder)
    expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('name the version of MSW that mock.handlers() supports', () => {
    const { dependencies } = JSON.parse(installed.files.mocks.get('package.json') ?? '')
    const [, major] = /^\^(\d+)\./.exec(dependencies.msw) ?? []
    expect(installed.files.mocks.get('README.md')).toContain(`msw@${major}\``)
  })
})

describe("the mod's test suite, with the packed packages", () => {
  it.each([
    ['vitest', [join(PROJECT, 'node_modules/vitest/vitest.mjs'), 'run', 'mock-suite'], /Tests\s+3 passed \(3\)/],
    ['node:test', ['--test', 'mock-suite/chat-poster.node.ts'], /pass 3\n/],
    [
      'Jest',
      [
        '--experimental-vm-modules',
        join(PROJECT, 'node_modules/jest/bin/jest.js'),
        ...['--config', 'mock-suite/jest.config.js'],
      ],
      /Tests:\s+3 passed, 3 total\n/,
    ],
  ])('passes with %s', async (_, args, summary) => {
    const { status, stdout, stderr } = await run(process.execPath, args, { NO_COLOR: '1' }, installed.folder)
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: expect.stringMatching(summary) })
  })
})

describe.each(PACKAGES)('the tarball of %s', (name) => {
  it('contains the build with its source maps, the manifest and the documents, and no sources or tests', () => {
    const papers = 'package\\.json|README\\.md|LICENSE|dist/THIRD-PARTY-LICENCES\\.txt'
    const pages =
      'dist/web/([\\w-]+\\.html|THIRD-PARTY-LICENCES-[\\w-]+\\.md|assets/[\\w-]+\\.(js|css|svg)(\\.br|\\.gz)?)'
    const allowed = new RegExp(
      `^(dist/[\\w.-]+\\.(js|cjs|js\\.map|d\\.ts|d\\.cts)|dist/(docs|fonts)/[\\w.-]+|${pages}|${papers})$`,
    )
    const names = [...installed.files[name].keys()]
    expect(names).toContain('dist/index.js')
    expect(names.filter((file) => !allowed.test(file))).toEqual([])
  })

  it('contains no secrets and no paths of the machine that built the package', () => {
    const suspicious = /-----BEGIN|_authToken|npm_\w{36}|ghp_\w{36}/
    const telling = [...installed.files[name]].filter(
      ([, content]) => suspicious.test(content) || content.includes(PROJECT),
    )
    expect(telling.map(([file]) => file)).toEqual([])
  })

  it('contains every source map to which its files refer', () => {
    const files = installed.files[name]
    const named = [...files].flatMap(([file, content]) => {
      const map = /^\/\/# sourceMappingURL=(.+)$/m.exec(content)?.[1]
      return map === undefined ? [] : [`${file.slice(0, file.lastIndexOf('/'))}/${map}`]
    })
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((map) => !files.has(map))).toEqual([])
  })
})
