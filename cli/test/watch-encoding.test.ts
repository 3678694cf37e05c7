import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEncoding } from '../src/commands/watch/log-encoding.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()
const sample = (encoding: string) => readFile(join(import.meta.dirname, 'encodings', `${encoding}.txt`))

/** Creates a player and a log with these bytes. */
async function scene(bytes: Uint8Array) {
  const home = newFolder()
  const log = join(home, 'latest.log')
  await writeFile(log, bytes)
  const created = await run(['user', 'create', `P${process.hrtime.bigint()}`, '--json'], { env: context.admin })
  const { name, fernetKey } = JSON.parse(created.stdout)
  const env = { ...context.base, ...xdgFolders(home), HOME: home, FISH_USER: name, FISH_KEY: fernetKey }
  const once = (more: readonly string[] = [], variables = {}) =>
    run(['watch', '--once', log, '--yes', ...more], { env: { ...env, ...variables } })
  const stored = async () => {
    const listed = async (kind: string) =>
      JSON.parse((await run(['list', kind, name, '--detail', '--json', '-g', 'earth'], { env })).stdout)
    const [{ fish }, { crab }] = [await listed('fish'), await listed('crabs')]
    return { fish: fish.map((one: { readonly name: string }) => one.name), crabs: crab.length }
  }
  return { log, env, once, stored }
}

test.each([
  ['utf-8', '', '錦鯉', 1],
  ['utf-8-sig', 'cp932', '錦鯉', 1],
  ['utf-16', 'cp932', '錦鯉Ċ', 1],
  ['utf-16be', '', '錦鯉਀Ċ', 1],
  ['utf-16le', '', '錦鯉Ċ', 1],
  ['cp1252', '', 'Brème', 1],
  ['cp1251', 'windows-1251', 'Карась', 1],
  ['cp932', 'windows-31j', '錦鯉', 1],
  ['cp936', '936', '锦鲤', 1],
  ['gb18030', 'GB18030', '锦鲤㐀', 1],
  ['cp949', 'cp949', '비단잉어', 1],
  ['cp950', 'Big5', '錦鯉', 1],
  ['cp874', 'cp874', 'ปลาทอง', 1],
  ['cp850', 'CP850', 'Brème', 0],
  ['cp437', 'ibm437', 'Brème', 0],
])('reads a log that Python wrote in %s if the declared encoding is "%s"', async (written, declared, name, crabs) => {
  const { once, stored } = await scene(await sample(written))
  expect(await once(declared === '' ? [] : ['--encoding', declared])).toMatchObject({ status: 0 })
  expect(await stored()).toEqual({ fish: [name, 'Cod'], crabs })
})

test('decides by the whole log, because a line in a legacy encoding may be valid UTF-8', async () => {
  const line = Buffer.concat([
    Buffer.from('[11:00:00] [Render thread/INFO]: [CHAT] <Li> '),
    Buffer.from('c1aacda80a', 'hex'),
  ])
  const { once, stored } = await scene(Buffer.concat([line, await sample('cp936')]))
  await once(['--encoding', 'cp936'])
  expect(await stored()).toEqual({ fish: ['锦鲤', 'Cod'], crabs: 1 })
})

test('continues at the stored position of a log in UTF-16, after a line that is longer than one read', async () => {
  const bytes = await sample('utf-16')
  const long = Buffer.from(`${'਀Ċ'.repeat(100_000)}\n`, 'utf16le')
  const { log, once, stored } = await scene(Buffer.concat([bytes, long]))
  await once()
  await appendFile(log, bytes.subarray(2))
  expect((await once()).stderr).toContain('3 catches to add')
  expect(await stored()).toEqual({ fish: ['錦鯉Ċ', 'Cod', '錦鯉Ċ', 'Cod'], crabs: 2 })
})

test('uses the setting, and the locale if there is no setting', async () => {
  const { once, stored, env } = await scene(await sample('cp936'))
  expect((await once(['--dry-run'], { LANG: 'zh_CN.GBK' })).stderr).toContain('3 catches to add')
  expect((await once(['--dry-run'], { LANG: 'zh_CN.UTF-8' })).stderr).toContain('1 catch to add')
  expect(await run(['config', 'encoding', 'cp936'], { env })).toMatchObject({ status: 0 })
  await once()
  expect(await stored()).toEqual({ fish: ['锦鲤', 'Cod'], crabs: 1 })
})

test('adds no catch twice if the log is read again in another encoding', async () => {
  const { once } = await scene(await sample('cp936'))
  await once(['--encoding', 'cp936'])
  expect((await once(['--encoding', 'Big5'])).stderr).toContain('0 catches to add')
})

test.each(['utf-7', 'iso-2022-jp', 'nonsense'])('refuses the encoding %s', async (name) => {
  const { once, env } = await scene(await sample('cp936'))
  expect(await once(['--encoding', name])).toMatchObject({ status: 2, stderr: expect.stringContaining(`"${name}"`) })
  expect(await run(['config', 'encoding', name], { env })).toMatchObject({ status: 2 })
})

test.each([
  ['cp936', '锦鲤'],
  ['utf-16', '錦鯉Ċ'],
  ['utf-8', '錦鯉'],
])('follows a live log in %s, which arrives in pieces', async (written, name) => {
  const bytes = await sample(written)
  const first = bytes.indexOf('\n') + (written === 'utf-16' ? 2 : 1)
  const { log, env, stored } = await scene(bytes.subarray(0, first))
  const ending = new AbortController()
  const started = Promise.withResolvers<void>()
  const running = run(['watch', log, '--gamemode', 'earth', '--encoding', 'cp936'], {
    env,
    interrupted: ending.signal,
    onStderr: (text) => text.includes('Watching') && started.resolve(),
    onStdout: (text) => text.includes('Cod') && ending.abort(),
  })
  await started.promise
  for (let at = first; at < bytes.length; at += 7) await appendFile(log, bytes.subarray(at, at + 7))
  await running
  await run(['outbox', '--send'], { env })
  expect(await stored()).toEqual({ fish: [name, 'Cod'], crabs: 1 })
})

test.each([
  ['win32', {}, '    ACP    REG_SZ    936\r\n', '936'],
  ['win32', {}, undefined, undefined],
  ['linux', { LANG: 'ja_JP.eucJP' }, undefined, 'euc-JP'],
  ['linux', { LANG: 'de_DE.ISO-8859-1@euro' }, undefined, 'ISO-8859-1'],
  ['linux', { LC_ALL: 'zh_TW.Big5', LANG: 'C' }, undefined, 'Big5'],
  ['linux', { LANG: 'en_US.UTF-8' }, undefined, undefined],
  ['darwin', {}, undefined, undefined],
])(
  'on %s with %j, the system code page comes from the registry or the locale',
  async (platform, env, registry, name) => {
    expect(await systemEncoding({ platform, env, readRegistry: async () => registry })).toBe(name)
  },
)
