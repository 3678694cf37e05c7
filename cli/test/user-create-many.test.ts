import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { beforeEach, describe, expect, test } from 'vitest'
import { loginFileName } from '../../server/web/src/parts/login-file.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { ADMIN_PASSWORD, type RunOptions, run, serviceContext, startImpostor } from './harness.ts'

const context = serviceContext({ FISH_ADMIN_RATE_LIMIT: '10000' })
let home: string
let list: string
let folder: string

beforeEach(() => {
  home = newFolder()
  list = join(home, 'players.csv')
  folder = join(home, 'logins')
})

const admin = () => createAdminClient({ baseUrl: context.service.url, username: 'admin', password: ADMIN_PASSWORD })
const create = (more: readonly string[] = [], options: RunOptions = {}) =>
  run(['user', 'create', '--file', list, '--login-files', folder, ...more], {
    ...options,
    env: { ...context.admin, ...xdgFolders(home), ...options.env },
  })
const document = async (...more: readonly string[]) => {
  const { status, stdout } = await create([...more, '--json'])
  return { status, ...JSON.parse(stdout) }
}
const login = (name: string) => JSON.parse(readFileSync(join(folder, loginFileName(name)), 'utf8'))
const secretsOf = (name: string) => {
  const { password, apiKey } = login(name)
  return [password, apiKey]
}

/** Fetches the key of a player with the password in the login file. */
async function fetchKey(name: string): Promise<string> {
  const client = createClient({ baseUrl: context.service.url })
  return (await client.keys.get({ username: name, password: login(name).password })).fernetKey
}

