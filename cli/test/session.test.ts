import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COMMANDS } from '../src/program/commands.ts'
import { runCli } from '../src/program/main.ts'
import { parseInput } from '../src/program/parse.ts'
import { wordsFor } from './examples.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { ADMIN_PASSWORD, run, serviceContext, startImpostor } from './harness.ts'

const context = serviceContext()

test.each([{ FISH_GAMEMODE: 'Earth' }, { FISH_GAMEMODE: 'EARTH' }])(
  'login stores a gamemode in any letter case so that the next command accepts it: %j',
  async (named) => {
    const env = { ...context.player, ...named, ...xdgFolders(newFolder()) }
    expect(await run(['login', 'Alex'], { env })).toMatchObject({ status: 0 })
    const { status, stdout } = await run(['profile', '--json'], { env: { ...env, FISH_GAMEMODE: '' } })
    expect({ status, ...JSON.parse(stdout).profiles[0] }).toMatchObject({ status: 0, gamemode: 'earth' })
  },
)

test.runIf(process.platform !== 'win32').each([
  ['FISH_ADMIN_PASSWORD_FILE', ['user', 'list'], ADMIN_PASSWORD],
  ['FISH_NEW_PASSWORD_FILE', ['admin', 'create', 'zoe'], 'a new password'],
])('a secret is read once, so that %s may name a pipe', async (variable, argv, secret) => {
  const pipe = join(newFolder(), 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
  const written = writeFile(pipe, secret)
  const env = { ...context.admin, [variable.replace('_FILE', '')]: '', [variable]: pipe }
  expect(await run(argv, { env })).toMatchObject({ status: 0 })
  await written
})

describe('a suggested command', () => {
  /** Returns the commands of this program at the ends of lines. */
  const commandsIn = (text: string) => text.split('\n').flatMap((line) => /fish-cli [a-z].*$/.exec(line) ?? [])

  async function expectParses(text: string): Promise<void> {
    const lines = commandsIn(text)
    expect(lines).not.toEqual([])
    for (const line of lines) {
      const found = COMMANDS.find(wordsFor(line) ?? [])
      const { [found?.id ?? '']: command } = await COMMANDS.load([found?.id ?? ''])
      if (!command || !found) throw new Error(`No command: ${line}`)
      await parseInput({ ...command, id: found.id }, found.rest)
    }
  }

  test('has only flags that it knows, also after the work of an administrator', async () => {
    const own = { ...context.player, ...xdgFolders(newFolder()) }
    await run(['add', 'Salmon', '-r', '1'], { env: own })
    const env = { ...context.admin, ...xdgFolders(newFolder()) }
    const who = ['--user', 'Alex', '--admin', 'admin', '--url', context.service.url]
    const removed = await run(['remove', ...who, '--name', 'salmon', '--yes'], { env })
    expect(removed.status).toBe(0)
    await expectParses(removed.stdout)
    const missing = await run(['move', '--name', 'nothing', ...who, '-g', 'survival'], { env })
    expect(missing.status).toBe(5)
    await expectParses(missing.stderr)
  })

  test('names the service, the player and the kind of a catch that may have been stored', async () => {
    const service = await startImpostor((request) => request.socket.destroy())
    onTestFinished(() => {
      service.close()
    })
    const argv = ['add', '--crab', '-g', 'survival', '--user', 'Bob', '--url', service.url]
    const { stderr } = await run(argv, { env: { ...context.player, ...xdgFolders(newFolder()) } })
    expect(stderr).toContain(`fish-cli list crabs Bob --detail --gamemode survival --url ${service.url}`)
  })
})

test('a prompt explains the change, also with --json', async () => {
  const env = { ...context.player, ...xdgFolders(newFolder()) }
  await run(['add', 'Bronze Koi', '-r', '1'], { env })
  const { status, stderr } = await run(['undo', '--json'], { env, terminal: true, typed: 'n\n' })
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/Bronze Koi[\s\S]*Remove 1 catch/),
  })
})

test('a command that needs no input does not open stdin', async () => {
  const stdout = new PassThrough()
  const system = {
    env: { HOME: '/dev/null/home' },
    get stdin(): never {
      throw new Error('stdin was opened')
    },
    stdout,
    stderr: new PassThrough(),
    interrupted: () => new AbortController().signal,
    stopRequests: () => () => new Promise<void>(() => {}),
  }
  expect(await runCli(['config', '--json'], system)).toBe(0)
})

test('restore prints the command of its hint on a line of its own', async () => {
  const folder = newFolder()
  const storage = (name: string) => ['--storage', `file:${join(folder, name)}`]
  const env = { FISH_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const stop = [Promise.resolve()]
  await run(['serve', '--port', '0', ...storage('data')], {
    env,
    stopRequested: () => stop.shift() ?? new Promise(() => {}),
  })
  expect(await run(['backup', join(folder, 'copy'), ...storage('data')], { env })).toMatchObject({ status: 0 })
  const { status, stderr } = await run(['restore', join(folder, 'copy'), ...storage('data')], { env })
  expect({ status, stderr }).toMatchObject({ status: 6, stderr: expect.stringMatching(/\n {6}mkdir .* && mv /) })
})
