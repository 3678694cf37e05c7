import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ERROR_SCHEMA } from '../src/core/errors.ts'
import { COMMANDS } from '../src/runtime/commands.ts'
import { newFolder } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()
const failure = z.fromJSONSchema(ERROR_SCHEMA as unknown as Parameters<typeof z.fromJSONSchema>[0])

const commands = await COMMANDS.load()
const takesOutput = (id: string) =>
  'output' in ((commands[id] as unknown as { readonly flags?: object } | undefined)?.flags ?? {})

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

describe('FISH_OUTPUT=json, which stands for --output json where that is not given', () => {
  test.each(COMMANDS.ids)('is heard by the failures of %s where it has --output, and nowhere else', async (id) => {
    const argv = [...id.split(':'), '--no-such-flag']
    const { status, stdout, stderr } = await run(argv, { env: { FISH_OUTPUT: 'json' } })
    expect(status).toBe(2)
    if (takesOutput(id)) expect({ stderr, json: failure.parse(JSON.parse(stdout)) }).toMatchObject({ stderr: '' })
    else expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(/^fish-cli: Unknown flag/) })
  })

  test.each([
    ['status'],
    ['list fish Alex'],
    ['demo'],
    ['stats Alex'],
    ['doctor --offline'],
    ['profile list'],
    ['config list'],
    ['whoami --offline'],
    ['outbox status'],
    ['config path'],
    ['config set gamemode earth'],
    ['add Cod -r 1'],
    ['profile add home --url http://127.0.0.1:1 --replace'],
    ['completion bash'],
  ])('is heard by the successes of the same commands: %s', async (line) => {
    const argv = line.split(' ')
    const id = COMMANDS.ids.find((each) => each === argv.slice(0, 2).join(':')) ?? argv[0] ?? ''
    const folder = newFolder()
    const env = {
      ...context.player,
      HOME: folder,
      XDG_STATE_HOME: folder,
      XDG_CONFIG_HOME: folder,
      FISH_OUTPUT: 'json',
    }
    const { status, stdout } = await run(argv, { env })
    expect({ status, isJson: isJson(stdout) }).toEqual({ status: 0, isJson: takesOutput(id) })
    const asked = await run([...argv, '--json'], { env })
    expect({ status: asked.status, isJson: isJson(asked.stdout) }).toEqual({ status: 0, isJson: true })
  })

  test.each([[['fly']], [['user', 'fly']]])('is not heard by %j, which is no command', async (argv) => {
    const { status, stdout } = await run(argv, { env: { FISH_OUTPUT: 'json' } })
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  })
})
