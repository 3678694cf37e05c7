import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { run, start } from '../test-support/child-process.ts'
import { PROJECT } from '../test-support/language-tools.ts'
import { installPackages, installPrograms } from '../test-support/packed.ts'

/** Returns the lines of each code block of a language on a page of the documentation. */
function blocksOf(page: string, language: string): readonly (readonly string[])[] {
  const text = readFileSync(join(PROJECT, 'docs', `${page}.md`), 'utf8')
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))
  return Array.from(blocks, ([, block = '']) => block.trimEnd().split('\n'))
}

let root: string
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  mkdirSync(join(PROJECT, '.tmp'), { recursive: true })
  // The folder is inside the project, so that third-party packages resolve without a download.
  root = mkdtempSync(join(PROJECT, '.tmp', 'doors-'))
  await installPrograms(root)
  await installPackages(['sdk', 'mocks'], root)
  const home = join(root, 'home')
  mkdirSync(join(home, '.minecraft/logs'), { recursive: true })
  env = { HOME: home, FISH_SECRET_STORE: 'file', PATH: [join(root, 'bin'), process.env.PATH].join(delimiter) }
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a command from a page in a shell. */
const runs = (line: string, variables: Readonly<Record<string, string>> = {}) =>
  run('/bin/sh', ['-c', line], { ...env, ...variables }, root)

/** Starts a command that runs until `stop` or the end of the test. `says` waits until the command prints a pattern. */
function starts(line: string, variables: Readonly<Record<string, string>> = {}) {
  const child = start('/bin/sh', ['-c', `exec ${line}`], { ...env, ...variables }, root)
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream as Readable }).on('line', (printed) => lines.push(printed))
  }
  return {
    says: async (pattern: RegExp): Promise<string> => {
      await expect.poll(() => lines.join('\n')).toMatch(pattern)
      return pattern.exec(lines.join('\n'))?.[1] ?? ''
    },
    stop: async () => {
      child.kill('SIGINT')
      return (await closed)[0] as number | null
    },
  }
}

describe('The first steps in the documentation', () => {
  test('run a service, add a player, back up the data, and let the player store catches', async () => {
    const [serving, players, proxied, backup] = blocksOf('run-a-service', 'sh')
    expect(serving).toEqual(['fish-cli serve --storage file:./data'])
    const service = starts(serving?.[0] ?? '', { FISH_PORT: '0' })
    const password = await service.says(/administrator "admin" with the password (\S+)/)
    const url = await service.says(/listening on (http:\S+)/)

    expect(players).toEqual(['fish-cli user create Alex --login-file alex.json --gamemode earth', 'fish-cli status'])
    for (const line of players ?? []) {
      expect(await runs(line, { FISH_URL: url, FISH_ADMIN_PASSWORD: password })).toMatchObject({ status: 0 })
    }
    expect(proxied?.[0]).toBe(`FISH_PUBLIC_URL=https://fish.example.org ${serving?.[0]}`)
    const another = proxied?.[1]?.replace('http://127.0.0.1:8787', url).replace(/alex/gi, 'bob') ?? ''
    expect(await runs(another, { FISH_ADMIN_PASSWORD: password })).toMatchObject({ status: 0 })
    expect(backup).toEqual(['fish-cli backup ./backup --storage file:./data'])
    expect(await runs(backup?.[0] ?? '')).toMatchObject({ status: 0 })
    expect(readdirSync(join(root, 'backup')).sort()).toEqual(['fish.db', 'secrets.json'])

    const [demo, account, watching] = blocksOf('play', 'sh')
    expect(demo).toEqual(['fish-cli demo'])
    expect((await runs(demo?.[0] ?? '')).stdout).toMatch(/^FISH +RARITY\n/)
    expect(account).toHaveLength(3)
    const [login = '', add = '', list = ''] = account ?? []
    for (const line of [login, add]) expect(await runs(line)).toMatchObject({ status: 0 })
    expect((await runs(list)).stdout.trimEnd().split('\n')).toEqual(blocksOf('play', 'text')[0])

    expect(watching).toEqual(['fish-cli watch'])
    writeFileSync(
      join(root, 'home/.minecraft/logs/latest.log'),
      '[11:00:00] [Render thread/INFO]: Setting user: Alex\n',
    )
    const watch = starts('fish-cli watch')
    await watch.says(/Watching a log for Alex[\s\S]*latest\.log/)
    expect(await watch.stop()).toBe(130)
    expect(await service.stop()).toBe(0)
  })

  test('build a mod that stores a fish in a mock service', async () => {
    const [mocking, running] = blocksOf('build-a-mod', 'sh')
    expect(mocking).toEqual(['fish-cli mock'])
    const mock = starts('fish-cli mock --port 0')
    const url = await mock.says(/listening on (http:\S+)/)
    const key = await mock.says(/^Try: FISH_URL=\S+ FISH_USER=Alex FISH_KEY=(\S+)/m)

    const [code = []] = blocksOf('build-a-mod', 'js')
    writeFileSync(join(root, 'catch.mjs'), code.join('\n'))
    expect(running).toHaveLength(1)
    const line = running?.[0]?.replace('http://127.0.0.1:8787', url).replace('FISH_KEY=…', `FISH_KEY=${key}`) ?? ''
    const printed = `${blocksOf('build-a-mod', 'text')[0]?.join('\n')}\n`
    expect(await runs(line)).toEqual({ status: 0, stdout: printed, stderr: '' })
  })

  test('test a program with the code that the page includes from the README', async () => {
    const [installing, running] = blocksOf('test', 'sh')
    expect(installing).toEqual(['npm install --save-dev vitest'])
    expect(running).toEqual(['npx vitest run'])
    const page = readFileSync(join(PROJECT, 'docs/test.md'), 'utf8')
    const [, file = '', region] = /<!--@include: (\S+?)#(\S+?)-->/.exec(page) ?? []
    const readme = readFileSync(join(PROJECT, 'docs', file), 'utf8')
    const [, shown = ''] = new RegExp(`#region ${region} -->(.*)<!-- #endregion ${region} `, 's').exec(readme) ?? []
    const [, code = ''] = /```ts\n(.*?)```/s.exec(shown) ?? []
    mkdirSync(join(root, 'suite'))
    writeFileSync(join(root, 'suite/first.test.ts'), code)
    const ended = await runs(`node ${join(PROJECT, 'node_modules/vitest/vitest.mjs')} run suite --testTimeout=60000`, {
      NO_COLOR: '1',
    })
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/Tests\s+1 passed \(1\)/) })
  })
})
