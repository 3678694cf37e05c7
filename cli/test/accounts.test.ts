import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { describe, expect, test } from 'vitest'
import { newFolder, writeProfiles, xdgFolders } from './folders.ts'
import { type Env, type RunOptions, run, serviceContext, startImpostor } from './harness.ts'

const context = serviceContext({ FISH_PUBLIC_URL: 'https://fish.example.org', FISH_ADMIN_RATE_LIMIT: '10000' })

const admin = (argv: readonly string[], options: RunOptions = {}) => run(argv, { ...options, env: context.admin })

async function adminJson(...argv: readonly string[]) {
  const { status, stdout, stderr } = await admin([...argv, '--json'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Creates a player with one catch, and returns the environment of the player. */
async function newPlayer(name: string): Promise<Env> {
  const user: CreatedUser = await adminJson('user', 'create', name)
  const env = { ...context.base, FISH_USER: name, FISH_KEY: user.fernetKey, FISH_PASSWORD: user.password }
  expect((await run(['add', 'Bronze Koi', '-r', 'gold'], { env })).status).toBe(0)
  return env
}

describe('user suspend and user unsuspend', () => {
  test('suspend and hide a player, show both in user list and user show, and end both', async () => {
    const env = await newPlayer('Sue')
    expect(await admin(['user', 'suspend', 'sue'])).toMatchObject({ status: 0, stdout: 'Sue is suspended.\n' })
    const refused = await run(['add', 'Cod', '-r', '1', '--json'], { env })
    expect([refused.status, JSON.parse(refused.stdout).error.code]).toEqual([4, 'user_suspended'])
    expect((await admin(['user', 'show', 'Sue'])).stdout).toContain('status: suspended\n')
    expect((await run(['list'], { env })).status).toBe(0)

    expect(await adminJson('user', 'suspend', 'Sue', '--hide')).toEqual({ name: 'Sue', suspended: true, hidden: true })
    expect((await admin(['user', 'list', '--search', 'Sue'])).stdout).toMatch(/STATUS.*\nSue .* suspended, hidden /)
    expect(await adminJson('user', 'show', 'Sue')).toMatchObject({ suspended: true, hidden: true })
    expect((await run(['list'], { env: { ...env, FISH_PASSWORD: '' } })).status).toBe(5)

    expect(await admin(['user', 'unsuspend', 'Sue'])).toMatchObject({ stdout: 'Sue is no longer suspended.\n' })
    expect((await run(['add', 'Cod', '-r', '1'], { env })).status).toBe(0)
    expect((await admin(['user', 'show', 'Sue'])).stdout).toContain('status: none\n')
  })
})

describe('user rename', () => {
  test('gives a player a new name, and reports a name that is taken', async () => {
    await newPlayer('Rena')
    expect(await admin(['user', 'rename', 'rena', 'Renata'])).toMatchObject({ stdout: 'rena is now Renata.\n' })
    expect(await adminJson('user', 'show', 'Rena')).toMatchObject({ name: 'Renata', fish: 1 })
    expect(await admin(['user', 'rename', 'Renata', 'Alex'])).toMatchObject({ status: 6 })
    const { status, stderr } = await admin(['user', 'rename', 'Renata', 'no name'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('NEW: must be')])
  })
})

describe('links', () => {
  test('user login-link prints the link alone on stdout, and its end on stderr', async () => {
    await newPlayer('Lina')
    const { stdout, stderr } = await admin(['user', 'login-link', 'Lina', '--hours', '1'])
    expect(stdout).toMatch(/^https:\/\/fish\.example\.org\/login#[\w.-]{60,}\n$/)
    expect(stderr).toMatch(/^This link of Lina works once, until \S+ \S+ \(local time\)\.\n$/)
    const { expiresAt } = await adminJson('user', 'login-link', 'Lina')
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 3_600_000)).toBe(72)
  })

  test('invitation create prints a link, invitation list shows it without the link, and invitation end ends it', async () => {
    const { stdout, stderr } = await admin(['invitation', 'create', '--uses', '2'])
    const [, token = ''] = /^https:\/\/fish\.example\.org\/login#([\w.-]{60,})\n$/.exec(stdout) ?? []
    const [, id = ''] = /for 2 players, until .* Its id is (\S+)\.\n$/.exec(stderr) ?? []
    const body = JSON.stringify({ token, nonce: 'a nonce of 16 or more', name: 'Invited' })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${context.service.url}/user/login-link`, { method: 'POST', headers, body })
    const listed = await admin(['invitation', 'list'])
    expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${id} +2 +1 .* admin .* Invited\\n$`))
    expect(listed.stdout).not.toContain(token)
    expect(await adminJson('invitation', 'end', id)).toEqual({ id, ended: true })
    const { invitations } = await adminJson('invitation', 'list')
    expect(invitations).toMatchObject([{ id, remaining: 1, players: [{ name: 'Invited' }] }])
    expect(Date.parse(invitations[0].expiresAt)).toBeLessThanOrEqual(Date.now())
    expect(await admin(['invitation', 'end', id])).toMatchObject({ status: 5 })
  })

  test.each([
    [['invitation', 'create']],
    [['invitation', 'create', '--uses', '0']],
    [['invitation', 'create', '--uses', '501']],
    [['user', 'login-link', 'Alex', '--hours', '721']],
  ])('rejects %j before a request', async (argv) => {
    expect(await run(argv, { env: { FISH_URL: 'http://127.0.0.1:1' } })).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('export', () => {
  test('prints CSV, and JSON Lines with --json, of one kind or gamemode', async () => {
    await newPlayer('Exporter')
    const { stdout, stderr } = await admin(['export'])
    expect(stdout).toMatch(/^player,kind,gamemode,name,rarity,caughtAt,id,entry\r\n/)
    expect(stdout).toMatch(/\r\nExporter,fish,earth,Bronze Koi,[^\n]+,0\r\n/)
    expect(stderr).toBe('')
    const lines = (await admin(['export', '--json', '--kind', 'FISH', '-g', 'earth'])).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).player)).toContain('Exporter')
    expect((await admin(['export', '--format', 'jsonl', '--kind', 'crab'])).stdout).toBe('')
    expect(await admin(['export', '--json', '--format', 'csv'])).toMatchObject({ status: 2 })
  })

  test('writes a new file that only its owner can read, and replaces a file only with --force', async () => {
    const folder = newFolder()
    const file = join(folder, 'catches.csv')
    await newPlayer('Filer')
    const first = await adminJson('export', '--out', file)
    expect(first).toEqual({ file, catches: readFileSync(file, 'utf8').trimEnd().split('\r\n').length - 1 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, 'mine')
    expect(await admin(['export', '--out', file])).toMatchObject({ status: 6 })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    const { stdout } = await admin(['export', '--out', file, '--force'])
    expect(stdout).toBe(`Exported ${first.catches} catches to ${file}.\n`)
    expect(readdirSync(folder)).toEqual(['catches.csv'])
  })

  test('leaves no file if the response is cut', async () => {
    const file = join(newFolder(), 'catches.csv')
    const service = await startImpostor((request, response) => {
      if (request.url === '/admin/login') {
        response.setHeader('content-type', 'application/json')
        return response.end(
          JSON.stringify({ token: 'a.b.c', expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
        )
      }
      response.writeHead(200, { 'content-type': 'text/csv' })
      return response.write('player,kind\r\nAlex,fish\r\n', () => response.destroy())
    })
    const env = { ...context.admin, FISH_URL: service.url }
    const { status, stdout } = await run(['export', '--out', file, '--json'], { env })
    service.close()
    expect([status, JSON.parse(stdout).error.code]).toEqual([69, 'unreachable'])
    expect(readdirSync(join(file, '..'))).toEqual([])
  })
})

describe('a player’s own account', () => {
  test('account rename changes the name, and the profile and its key follow', async () => {
    const home = newFolder()
    const env = await newPlayer('Owen')
    const own = { ...xdgFolders(home), FISH_GAMEMODE: 'earth', FISH_MAX_WAIT: '0' }
    const login = ['login', 'Owen', '--url', context.service.url]
    expect((await run(login, { env: { ...own, FISH_PASSWORD: env.FISH_PASSWORD } })).status).toBe(0)
    const renamed = await run(['account', 'rename', 'Owena'], { env: { ...own, FISH_PASSWORD: env.FISH_PASSWORD } })
    expect(renamed).toEqual({ status: 0, stdout: 'Owen is now Owena.\n', stderr: '' })
    expect(JSON.parse((await run(['whoami', '--json'], { env: own })).stdout)).toMatchObject({
      user: 'Owena',
      accepted: true,
    })
    expect((await run(['add', 'Cod', '-r', '1'], { env: own })).stdout).toContain('→ Owena, earth')
  })

  test('account rename leaves the profile of another player unchanged', async () => {
    const home = newFolder()
    const env = await newPlayer('Olga')
    await writeProfiles(home, { home: { url: context.service.url, user: 'Alex' } })
    expect((await run(['account', 'rename', 'Olgana'], { env: { ...env, ...xdgFolders(home) } })).status).toBe(0)
    expect(readFileSync(join(home, 'config', 'fish-crab', 'config.json'), 'utf8')).toContain('"user":"Alex"')
  })

  test('account visibility hides the collection from others, and shows it again', async () => {
    const env = await newPlayer('Viola')
    const list = async () => (await run(['list', 'fish', 'Viola'], { env: context.base })).status
    expect(await run(['account', 'visibility', 'private'], { env })).toMatchObject({
      stdout: 'The collection of Viola is private.\n',
    })
    expect(await list()).toBe(5)
    expect((await admin(['user', 'show', 'Viola'])).stdout).toContain('status: private\n')
    expect((await run(['account', 'visibility', 'Public', '--json'], { env })).stdout).toContain('"public": true')
    expect(await list()).toBe(0)
    expect(await run(['account', 'visibility', 'secret'], { env })).toMatchObject({ status: 2 })
  })

  test('account delete needs the typed name and the password, and removes the account', async () => {
    const env = await newPlayer('Dele')
    const typed = (text: string) => run(['account', 'delete'], { env, terminal: true, typed: text })
    expect(await typed('yes\r')).toMatchObject({ status: 1, stderr: expect.stringContaining('Type Dele to confirm') })
    expect(await run(['account', 'delete'], { env })).toMatchObject({ status: 2 })
    const wrong = await run(['account', 'delete', '--yes'], { env: { ...env, FISH_PASSWORD: 'canary-wrong' } })
    expect(wrong).toMatchObject({ status: 4, stdout: '' })
    expect(wrong.stderr).not.toContain('canary')
    expect((await admin(['user', 'show', 'Dele'])).status).toBe(0)
    expect(await typed('Dele\r')).toMatchObject({ status: 0, stdout: expect.stringContaining('Deleted Dele.') })
    expect((await admin(['user', 'show', 'Dele'])).status).toBe(5)
  })
})
