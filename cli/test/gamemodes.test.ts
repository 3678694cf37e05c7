import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Profile } from '@fish-crab/sdk'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { readLocalNames } from '../src/program/completion.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext, startServiceContext } from './harness.ts'

const LIST = 'Gamemodes: earth, survival, boxsmp'
const context = serviceContext({ FISH_GAMEMODES: 'earth,survival,boxsmp' })
let folders: Env
let remembered: string

beforeEach(() => {
  folders = xdgFolders(newFolder())
  remembered = join(folders.XDG_STATE_HOME ?? '', 'fish-crab', 'gamemodes.json')
})

const fish = (argv: readonly string[], env: Env = {}) => run(argv, { env: { ...context.player, ...folders, ...env } })
const offered = () => readLocalNames({ ...folders, FISH_URL: context.service.url }).gamemodes.map(({ value }) => value)

describe('the gamemodes of the service', () => {
  test('are requested once and then stored', async () => {
    expect(await fish(['add', 'Cod', '-r', '1', '-g', 'BoxSMP'])).toMatchObject({ status: 0 })
    expect(JSON.parse(readFileSync(remembered, 'utf8'))).toEqual({
      [context.service.url]: ['earth', 'survival', 'boxsmp'],
    })
    expect(offered()).toEqual(['earth', 'survival', 'boxsmp'])
    expect(await fish(['list', 'fish', '-g', 'boxsmp'])).toMatchObject({ stdout: expect.stringContaining('Cod') })
  })

  test.each([
    ['a flag', ['add', 'Cod', '-r', '1', '-g', 'boxsmq'], {}, '--gamemode', 'boxsmp'],
    ['the environment', ['list', 'fish'], { FISH_GAMEMODE: 'boxsmq' }, 'FISH_GAMEMODE', 'boxsmp'],
    ['a setting', ['config', 'gamemode', 'boxsmq'], {}, 'VALUE', 'boxsmp'],
    ['the gamemode to move from', ['move', 'x', '-g', 'earth', '--from', 'surviva'], {}, '--from', 'survival'],
  ])('are suggested for a misspelled gamemode in %s', async (_title, argv, env, from, meant) => {
    expect(await fish(argv, env)).toEqual({
      status: 2,
      stdout: '',
      stderr: `fish-cli: Unknown gamemode in ${from}.\n  Did you mean: ${meant}? ${LIST}\n`,
    })
  })

  test('can be used even if the list of gamemodes cannot be stored', async () => {
    const env = { XDG_STATE_HOME: '/dev/null' }
    expect(await fish(['list', 'fish', '-g', 'boxsmp'], env)).toMatchObject({ status: 0 })
  })

  test('replace the usual gamemodes after the first response with the list', async () => {
    await fish(['status'])
    const { status, stderr } = await fish(['add', 'Cod', '-r', '1', '-g', 'oneblock'])
    expect({ status, stderr }).toEqual({ status: 2, stderr: `fish-cli: Unknown gamemode in --gamemode.\n  ${LIST}\n` })
  })

  test.each([
    ['status', ['status']],
    ['list', ['list', 'fish', '-g', 'factions']],
  ])('are the usual gamemodes again after %s if the service no longer names others', async (_title, argv) => {
    const served = await startServiceContext()
    onTestFinished(() => served.service.close())
    const env = { ...served.player, ...folders }
    mkdirSync(join(remembered, '..'), { recursive: true })
    writeFileSync(remembered, JSON.stringify({ [served.service.url]: ['earth', 'boxsmp'] }))
    expect(await run(argv, { env })).toMatchObject({ status: 0 })
    expect(readLocalNames(env).gamemodes.map(({ value }) => value)).toEqual(GAMEMODES)
  })

  test('are named if a command has no gamemode, even before the first response', async () => {
    const { status, stderr } = await fish(['list', 'fish'], { FISH_GAMEMODE: '' })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'fish-cli: The gamemode is missing.\n' +
        '  Add --gamemode with one of earth, survival, boxsmp. To set it for all commands: fish-cli config gamemode GAMEMODE\n',
    })
  })

  test('are the gamemodes that stats lists', async () => {
    await fish(['add', 'Koi', '-r', '1', '-g', 'boxsmp'])
    const { gamemodes } = JSON.parse((await fish(['stats', '--json'])).stdout) as Profile
    expect(gamemodes.map(({ gamemode }) => gamemode)).toEqual(['earth', 'survival', 'boxsmp'])
    expect(gamemodes[2]?.fish.total).toBeGreaterThan(0)
    const deletion = await fish(['user', 'delete', 'Alex', '--dry-run', '--json'], context.admin)
    expect(JSON.parse(deletion.stdout).fish).toBeGreaterThan(0)
  })

  test('are offered by the prompt of login if no gamemode is configured', async () => {
    const env = { ...folders, FISH_URL: context.service.url, FISH_PASSWORD: context.alex.password }
    const asked = await run(['login', 'Alex'], { env, terminal: true, typed: 'boxsmp\n' })
    expect(asked).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('(earth, survival, boxsmp; '),
    })
    expect(await run(['list', 'fish'], { env: folders })).toMatchObject({ status: 0 })
  })

  test('are used to check the key even if no usual gamemode is among them', async () => {
    const served = await startServiceContext({ FISH_GAMEMODES: 'boxsmp' })
    onTestFinished(() => served.service.close())
    const env = { ...served.player, ...folders, FISH_GAMEMODE: '' }
    expect(JSON.parse((await run(['whoami', '--json'], { env })).stdout)).toMatchObject({ accepted: true })
    const wrong = { ...env, FISH_KEY: Buffer.alloc(32, 1).toString('base64') }
    expect(await run(['whoami'], { env: wrong })).toMatchObject({ status: 4 })
  })

  test.each(['{', '[]', 'null', '{"x":["EARTH"]}', '{"x":"earth"}', `{"x":${JSON.stringify(Array(33).fill('a'))}}`])(
    'are replaced by the usual gamemodes while the stored list is damaged: %s',
    async (content) => {
      mkdirSync(join(remembered, '..'), { recursive: true })
      writeFileSync(remembered, content.replace('x', context.service.url))
      expect(offered()).toEqual(['oneblock', 'earth', 'survival', 'factions'])
      await fish(['status'])
      expect(offered()).toEqual(['earth', 'survival', 'boxsmp'])
    },
  )

  test('are replaced by the usual gamemodes while the service is unreachable', async () => {
    const env = { FISH_URL: 'http://127.0.0.1:1' }
    expect((await fish(['config', 'gamemode', 'factions'], env)).status).toBe(0)
    const { status, stderr } = await fish(['config', 'gamemode', 'boxsmp'], env)
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'fish-cli: Unknown gamemode in VALUE.\n  Gamemodes: oneblock, earth, survival, factions\n',
    })
  })
})