describe('user create --file', () => {
  test('creates 300 players, writes a login file for each player that only its owner can read, and prints no secret', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `Many${index}`)
    writeFileSync(list, names.join('\n'))
    const { status, stdout, stderr } = await create([], { terminal: true })
    expect([status, stdout]).toEqual([0, expect.stringContaining('Created 300 players.')])
    expect(stderr).toContain('300 of 300 players (100 %)')
    expect(readdirSync(folder).toSorted()).toEqual(names.map((name) => `${name}.json`).toSorted())
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of names) {
      expect(statSync(join(folder, `${name}.json`)).mode & 0o777).toBe(0o600)
      for (const secret of secretsOf(name)) expect(stdout + stderr).not.toContain(secret)
    }
    expect(login('Many299')).toMatchObject({ version: 1, service: context.service.url, name: 'Many299' })
    expect(await fetchKey('Many299')).toBe(login('Many299').fernetKey)
    expect(await document()).toMatchObject({ status: 0, players: 300, created: 0, skipped: 300, missing: [] })
  })

  test('uses the passwords of a CSV file, and the gamemode of the command', async () => {
    writeFileSync(list, 'Password;NAME\r\n"three; quiet rivers";Csv1\r\n;Csv2\r\n')
    expect(await document('--gamemode', 'survival')).toMatchObject({ status: 0, created: 2 })
    expect(login('Csv1')).toMatchObject({ password: 'three; quiet rivers', gamemode: 'survival' })
    expect(login('Csv2').password).toHaveLength(20)
    await fetchKey('Csv1')
  })

  test('creates nobody if a line is wrong, and quotes nothing of the file', async () => {
    writeFileSync(
      list,
      'name,password\nWrong1\nno name,canary-password\nwrong1\n..\nWrong2,canary\nWrong3,canary-one,canary\n"\n',
    )
    const { status, stderr } = await create()
    expect(status).toBe(2)
    const lines = [
      'Line 3: name: Must be',
      'Line 4: name: Line 2',
      'Line 5: name: Must be',
      'Line 6: password: Must',
      'Line 7: Has',
      'Line 8: A quot',
    ]
    for (const line of lines) expect(stderr).toContain(line)
    expect(stderr).toContain('The file has 6 mistakes; nothing was changed.')
    expect(stderr).not.toContain('canary')
    expect(readdirSync(home)).toEqual(['players.csv'])
    await expect(admin().users.get('Wrong1')).rejects.toThrow('No user has that name')
  })

  test.each([
    ['a header with an unknown column', 'name,email\nA,a@example.org\n', 'only contain the columns'],
    ['a second column without a header', 'Alone,canary-password\n', 'start the file with the header name,password'],
    ['an empty file', '\n', 'contains no players'],
  ])('rejects %s', async (_title, text, problem) => {
    writeFileSync(list, text)
    const { status, stderr } = await create()
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(problem) })
    expect(stderr).not.toContain('canary')
  })

  test.each([
    [['user', 'create', '--file', 'x']],
    [['user', 'create', '--login-files', 'x']],
    [['user', 'create', 'Alex', '--reset-missing']],
    [['user', 'create', 'Alex', '--file', 'x', '--login-files', 'y']],
    [['user', 'create', '--file', 'x', '--login-files', 'y', '--login-file', 'z']],
    [['user', 'create']],
  ])('rejects %j', async (argv) => {
    expect(await run(argv, { env: context.admin })).toMatchObject({ status: 2, stdout: '' })
  })

  test('writes safe file names for names that are special paths, patterns and devices', async () => {
    const names = ['...', '.x', '*x', 'CON', 'com1', 'a.b', '_-_']
    writeFileSync(list, names.join('\n'))
    expect(await document()).toMatchObject({ missing: [], created: names.length })
    const files = ['%2E%2E%2E', '%2Ex', '%2Ax', '%43ON', '%63om1', 'a%2Eb', '_-_'].map((name) => `${name}.json`)
    expect(readdirSync(folder).toSorted()).toEqual(files.toSorted())
    for (const name of names) expect(login(name).name).toBe(name)
    expect(await document()).toMatchObject({ status: 0, skipped: names.length })
  })

  test('names the players that exist without a login file, and resets only those that never used their secrets', async () => {
    const names = ['Gone1', 'Gone2', 'Key', 'Fish', 'Link', 'Former', 'Fresh']
    writeFileSync(list, names.slice(0, 6).join('\n'))
    await create()
    await fetchKey('Key')
    const { fernetKey } = login('Fish')
    const env = { ...context.base, FISH_USER: 'Fish', FISH_KEY: fernetKey }
    expect((await run(['add', 'Cod', '-r', '1'], { env })).status).toBe(0)
    await admin().users.suspend('Link')
    await admin().users.rename('Former', 'Latter')
    rmSync(folder, { recursive: true })

    writeFileSync(list, names.join('\n'))
    const named = await create()
    expect(named).toMatchObject({ status: 7, stdout: expect.stringContaining('Created 1 player.') })
    expect(named.stderr).toContain('6 players without a login file: Gone1, Gone2, Key, Fish, Link, Former.')
    expect(named.stderr).toContain(`fish-cli user create --file ${list} --login-files ${folder} --reset-missing`)
    expect(readdirSync(folder)).toEqual(['Fresh.json'])

    const reset = await create(['--reset-missing'])
    expect(reset).toMatchObject({ status: 7, stdout: expect.stringContaining('Reset 2 players') })
    expect(reset.stderr).toContain('4 players without a login file: Key, Fish, Link, Former.')
    expect(reset.stderr).toContain('fish-cli user login-link NAME')
    expect(readdirSync(folder).toSorted()).toEqual(['Fresh.json', 'Gone1.json', 'Gone2.json'])
    for (const secret of secretsOf('Gone1')) expect(reset.stdout + reset.stderr).not.toContain(secret)
    await fetchKey('Gone1')
    expect(await document('--reset-missing')).toMatchObject({ reset: 0, skipped: 3, missing: names.slice(2, 6) })
  })

  test('replaces a link in the folder instead of following the link, and rejects a folder that is a link', async () => {
    const target = join(home, 'target')
    writeFileSync(list, 'Linked')
    mkdirSync(folder)
    writeFileSync(target, 'mine')
    symlinkSync(target, join(folder, 'Linked.json.new'))
    expect(await document()).toMatchObject({ status: 0, created: 1 })
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(lstatSync(join(folder, 'Linked.json')).isFile()).toBe(true)

    const link = join(home, 'link')
    symlinkSync(folder, link)
    folder = link
    const { status, stderr } = await create()
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('is not a folder') })
  })

  test('creates nobody if the folder contains a login file of a player whom the service does not know', async () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'stranger.json'), '{}')
    writeFileSync(list, 'Foreign\nStranger\n')
    const { status, stderr } = await create()
    expect({ status, stderr }).toEqual({ status: 6, stderr: expect.stringContaining('has no player Stranger') })
    await expect(admin().users.get('Foreign')).rejects.toThrow('No user has that name')
  })

  test('skips a renamed player who has a login file under the old name', async () => {
    writeFileSync(list, 'Before\n')
    await create()
    await admin().users.rename('Before', 'After')
    expect(await document()).toMatchObject({ status: 0, created: 0, skipped: 1, missing: [] })
  })

  test('reads the list from stdin', async () => {
    const { status } = await run(['user', 'create', '--file', '-', '--login-files', folder], {
      env: context.admin,
      piped: 'name\nPiped1\n',
    })
    expect([status, readdirSync(folder)]).toEqual([0, ['Piped1.json']])
  })
})

