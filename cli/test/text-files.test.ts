import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()
const withMark = (text: string) => Buffer.from(`\ufeff${text}\r\n`)
const utf16 = (text: string) => Buffer.from(`\ufeff${text}\r\n`, 'utf16le')

/** Each case writes a small text file, and returns a command that reads it. */
const CASES: Readonly<
  Record<
    string,
    (home: string, encode: (text: string) => Buffer) => Promise<{ argv: string[]; env: Record<string, string> }>
  >
> = {
  async 'a login file'(home, encode) {
    const file = join(home, 'login.json')
    const name = `Bom${Math.random().toString(36).slice(2, 10)}`
    await run(['user', 'create', name, '--login-file', file], { env: { ...context.admin, ...xdgFolders(home) } })
    writeFileSync(file, encode(await readFile(file, 'utf8')))
    return { argv: ['login', '--from', file], env: {} }
  },
  async 'the configuration'(home, encode) {
    const folder = join(home, 'config', 'fish-crab')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), encode('{"version":1}'))
    return { argv: ['config'], env: {} }
  },
  async 'the file of a key'(home, encode) {
    const file = join(home, 'key')
    writeFileSync(file, encode(String(context.player.FISH_KEY)))
    chmodSync(file, 0o600)
    const { FISH_KEY: _, ...player } = context.player
    return { argv: ['add', '--crab', '-g', 'earth'], env: { ...player, FISH_KEY_FILE: file } as Record<string, string> }
  },
  async 'the file of an administrator password'(home, encode) {
    const file = join(home, 'password')
    writeFileSync(file, encode(String(context.admin.FISH_ADMIN_PASSWORD)))
    const { FISH_ADMIN_PASSWORD: _, ...admin } = context.admin
    const env = { ...admin, FISH_ADMIN_PASSWORD_FILE: file } as Record<string, string>
    return { argv: ['user', 'list'], env }
  },
}

describe.each(Object.entries(CASES))('%s', (_, prepare) => {
  test('may start with a byte order mark and end with a line break', async () => {
    const home = newFolder()
    const { argv, env } = await prepare(home, withMark)
    const { status, stderr } = await run(argv, { env: { ...context.base, ...xdgFolders(home), ...env } })
    expect([status, stderr.includes('UTF-16')]).toEqual([0, false])
  })

  test('in UTF-16 is refused, and the error names the encoding', async () => {
    const home = newFolder()
    const { argv, env } = await prepare(home, utf16)
    const { status, stderr } = await run(argv, { env: { ...context.base, ...xdgFolders(home), ...env } })
    expect(status).toBe(2)
    expect(stderr).toContain('UTF-16')
  })
})
