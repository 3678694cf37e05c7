import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { folderContent } from '../../scripts/test-support/folder-content.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'

const NOBODY = 65_534
const NAMELESS = 54_321
const ROOT_ONLY = process.geteuid?.() === 0 ? '' : ' (skipped: only root can give a folder to another user)'

/** Creates a store, an empty folder and a dump, all owned by root. */
async function folders() {
  const parent = newFolder()
  const [data, empty, dump] = ['data', "an 'empty' one", 'users.json'].map((name) => join(parent, name)) as [
    string,
    string,
    string,
  ]
  const storage = await createStorage({ driver: 'file', path: data })
  await storage.items.setItem('note:a', 'text')
  await storage.dispose()
  mkdirSync(empty)
  chmodSync(parent, 0o755)
  writeFileSync(dump, '{"_id":1,"id":"u","name":"Alex"}\n')
  return { parent, data, empty, dump }
}

type Folders = Awaited<ReturnType<typeof folders>>

function giveTo(user: number, path: string): void {
  const names = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : []
  for (const each of [path, ...names]) chownSync(each, user, user)
}

/** Runs a printed command line, with a substitute for fish-cli that prints its user and its arguments. */
function paste(command: string): readonly string[] {
  const bin = newFolder()
  chmodSync(bin, 0o755)
  writeFileSync(join(bin, 'fish-cli'), '#!/bin/sh\nid -u\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  return execFileSync('sh', ['-c', command], { encoding: 'utf8', env }).trimEnd().split('\n')
}

const COMMANDS: readonly (readonly [string, (given: Folders) => { argv: readonly string[]; owned: string }])[] = [
  [
    'a backup of',
    ({ data, parent }) => ({ argv: ['backup', join(parent, 'copy'), '--storage', `file:${data}`], owned: data }),
  ],
  [
    'a backup into',
    ({ data, empty }) => ({ argv: ['backup', join(empty, 'copy'), '--storage', `file:${data}`], owned: empty }),
  ],
  [
    'a restore of',
    ({ data, parent }) => ({ argv: ['restore', data, '--storage', `file:${join(parent, 'new')}`], owned: data }),
  ],
  ['a restore into', ({ data, empty }) => ({ argv: ['restore', data, '--storage', `file:${empty}`], owned: empty })],
  [
    'a restore into a new folder in',
    ({ data, empty }) => ({
      argv: ['restore', data, '--storage', `file:${join(empty, 'a', 'b')}`],
      owned: empty,
    }),
  ],
  [
    'a migration into',
    ({ dump, empty }) => ({ argv: ['migrate', dump, '--yes', '--storage', `file:${empty}`], owned: empty }),
  ],
  ['a rotation of', ({ data }) => ({ argv: ['rotate-secret', '--new', '--storage', `file:${data}`], owned: data })],
  [
    'a reset of a password in',
    ({ data }) => ({ argv: ['admin', 'reset-password', 'admin', '--storage', `file:${data}`], owned: data }),
  ],
]

describe.skipIf(ROOT_ONLY !== '')(`maintenance by root${ROOT_ONLY}:`, () => {
  test.each(COMMANDS)('%s a folder of another user is rejected with the command to run instead', async (_, make) => {
    const given = await folders()
    const { argv, owned } = make(given)
    giveTo(NOBODY, owned)
    const before = [folderContent(given.parent), readdirSync(given.parent, { recursive: true })]
    const { status, stdout, stderr } = await run(argv, { terminal: true, columns: 60, rows: 20 })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${owned} belongs to nobody; nothing was opened.`)
    expect([folderContent(given.parent), readdirSync(given.parent, { recursive: true })]).toEqual(before)
    const [command = ''] = /^ *runuser -u nobody -- fish-cli .*$/m.exec(stderr) ?? []
    expect(paste(command)).toEqual([String(NOBODY), ...argv])
  })

  test('a folder of a user without a name is rejected with a working command', async () => {
    const { data } = await folders()
    giveTo(NAMELESS, data)
    const argv = ['rotate-secret', '--new', '--storage', `file:${data}`]
    const { status, stdout } = await run([...argv, '--json'])
    expect(status).toBe(2)
    const { code, hint } = JSON.parse(stdout).error
    expect(code).toBe('other_user')
    expect(paste(hint.split('\n')[1])).toEqual([String(NAMELESS), ...argv, '--json'])
  })

  test('a folder that root owns inside a folder of another user is rejected, even if the path is a link', async () => {
    const { parent, data, empty } = await folders()
    const nested = join(empty, 'nested')
    renameSync(data, nested)
    chownSync(empty, NOBODY, NOBODY)
    symlinkSync(nested, data)
    for (const path of [nested, data]) {
      const argv = ['backup', join(parent, 'copy'), '--storage', `file:${path}`, '--json']
      const { status, stdout } = await run(argv)
      expect([status, JSON.parse(stdout).error.code]).toEqual([2, 'other_user'])
    }
    expect(readdirSync(nested)).not.toContain('copy')
  })

  test('serve rejects a folder of another user, and a link to it, and leaves no files there', async () => {
    const { parent, empty } = await folders()
    const link = join(parent, 'link')
    symlinkSync(empty, link)
    giveTo(NAMELESS, empty)
    for (const path of [empty, join(empty, 'new'), link]) {
      const { status, stderr } = await run(['serve', '--port', '0', '--storage', `file:${path}`])
      expect(status).toBe(2)
      expect(stderr).toContain(`belongs to user ${NAMELESS}`)
      expect(paste(/(setpriv.*)/.exec(stderr.replace(/\s+/g, ' '))?.[1] ?? '')[0]).toBe(String(NAMELESS))
    }
    expect(readdirSync(empty)).toEqual([])
  })

  test.each([['--storage', 'redis://me:canary@127.0.0.1:1'], ['--storage=rediss-cluster://canary@127.0.0.1:1']])(
    'the printed command does not contain the password of a storage: %s',
    async (...storage) => {
      const { empty } = await folders()
      giveTo(NAMELESS, empty)
      const argv = ['backup', join(empty, 'out'), '--json']
      const { status, stdout } = await run([...argv, ...storage], { env: { FISH_SECRET: 's'.repeat(32) } })
      expect({ status, isShown: stdout.includes('canary') }).toEqual({ status: 2, isShown: false })
      const [text, command = ''] = JSON.parse(stdout).error.hint.split('\n')
      expect(text).toBe('Run the command as that user, with the storage in FISH_STORAGE:')
      expect(paste(command)).toEqual([String(NAMELESS), ...argv])
    },
  )
})
