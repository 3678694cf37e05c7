import { describe, expect, test } from 'vitest'
import { closestWord } from '../../sdk/src/internal/closest-word.ts'
import { closestCommand } from '../src/program/closest.ts'
import { COMMANDS } from '../src/program/commands.ts'
import { run } from './harness.ts'

describe('the suggested command', () => {
  test.each([
    ['lits', 'list'],
    ['ad', 'add'],
    ['stauts', 'status'],
    ['serv', 'serve'],
    ['leader', 'leaderboard'],
    ['USER', 'user'],
    ['usr create', 'user create'],
    ['user creat', 'user create'],
    ['create user', 'user create'],
    ['user:lst', 'user list'],
    ['users', 'user'],
    ['outbx 3', 'outbox'],
    ['user fly', undefined],
    ['hunter2', undefined],
    ['', undefined],
    ['--gamemode', undefined],
  ])('for %j is %j', (typed, meant) => {
    expect(closestCommand(typed.split(' '), COMMANDS.ids)).toBe(meant)
  })

  test('corrects two swapped letters in any command', () => {
    for (const id of COMMANDS.ids.filter((each) => !each.includes(':') && each.length > 3)) {
      const swapped = id.replace(/^(.)(.)(.)/, '$1$3$2')
      if (swapped !== id) expect(closestWord(swapped, [id, 'xylophone']), swapped).toBe(id)
    }
  })

  test('is as long as the typed word if several commands are equally close', () => {
    expect(closestWord('stauts', ['stats', 'status'])).toBe('status')
  })
})

describe('an unknown command', () => {
  test.each([
    [['lits', 'Alex'], 'Did you mean: fish-cli list? For all commands: fish-cli --help'],
    [['user', 'creat', 'Alex'], 'Did you mean: fish-cli user create? See: fish-cli user --help'],
    [['help', 'lits'], 'Did you mean: fish-cli help list? For all commands: fish-cli --help'],
    [['lits', '--help'], 'Did you mean: fish-cli help list? For all commands: fish-cli --help'],
    [['help', 'exit-code'], 'Did you mean: fish-cli help exit-codes? For all commands: fish-cli --help'],
    [['frobnicate'], 'For all commands: fish-cli --help'],
  ])('gets a hint with the closest command, or with the list of commands: %j', async (argv, hint) => {
    const { status, stdout, stderr } = await run(argv)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr.split('\n')[1]).toBe(`  ${hint}`)
  })

  test.each([
    [['lits'], 'Unknown command "lits".'],
    [['user', 'creat'], 'Unknown command "creat" of "fish-cli user".'],
    [['admin', 'fly', 'Alex'], 'Unknown command "fly" of "fish-cli admin".'],
    [['help', 'nope'], 'Unknown command "nope".'],
    [['nope', '--help'], 'Unknown command "nope".'],
    [['help', 'correct-horse'], 'Unknown command.'],
    [['user', '--json'], 'Unknown command of "fish-cli user".'],
  ])('is named if it can be a command: %j', async (argv, message) => {
    const { status, stderr, stdout } = await run(argv)
    expect({ status, message: stderr.split('\n')[0] || `fish-cli: ${JSON.parse(stdout).error.message}` }).toEqual({
      status: 2,
      message: `fish-cli: ${message}`,
    })
  })

  test('gets the same hint with --json', async () => {
    const { stdout } = await run(['lits', '--json'])
    expect(JSON.parse(stdout).error.hint).toContain('Did you mean: fish-cli list?')
  })
})

describe('a flag before a command', () => {
  test.each([
    [['--csv', 'list'], 'Flags must follow the command.', 'For all commands: fish-cli --help'],
    [['--verison'], 'The command is missing.', 'Did you mean: fish-cli --version? For all commands: fish-cli --help'],
    [['-x'], 'The command is missing.', 'For all commands: fish-cli --help'],
  ])('causes an error that names the mistake: %j', async (argv, message, hint) => {
    const { status, stderr } = await run(argv)
    expect({ status, stderr }).toEqual({ status: 2, stderr: `fish-cli: ${message}\n  ${hint}\n` })
  })
})
