import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../test/folders.ts'
import { newHome } from './completion-shells.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const PARTS = ['package.json', 'bin', 'dist/fast-path.cjs', 'dist/completion.cjs', 'dist/completion.json']

function answer(program: string, shell: string | undefined, env: Readonly<Record<string, string>>) {
  const argv = [program, '__complete', ...(shell === undefined ? [] : [shell])]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('the built program during completion', () => {
  test('needs only the completion files, and prints nothing if these files are invalid or missing', () => {
    const folder = newFolder()
    for (const part of PARTS) cpSync(join(PACKAGE, part), join(folder, part), { recursive: true })
    const program = join(folder, 'bin', 'run.js')
    const { env } = newHome()
    const typed = { ...env, FISH_CLI_LINE: 'fish-cli profile w' }
    expect(answer(program, 'powershell', typed)).toEqual({
      status: 0,
      stdout: 'words\nwork\thttps://fish.example.org\n',
      stderr: '',
    })
    const nothing = { status: 0, stdout: '', stderr: '' }
    writeFileSync(join(folder, 'dist', 'completion.json'), '{ not JSON')
    expect(answer(program, 'zsh', typed)).toEqual(nothing)
    rmSync(join(folder, 'dist', 'completion.json'))
    expect(answer(program, 'zsh', typed)).toEqual(nothing)
  })

  test('prints nothing for an unknown shell, and no secrets for a supported shell', () => {
    const { env } = newHome()
    const program = join(PACKAGE, 'bin', 'run.js')
    for (const shell of [undefined, 'tcsh', '--help', '__proto__']) {
      expect(answer(program, shell, env)).toEqual({ status: 0, stdout: '', stderr: '' })
    }
    const secrets = { FISH_KEY: 'canary', FISH_PASSWORD: 'canary', FISH_CLI_LINE: 'FISH_API_KEY=canary fish-cli ' }
    expect(answer(program, 'bash', { ...env, ...secrets })).toMatchObject({
      status: 0,
      stdout: expect.not.stringContaining('canary'),
      stderr: '',
    })
  })
})
