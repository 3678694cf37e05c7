import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { describe, expect, test } from 'vitest'
import { newFolder } from './folders.ts'
import { run, serviceContext } from './harness.ts'

const context = serviceContext()

/** Creates a player for a single test, so that tests do not share a collection. */
async function newPlayer(name: string) {
  const { stdout } = await run(['user', 'create', name, '--json'], { env: context.admin })
  const user = JSON.parse(stdout)
  return { user, env: { ...context.base, FISH_USER: name, FISH_KEY: user.fernetKey, FISH_PASSWORD: user.password } }
}

describe('add and list', () => {
  test('list shows an added fish with its rarity, below a header line', async () => {
    const { env } = await newPlayer('Lister')
    expect(await run(['add', 'Bronze Koi', '--rarity', 'gold'], { env })).toEqual({
      status: 0,
      stdout: 'Bronze Koi · Gold → Lister, earth\n',
      stderr: '',
    })
    await run(['add', 'Cod', '-r', '1'], { env })
    const { status, stdout, stderr } = await run(['list'], { env })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe('FISH        RARITY\nBronze Koi  Gold\nCod         Bronze\n')
  })

  test.each(['unknown', 'Other', 'unknown/OTHER', '5'])(
    'the rarity Unknown/Other may be typed as %s',
    async (rarity) => {
      const { stdout } = await run(['add', 'Odd', '-r', rarity], { env: context.player })
      expect(stdout).toBe('Odd · Unknown/Other → Alex, earth\n')
    },
  )

  test('add saves several names as one record, or none of them if one is invalid', async () => {
    const { env } = await newPlayer('Several')
    expect((await run(['add', 'Cod', 'x'.repeat(101), '-r', '2', '--yes'], { env })).status).toBe(2)
    expect((await run(['list'], { env })).stdout).toBe('')
    const { stdout } = await run(['add', 'Cod', 'Eel', '-r', '2', '--yes'], { env })
    expect(stdout).toBe('Cod, Eel · Silver → Several, earth\n')
    const { fish } = JSON.parse((await run(['list', '-d', '--json'], { env })).stdout)
    expect(fish.map(({ name }: { name: string }) => name)).toEqual(['Cod', 'Eel'])
    expect(fish[0].id).toBe(fish[1].id)
  })

  test('names that look like a mistake need confirmation on a terminal, and are rejected in a script', async () => {
    const { env } = await newPlayer('Slip')
    const list = async () => (await run(['list'], { env })).stdout
    for (const [names, hint] of [
      [['Rainbow', 'Trout'], 'add "Rainbow Trout".'],
      [['-'], 'To read stdin, use add --file -.'],
      [['  '], 'quotes'],
    ] as const) {
      const argv = ['add', ...names, '-r', '1']
      const refused = await run(argv, { env })
      expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(hint) })
      expect(refused.stderr).toMatch(/\. To save the names as given, add --yes\.\n$/)
      const asked = await run(argv, { env, terminal: true, typed: 'n\r' })
      expect(asked).toMatchObject({ status: 1, stderr: expect.stringContaining(hint) })
    }
    expect(await list()).toBe('')
    const yes = await run(['add', 'Cod', 'Eel', '-r', '1'], { env, terminal: true, typed: 'y\r' })
    expect(yes).toMatchObject({ status: 0, stdout: 'Cod, Eel · Bronze → Slip, earth\n' })
    expect((await run(['add', 'Rainbow Trout', 'Koi', '-r', '1'], { env })).status).toBe(0)
    expect(await list()).toBe(
      'FISH           RARITY\nCod            Bronze\nEel            Bronze\nRainbow Trout  Bronze\nKoi            Bronze\n',
    )
  })

  test('add suggests the closest name that the player has caught, but only on a terminal', async () => {
    const { env } = await newPlayer('Typist')
    await run(['add', 'Salmon', 'Rainbow Trout', '-r', '1'], { env })
    await run(['add', 'Hermit', '--crab'], { env })
    const add = async (argv: readonly string[], options: object) => {
      const { status, stdout, stderr } = await run(['add', ...argv], { env, ...options })
      return [status, stdout.replace(/ .*/s, ''), stderr]
    }
    const typed = (keys: string) => ({ terminal: true, typed: keys })
    const samlon = ['Samlon', '-r', '1']
    const asked = 'You have never caught Samlon. Did you mean Salmon? [y/N] '
    expect(await add(samlon, typed('y\r'))).toEqual([0, 'Salmon', expect.stringContaining(asked)])
    expect(await add(samlon, typed('\r'))).toEqual([0, 'Samlon', expect.stringContaining(asked)])
    const hermit = expect.stringContaining('Did you mean Hermit?')
    expect(await add(['Hemrit', '--crab'], typed('y\r'))).toEqual([0, 'Hermit', hermit])
    for (const name of ['samlon', 'SALMON', 'Koi']) {
      expect(await add([name, '-r', '1'], { terminal: true })).toEqual([0, name, ''])
    }
    for (const options of [{}, { terminal: true }] as const) {
      const words = options.terminal ? ['--yes'] : []
      expect(await add(['Salmom', '-r', '1', ...words], options)).toEqual([0, 'Salmom', ''])
      expect(await add(['Salmom', '-r', '1', '--yes', '--no-input'], options)).toEqual([0, 'Salmom', ''])
    }
  })

  test('add stores a name as typed if the names of the player cannot be read', async () => {
    await using mock = await createMock({
      seed: { users: [{ name: 'Alex', fish: { earth: [{ name: 'Salmon', rarity: 1 }] } }] },
    })
    const { url } = await mock.serve()
    const { fernetKey } = mock.user('Alex')
    const env = { FISH_URL: url, FISH_USER: 'Alex', FISH_KEY: fernetKey, FISH_GAMEMODE: 'earth' }
    mock.fail({ status: 503 }, { on: 'getFish' })
    const { status, stdout } = await run(['add', 'Samlon', '-r', '1'], { env, terminal: true })
    expect([status, stdout]).toEqual([0, 'Samlon · Bronze → Alex, earth\n'])
    mock.assertNoPendingFaults()
  })

  test('add --crab needs no name, and list crabs shows only crabs', async () => {
    const { env } = await newPlayer('Crabber')
    await run(['add', '--crab'], { env })
    await run(['add', 'Hermit', '--crab'], { env })
    expect((await run(['list', 'crabs'], { env })).stdout).toBe('CRAB\ncrab\nHermit\n')
    expect((await run(['list', 'crab', 'crabber'], { env })).stdout).toBe('CRAB\ncrab\nHermit\n')
  })

  test('flags override the environment, and list accepts a player name without the argument fish or crabs', async () => {
    const { user, env } = await newPlayer('Flagged')
    const other = { ...env, FISH_USER: 'Alex', FISH_GAMEMODE: 'survival' }
    await run(['add', 'Eel', '-r', '5', '-g', 'factions', '-u', 'Flagged'], { env: other })
    const { stdout } = await run(['list', 'flagged', '-g', 'factions', '--json'], { env: other })
    expect(JSON.parse(stdout)).toEqual({
      user: user.name,
      gamemode: 'factions',
      fish: [{ name: 'Eel', rarity: 'Unknown/Other' }],
    })
  })

  test('add --json prints the saved catch with its id, and list --detail shows this id', async () => {
    const { env } = await newPlayer('Detailed')
    const saved = JSON.parse((await run(['add', 'Pike', '-r', 'Mythical', '--json'], { env })).stdout)
    expect(saved).toEqual({
      message: 'Fish saved for user Detailed',
      id: expect.any(String),
      replayed: false,
      user: 'Detailed',
      gamemode: 'earth',
      fish: [{ name: 'Pike', rarity: 7 }],
    })
    const { fish } = JSON.parse((await run(['list', '--detail', '--json'], { env })).stdout)
    expect(fish).toEqual([{ name: 'Pike', rarity: 'Mythical', id: saved.id, entry: 0, caughtAt: expect.any(String) }])
    expect((await run(['list', '-d'], { env })).stdout).toContain(saved.id.slice(-8))
  })
})

