import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { writeExport } from '../../scripts/test-support/export-file.ts'
import { folderContent } from '../../scripts/test-support/folder-content.ts'
import { newFolder } from './folders.ts'
import { run } from './harness.ts'

const TOO_LONG = 'x'.repeat(300)

/** A data folder that was never served, and an export. */
async function context() {
  const parent = newFolder()
  const [data, file] = [join(parent, 'data'), join(parent, 'fish.jsonl')]
  await (await createStorage({ driver: 'file', path: data })).dispose()
  writeExport(file, 3)
  return { parent, data, file, env: { FISH_STORAGE: `file:${data}` }, other: ['--storage', `file:${parent}/other`] }
}

/** Runs it, as a dry run too where there is one: both are refused with the same words and change nothing. */
async function refused(parent: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const before = folderContent(parent)
  const wet = await run(argv, { env })
  const hasDryRun = !['backup', 'export'].includes(argv[0] ?? '')
  if (hasDryRun) expect({ argv, ...(await run([...argv, '--dry-run'], { env })) }).toEqual({ argv, ...wet })
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
    ['import', ['import', ''], 'FILE'],
    ['export', ['export', '--out', ''], '--out'],
  ])('of %s is a usage error, and names no folder', async (_, argv, name) => {
    const { parent, env } = await context()
    // There it would be the folder where the command is run.
    const { status, code, message, hint } = await refused(parent, argv, env)
    expect([status, code, message]).toEqual([2, 'usage', `${name} is empty.`])
    expect(hint).toMatch(/^Pass the path of a /)
    expect(message + hint).not.toContain(process.cwd())
  })
})

describe('a name that is too long', () => {
  test('is reported as one by every command, for its input and its output', async () => {
    const { parent, data, file, env, other } = await context()
    const long = join(parent, TOO_LONG)
    for (const [argv, path] of [
      [['backup', long], long],
      [['backup', join(parent, 'copy'), '--storage', `file:${long}`], long],
      [['restore', long, ...other], long],
      [['restore', data, '--storage', `file:${long}`], long],
      [['restore', data, '--storage', `file:${join(parent, 'no', TOO_LONG, 'data')}`], long],
      [['export', '--out', long], long],
      [['export', '--out', join(parent, 'out'), '--storage', `file:${long}`], long],
      [['import', long, ...other], long],
      [['import', file, '--storage', `file:${long}`], long],
      [['import', file, '--storage', `file:${join(parent, 'no', 'nor', TOO_LONG)}`], long],
      [['rotate-secret', '--storage', `file:${long}`], long],
    ] as const) {
      const { status, code, message, hint } = await refused(parent, argv, env)
      expect({ argv, status, code }).toEqual({ argv, status: 2, code: 'invalid_path' })
      expect(message).toMatch(/^\S+x{300}(?:\/\S+)? is too long\.$/)
      if (!argv.some((arg) => arg.includes('no/'))) expect(message).toContain(path)
      expect(hint).toBe('Choose a shorter name.')
    }
  })

  test('of a draft alone is reported as one too', async () => {
    const { parent, env } = await context()
    const name = join(parent, 'x'.repeat(250))
    for (const argv of [
      ['backup', name],
      ['export', '--out', name],
    ]) {
      const { status, code, message } = await refused(parent, argv, env)
      expect([status, code, message]).toEqual([2, 'invalid_path', `${name} is too long.`])
    }
  })

  test('that just fits is taken', async () => {
    const { parent, file, env } = await context()
    const name = 'x'.repeat(200)
    expect((await run(['backup', join(parent, name)], { env })).status).toBe(0)
    expect((await run(['export', '--out', join(parent, `${name}1`)], { env })).status).toBe(0)
    const target = join(parent, 'y'.repeat(255))
    expect((await run(['import', file, '--storage', `file:${target}`])).status).toBe(0)
  })
})

describe('an import', () => {
  test('of a folder names it, into a file store and into Redis', async () => {
    const { parent, data, other } = await context()
    for (const to of [other, ['--storage', 'redis://127.0.0.1:1']]) {
      const { status, code, message, hint } = await refused(parent, ['import', data, ...to])
      expect([status, code, message]).toEqual([2, 'invalid_path', `${data} is a folder.`])
      expect(hint).toBe('Name a file that fish-cli export wrote.')
    }
  })

  test('of stdin says why that does not go, and what to do', async () => {
    const { parent, other } = await context()
    const { status, code, message, hint } = await refused(parent, ['import', '-', ...other])
    expect([status, code]).toEqual([2, 'usage'])
    expect(message).toBe('An import cannot read stdin, since it reads its file twice.')
    expect(hint).toBe('Save the export to a file and pass that file.')
  })

  test.skipIf(process.platform === 'win32')('of a pipe that has a name is refused before it is read', async () => {
    const { parent, other } = await context()
    const pipe = join(parent, 'pipe')
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
    const { status, code, message, hint } = await refused(parent, ['import', pipe, ...other])
    expect([status, code]).toEqual([2, 'invalid_path'])
    expect(message).toBe(`${pipe} is not a regular file, and an import reads it twice.`)
    expect(hint).toBe('Save the export to a file and pass that file.')
  })

  test('takes a file that is called -, by its path', async () => {
    const { parent, file, other } = await context()
    writeFileSync(join(parent, '-'), readFileSync(file))
    expect((await run(['import', join(parent, '-'), ...other])).status).toBe(0)
  })
})

test('a store in memory is rejected, with what to name instead', async () => {
  const { parent, data, file } = await context()
  for (const [argv, instead] of [
    [['import', file], 'Name file:FOLDER or redis://HOST.'],
    [['rotate-secret'], 'Name file:FOLDER or redis://HOST.'],
    [['backup', join(parent, 'copy')], 'Name file:FOLDER.'],
    [['restore', data], 'Name file:FOLDER.'],
    [['export', '--out', join(parent, 'out')], 'Name file:FOLDER.'],
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