/** Starts a service that fails after the first player of a request. */
async function startFailing(end: 'cut' | 'unavailable') {
  const { url, close } = await startImpostor(async (request, response) => {
    const { method, headers } = request
    const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : undefined
    const sent = await fetch(`${context.service.url}${request.url}`, {
      ...(method === undefined ? {} : { method }),
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })
    response.writeHead(sent.status, { 'content-type': sent.headers.get('content-type') ?? '' })
    const text = await sent.text()
    if (request.url !== '/admin/users/bulk') return response.end(text)
    const [first = '', ...others] = text.trimEnd().split('\n')
    if (end === 'cut') return response.write(`${first}\n`, () => response.destroy())
    const lines = others.map((line) => {
      const { name } = JSON.parse(line)
      return JSON.stringify({ name, status: 'error', code: 'unavailable', error: 'The service is unavailable.' })
    })
    return response.end([first, ...lines, ''].join('\n'))
  })
  return { url, [Symbol.dispose]: close }
}

describe('a run that stops', () => {
  test.each([
    ['cut', 69, 'unreachable'],
    ['unavailable', 7, 'unavailable'],
  ] as const)(
    'reports the number of created players after %s, and continues when it is repeated',
    async (end, exit, code) => {
      using failing = await startFailing(end)
      const names = ['1', '2', '3'].map((index) => `${end}${index}`)
      writeFileSync(list, names.join('\n'))
      const { status, stdout } = await create(['--json'], { env: { FISH_URL: failing.url } })
      expect([status, JSON.parse(stdout).error]).toMatchObject([
        exit,
        { code, message: expect.stringContaining('Created 1 of 3 players.'), hint: expect.stringContaining('repeat') },
      ])
      expect(readdirSync(folder)).toEqual([`${end}1.json`])
      expect(await document('--reset-missing')).toMatchObject({ status: 0, skipped: 1, reset: 2, missing: [] })
      for (const name of names) await fetchKey(name)
    },
  )

  test('ends with status 130 after an interruption', async () => {
    writeFileSync(list, Array.from({ length: 500 }, (_, index) => `Ctrl${index}`).join('\n'))
    const controller = new AbortController()
    const { interruption } = await import('../src/core/errors.ts')
    const { status, stderr } = await create([], {
      terminal: true,
      interrupted: controller.signal,
      onStderr: (text) => text.includes('Creating') && controller.abort(interruption()),
    })
    expect([status, stderr]).toEqual([130, expect.stringMatching(/Interrupted\. Created \d+ of 500 players\./)])
    const rest = await document('--reset-missing')
    expect(rest).toMatchObject({ status: 0, missing: [] })
    expect(readdirSync(folder)).toHaveLength(500)
  })
})