describe('key', () => {
  test('a key is masked unless --show is given', async () => {
    const { player, alex } = context
    const masked = await run(['key'], { env: player })
    expect(masked.status).toBe(0)
    expect(masked.stdout + masked.stderr).not.toContain(alex.fernetKey.slice(0, 6))
    expect((await run(['key', '--show'], { env: player })).stdout).toBe(`${alex.fernetKey}\n`)
    const json = await run(['key', '--json'], { env: player })
    expect(JSON.parse(json.stdout)).toMatchObject({ user: 'Alex', masked: true })
    expect(json.stdout).not.toContain(alex.fernetKey)
  })

  test('an administrator can read the key of a player', async () => {
    const { stdout } = await run(['key', 'Alex', '--show', '--json'], { env: context.admin })
    expect(JSON.parse(stdout)).toEqual({ user: 'Alex', fernetKey: context.alex.fernetKey, masked: false })
  })

  test('--out replaces a file only with --force', async () => {
    const file = join(newFolder(), 'taken.key')
    await writeFile(file, 'mine', { mode: 0o644 })
    const refused = await run(['key', '--out', file], { env: context.player })
    expect(refused.status).toBe(6)
    expect(refused.stderr).toContain('--force')
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await run(['key', '--out', file, '--force'], { env: context.player })).status).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(`${context.alex.fernetKey}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('--out creates no file if the request fails', async () => {
    const file = join(newFolder(), 'never.key')
    const env = { ...context.player, FISH_PASSWORD: 'wrong-password' }
    expect((await run(['key', '--out', file], { env })).status).toBe(4)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})

describe('user create', () => {
  test('prints valid secrets, and warns that they cannot be shown again', async () => {
    const { status, stdout, stderr } = await run(['user', 'create', 'Fresh'], { env: context.admin })
    expect(status).toBe(0)
    expect(stderr).toContain('cannot be shown again')
    const password = /^password: (\S+)$/m.exec(stdout)?.[1]
    const key = /^fernet key: (\S+)$/m.exec(stdout)?.[1]
    const env = { ...context.base, FISH_USER: 'Fresh', FISH_PASSWORD: password }
    expect((await run(['key', '--show'], { env })).stdout).toBe(`${key}\n`)
  })
})

describe('open', () => {
  const openOn = async (args: string[], isThere = true) => {
    const opened: string[] = []
    const openBrowser = async (url: string) => {
      opened.push(url)
      return isThere
    }
    const { status, stdout, stderr } = await run(['open', ...args], {
      env: { FISH_URL: 'https://fish.example/' },
      openBrowser,
    })
    return { status, opened, stdout, stderr }
  }

  test('opens the page of a player in the browser, and prints the URL', async () => {
    const { status, opened, stdout } = await openOn(['Alex', '--gamemode', 'earth'])
    const url = 'https://fish.example/@Alex?gamemode=earth'
    expect([status, opened, stdout]).toEqual([0, [url], `${url}\n`])
    expect((await openOn([])).opened).toEqual(['https://fish.example/'])
    expect(JSON.parse((await openOn(['Alex', '--json'])).stdout)).toEqual({
      url: 'https://fish.example/@Alex',
      opened: true,
    })
  })

  test('only prints the URL with --print, or if no browser is found', async () => {
    const without = await openOn(['Alex'], false)
    expect([without.status, without.stdout]).toEqual([0, 'https://fish.example/@Alex\n'])
    expect(without.stderr).toContain('No browser was found')
    const printed = await openOn(['Alex', '--print'])
    expect([printed.opened, printed.stdout, printed.stderr]).toEqual([[], 'https://fish.example/@Alex\n', ''])
  })

  test('opens no page for an invalid name', async () => {
    const { status, opened } = await openOn(['a b'])
    expect([status, opened]).toEqual([2, []])
    expect((await openOn(['$(reboot)'])).opened).toEqual([])
  })
})

describe('status and demo', () => {
  test('status prints a line for each field, or the response as CSV or JSON', async () => {
    const { status, stdout } = await run(['status'], { env: context.base })
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^status: ok\nversion: 0\.0\.0-test\ntime \(local\): [\d-]{10} [\d:]{8}\ngamemodes: oneblock, earth, survival, factions\n$/,
    )
    const csv = (await run(['status', '--csv'], { env: context.base })).stdout
    expect(csv).toMatch(
      /^status,version,timestamp,gamemodes\r\nok,0\.0\.0-test,\S+,"oneblock, earth, survival, factions"\r\n$/,
    )
    const json = JSON.parse((await run(['status', '--json'], { env: context.base })).stdout)
    expect(json).toEqual({
      status: 'ok',
      version: '0.0.0-test',
      timestamp: expect.any(String),
      gamemodes: ['oneblock', 'earth', 'survival', 'factions'],
    })
  })

  test('demo needs no service, and shows crabs and fish of all rarities', async () => {
    const { stdout } = await run(['demo'], { env: { ...context.base, FISH_URL: 'http://127.0.0.1:1' } })
    for (const word of ['FISH', 'Bronze', 'Mythical', 'Unknown/Other', 'CRAB']) expect(stdout).toContain(word)
    const json = JSON.parse((await run(['demo', '--json'], { env: context.base })).stdout)
    expect(json).toMatchObject({ user: 'demo', fish: expect.any(Array), crab: expect.any(Array) })
  })
})
