import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { folderContent } from '../../scripts/test-support/folder-content.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'

const TOO_LONG = 'x'.repeat(300)

/** Creates a data folder that no server has used. */
async function context() {
  const parent = newFolder()
  const data = join(parent, 'data')
  await (await createStorage({ driver: 'file', path: data })).dispose()
  return { parent, data, env: { FISH_STORAGE: `file:${data}` }, other: ['--storage', `file:${parent}/other`] }
}

/** Expects a command to fail without a change, with and without `--json`, and returns the error. */
async function refused(parent: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const before = folderContent(parent)
  const wet = await run(argv, { env })
  expect({ argv, stdout: wet.stdout }).toEqual({ argv, stdout: '' })
  expect(folderContent(parent)).toEqual(before)
  const json = await run([...argv, '--json'], { env })
  const { error } = JSON.parse(json.stdout) as { error: { code: string; message: string; hint: string } }
  expect([json.status, json.stderr]).toEqual([wet.status, ''])
  return { status: wet.status, stderr: wet.stderr, ...error }
}

describe('an empty path', () => {
  test.each<[string, readonly string[], string]>([
    ['backup', ['backup', ''], 'FOLDER'],
    ['restore', ['restore', ''], 'BACKUP'],
    ['migrate', ['migrate', ''], 'DUMP'],
  ])('for %s is a usage error that does not contain the current folder', async (_, argv, name) => {
    const { parent, env } = await context()
    // An empty path would otherwise resolve to the current folder.
    const { status, code, message, hint } = await refused(parent, argv, env)
    expect([status, code, message]).toEqual([2, 'usage', `${name} is empty.`])
    expect(hint).toMatch(/^Pass the path of a /)
    expect(message + hint).not.toContain(process.cwd())
  })
})

describe('a long name', () => {
  test('is rejected by every command, as input and as output, if it is too long', async () => {
    const { parent, data, env, other } = await context()
    const long = join(parent, TOO_LONG)
    for (const [argv, path] of [
      [['backup', long], long],
      [['backup', join(parent, 'copy'), '--storage', `file:${long}`], long],
      [['restore', long, ...other], long],
      [['restore', data, '--storage', `file:${long}`], long],
      [['restore', data, '--storage', `file:${join(parent, 'no', TOO_LONG, 'data')}`], long],
      [['rotate-secret', '--storage', `file:${long}`], long],
    ] as const) {
      const { status, code, message, hint } = await refused(parent, argv, env)
      expect({ argv, status, code }).toEqual({ argv, status: 2, code: 'invalid_path' })
      expect(message).toMatch(/^\S+x{300}(?:\/\S+)? is too long\.$/)
      if (!argv.some((arg) => arg.includes('no/'))) expect(message).toContain(path)
      expect(hint).toBe('Choose a shorter name.')
    }
  })

  test('is also rejected if only the name of the temporary folder is too long', async () => {
    const { parent, env } = await context()
    const name = join(parent, 'x'.repeat(250))
    const { status, code, message } = await refused(parent, ['backup', name], env)
    expect([status, code, message]).toEqual([2, 'invalid_path', `${name} is too long.`])
  })

  test('is accepted if it does not exceed the limit', async () => {
    const { parent, data, env } = await context()
    const name = 'x'.repeat(200)
    expect((await run(['backup', join(parent, name)], { env })).status).toBe(0)
    const target = join(parent, 'y'.repeat(255))
    expect((await run(['restore', data, '--storage', `file:${target}`])).status).toBe(0)
  })
})

test('the storage memory: is rejected, with a hint that names the supported storages', async () => {
  const { parent, data } = await context()
  for (const [argv, instead] of [
    [['rotate-secret'], 'Name file:FOLDER or redis://HOST.'],
    [['backup', join(parent, 'copy')], 'Name file:FOLDER.'],
    [['restore', data], 'Name file:FOLDER.'],
  ] as const) {
    const ways = [
      { given: [...argv, '--storage', 'memory:'], env: {} },
      { given: argv, env: { FISH_STORAGE: 'memory:' } },
    ]
    for (const { given, env } of ways) {
      const { status, code, message, hint } = await refused(parent, given, env)
      expect([status, code, hint]).toEqual([2, 'invalid_settings', instead])
      expect(message).toBe('FISH_STORAGE (--storage) is memory:, which other commands cannot access.')
    }
  }
})
