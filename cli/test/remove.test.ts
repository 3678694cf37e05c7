import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext, startImpostor } from './harness.ts'

const HOP_BY_HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])

const context = serviceContext()
let folder: string
let env: Env

let player: string
let players = 0

beforeEach(async () => {
  folder = newFolder()
  players += 1
  player = `Player${players}`
  const created = await run(['user', 'create', player, '--json'], { env: context.admin })
  const { password, fernetKey } = JSON.parse(created.stdout)
  env = {
    ...context.base,
    ...xdgFolders(folder),
    FISH_USER: player,
    FISH_KEY: fernetKey,
    FISH_PASSWORD: password,
  }
})

const fish = (argv: readonly string[], more: Env = {}, piped?: string) =>
  run(argv, { env: { ...env, ...more }, ...(piped === undefined ? {} : { piped }) })

async function json(argv: readonly string[], more: Env = {}) {
  const { status, stdout, stderr } = await fish([...argv, '--json'], more)
  expect([status, stderr, stdout]).toEqual([0, '', expect.anything()])
  return JSON.parse(stdout)
}

async function add(name: string, more: Env = {}): Promise<string> {
  return (await json(['add', name, '--rarity', 'gold', '--yes'], more)).id
}

const list = async (gamemode = 'earth') => (await json(['list', '-g', gamemode, '--detail'])).fish
const names = async (gamemode?: string) => (await list(gamemode)).map(({ name }: { name: string }) => name)

describe('remove', () => {
  test('removes records by their id or by the short id that list shows, and saves the catches for add --file', async () => {
    const [cod, koi] = [await add('Cod'), await add('Koi')]
    await add('Salmon')
    const before = await list()
    const removed = await json(['remove', cod, `…${koi.slice(-8)}`, '--yes'])
    expect(removed).toMatchObject({ user: player, gamemode: 'earth', removed: [cod, koi], catches: 2 })
    expect(await names()).toEqual(['Salmon'])
    const { status, stdout } = await fish(['add', '--file', removed.file])
    expect([status, stdout]).toEqual([0, '2 catches in the file: 2 sent, 0 rejected, 0 waiting.\n'])
    const withoutIds = (all: { id: string; entry?: number }[]) => all.map(({ id: _, entry: __, ...rest }) => rest)
    expect(withoutIds(await list())).toEqual(expect.arrayContaining(withoutIds(before)))
    expect(await names()).toHaveLength(3)
  })

  test('lists the removed catches and prints the command that adds them again', async () => {
    await fish(['add', 'Cod', 'Koi', '-r', 'gold', '--yes'])
    const [{ id }] = await list()
    const { status, stdout, stderr } = await fish(['remove', id, '--yes'])
    expect(status).toBe(0)
    expect(stderr).toMatch(/Cod · Gold, Koi · Gold {2}\([\da-f]{8}\)/)
    expect(stdout).toMatch(
      /^Removed 2 catches in 1 record of Player\d+, earth\.\nTo add the catches again: fish-cli add --file \S+/,
    )
  })

  test('leaves no file if the service removes no catches', async () => {
    const id = await add('Cod')
    for (const argv of [
      ['remove', id, '--yes'],
      ['undo', '--yes'],
    ]) {
      expect((await fish(argv, { FISH_PASSWORD: 'wrong' })).status).toBe(4)
    }
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('removed-'))).toEqual([])
  })

  test.each([
    ['remove', 'a 403 from a proxy', 403],
    ['undo', 'a 403 from a proxy', 403],
    ['remove', 'a rejection by the service', 401],
    ['undo', 'a rejection by the service', 401],
  ])(
    '%s keeps its file if a removal succeeds, its response is lost, and the retry gets %s',
    async (command, _, status) => {
      const removals: number[] = []
      const proxy = await startImpostor(async (request, response) => {
        const { method = '', headers } = request
        if (method === 'DELETE' && removals.length > 0) {
          const refusal = { error: 'No.', code: 'invalid_credentials', requestId: 'req-1' }
          return status === 403
            ? response.writeHead(status).end('<h1>Forbidden</h1>')
            : response.writeHead(status, { 'x-request-id': refusal.requestId }).end(JSON.stringify(refusal))
        }
        const sent = new Headers(
          Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)) as [string, string][],
        )
        const body = method === 'POST' ? { body: await text(request) } : {}
        const passed = await fetch(`${context.base.FISH_URL}${request.url}`, { method, headers: sent, ...body })
        if (method === 'DELETE') {
          removals.push(passed.status)
          return request.socket.destroy()
        }
        return response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text())
      })
      const there = { FISH_URL: proxy.url }
      const id = await add('Cod', there)
      const clock = { now: Date.now, sleep: async () => {} }
      const { status: exit, stderr } = await run([command, ...(command === 'undo' ? [] : [id]), '--yes'], {
        env: { ...env, ...there, FISH_MAX_WAIT: '60' },
        clock,
      })
      proxy.close()
      expect([removals, exit, await names()]).toEqual([[204], 4, []])
      const [, file = ''] = /are in (\S+)\.$/m.exec(stderr) ?? []
      expect((await fish(['add', '--file', file])).status).toBe(0)
      expect(await names()).toEqual(['Cod'])
    },
  )

  test('removes one catch of a batch of 500 by its name, and its file adds exactly this catch again', async () => {
    const file = join(folder, 'catches.csv')
    await writeFile(file, Array.from({ length: 500 }, (_, index) => `Fish${index},1\n`).join(''))
    expect((await fish(['add', '--file', file])).status).toBe(0)
    const before = await list()
    const fake = before.find(({ name }: { name: string }) => name === 'Fish7')
    const others = before.filter((one: unknown) => one !== fake)
    const entries = [{ id: fake.id, entry: 7, name: 'Fish7' }]
    const about = { user: player, gamemode: 'earth', entries, catches: 1 }
    const planned = await json(['remove', '--name', 'Fish7', '--dry-run'])
    expect(planned).toEqual({ ...about, records: [], dryRun: true })
    const removed = await json(['remove', '--name', 'Fish7', '--yes'])
    expect(removed).toEqual({ ...about, removed: [], file: expect.any(String) })
    expect(await list()).toEqual(others)
    expect((await fish(['add', '--file', removed.file])).stdout).toContain('1 sent')
    const { caughtAt, rarity } = fake
    const added = (await list()).filter(({ id }: { id: string }) => id !== fake.id)
    expect(added).toEqual([{ name: 'Fish7', rarity, caughtAt, id: expect.not.stringMatching(fake.id), entry: 0 }])
  })

  test('reports the gamemode in which the record was not found', async () => {
    const id = await add('Cod')
    const { stderr } = await fish(['remove', id, '-g', 'survival', '--yes'])
    expect(stderr).toContain(`No record "${id}" in survival.`)
  })
})

describe('move', () => {
  test('names the ID and the missing flag if the new or the current gamemode is missing', async () => {
    const { stderr } = await fish(['move', 'ad0e9b0'])
    expect(stderr).toContain('fish-cli: The gamemode to move ad0e9b0 to is missing.\n  Add --gamemode GAMEMODE.')
    const nowhere = { FISH_GAMEMODE: '' }
    expect((await fish(['move', 'ad0e9b0', '-g', 'survival'], nowhere)).stderr).toContain(
      'fish-cli: The gamemode to move ad0e9b0 from is missing.\n  Add --from GAMEMODE.',
    )
    // The words may contain a secret.
    expect((await fish(['move', 'canary-password', 'ad0e9b0'])).stderr).not.toContain('canary')
    expect((await fish(['move', '--since', '1h'])).stderr).toContain('The gamemode to move records to is missing.')
  })

  test('names an ID that is too short to be the end of an ID', async () => {
    const { stderr } = await fish(['move', 'ad0e9b0', '-g', 'survival'])
    expect(stderr).toContain(
      'fish-cli: No record "ad0e9b0" in earth. The end of an ID has at least 8 characters.\n  See the ids',
    )
    expect((await fish(['remove', 'ad0e9b0', '--yes'])).stderr).toContain('at least 8 characters')
    expect((await fish(['move', 'ad0e9b01', '-g', 'survival'])).stderr).not.toContain('at least')
  })

  test('moves records to a different gamemode and back, and keeps the ids and times of the records', async () => {
    const id = await add('Cod')
    const [before] = await list()
    expect((await fish(['move', id, '--gamemode', 'earth'])).stderr).toContain(
      'Name the gamemode that contains the records',
    )
    expect(await json(['move', id, '--gamemode', 'survival', '--yes'])).toEqual({
      user: player,
      from: 'earth',
      to: 'survival',
      moved: [id],
      catches: 1,
    })
    expect([await names(), await list('survival')]).toEqual([[], [before]])
    const back = await fish(['move', id, '--from', 'survival', '--gamemode', 'earth', '--yes'])
    expect(back.stdout).toBe(
      `Moved 1 catch of ${player} from survival to earth.\nTo move them back: fish-cli move ${id} --from earth --gamemode survival\n`,
    )
    expect(await list()).toEqual([before])
  })
})

describe('undo', () => {
  test('removes all catches of a sent file, even if they are in several records', async () => {
    const file = join(folder, 'catches.csv')
    await writeFile(file, Array.from({ length: 501 }, (_, index) => `Cod ${index},1\n`).join(''))
    const koi = await add('Koi')
    expect((await fish(['add', '--file', file])).status).toBe(0)
    const undone = await json(['undo', '--yes'])
    expect([undone.removed.length, undone.catches]).toEqual([2, 501])
    expect(await names()).toEqual(['Koi'])
    expect((await readFile(undone.file, 'utf8')).trim().split('\n')).toHaveLength(501)
    await fish(['remove', koi, '--yes'])
    const { status, stderr } = await fish(['undo', '--yes'])
    expect([status, stderr]).toEqual([5, expect.stringMatching(/already moved or removed[\s\S]*No catches to undo/)])
  })

  test('removes the queued catches of a file immediately and without a password', async () => {
    const away = { FISH_URL: 'http://127.0.0.1:9', FISH_PASSWORD: '' }
    await fish(['add', '--file', '-', '-r', '1'], away, 'Salmon\n')
    await fish(['add', '--file', '-', '-r', '1'], away, 'Cod\nKoi\n')
    const status = async () => (await json(['outbox'], away)).waiting
    expect(await status()).toBe(3)
    expect(await json(['undo', '--yes'], away)).toMatchObject({ queued: true, catches: 2 })
    expect(await status()).toBe(1)
    // The first run has tried to send Salmon, so the service may have stored the catch.
    expect(await fish(['undo', '--yes'], away)).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('outbox --send'),
    })
    expect(await status()).toBe(1)
  })

  test('affects only the current player and service', async () => {
    await add('Cod')
    expect((await fish(['undo', '--yes'], { FISH_USER: 'Alex' })).status).toBe(5)
    expect((await fish(['undo', '--yes'], { FISH_URL: 'http://127.0.0.1:9' })).status).toBe(5)
    expect(await names()).toEqual(['Cod'])
  })
})

describe('an administrator', () => {
  const asAdmin = (argv: readonly string[], interrupted?: AbortSignal) =>
    run(argv, { env: { ...env, ...context.admin }, ...(interrupted ? { interrupted } : {}) })
  const adminJson = async (argv: readonly string[]) => {
    const { status, stdout, stderr } = await asAdmin([...argv, '--json'])
    expect([status, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  test('removes a catch of a hidden player', async () => {
    await add('Koi')
    await add('Cod')
    expect((await asAdmin(['user', 'suspend', player, '--hide'])).status).toBe(0)
    expect(await adminJson(['remove', '--user', player, '--name', 'koi', '--yes'])).toMatchObject({ catches: 1 })
    expect((await asAdmin(['user', 'unsuspend', player])).status).toBe(0)
    expect(await names()).toEqual(['Cod'])
  })

  test('removes all catches of a wrong file with one command', async () => {
    await add('Koi')
    const csv = Array.from({ length: 1001 }, (_, index) => `Cod ${index},1,2025-01-01T00:00:00Z`)
    const file = join(folder, 'wrong.csv')
    await writeFile(file, ['name,rarity,caughtAt', ...csv].join('\n'))
    expect((await fish(['add', '--file', file])).status).toBe(0)
    const caught = ['remove', '--user', player, '--since', '2025-01-01', '--until', '2025-01-02T12:00']
    expect((await asAdmin(caught)).status).toBe(2)
    expect(await adminJson([...caught, '--dry-run'])).toMatchObject({ catches: 1001, dryRun: true })
    const removed = await adminJson([...caught, '--yes'])
    expect([removed.removed.length, removed.catches]).toEqual([3, 1001])
    expect(await names()).toEqual(['Koi'])
    expect((await asAdmin([...caught, '--yes'])).status).toBe(5)
    expect((await fish(['add', '--file', removed.file])).status).toBe(0)
    expect(await names()).toHaveLength(1002)
  })

  test('removes only the matching catches of a record, and the whole record by its id', async () => {
    await fish(['add', 'Cod', 'Koi', '-r', 'gold', '--yes'])
    await add('cod')
    const { status, stdout, stderr } = await asAdmin(['remove', '--user', player, '--name', 'COD', '--yes'])
    expect([status, stdout.split('\n')[0]]).toEqual([0, `Removed 2 catches of ${player}, earth.`])
    expect(stderr).toMatch(/Cod · Gold {2}\([\da-f]{8}, entry 0\)/)
    expect(await names()).toEqual(['Koi'])
    await fish(['add', 'Cod', 'Salmon', '-r', 'gold', '--yes'])
    const [, { id }] = await list()
    expect(await adminJson(['remove', '--user', player, id.slice(-8), '--yes'])).toMatchObject({ catches: 2 })
    expect(await names()).toEqual(['Koi'])
  })

  test('moves catches to a different gamemode and back', async () => {
    const id = await add('Cod')
    const before = await list()
    const moved = await adminJson(['move', '--user', player, '--name', 'cod', '-g', 'survival', '--yes'])
    expect(moved).toEqual({ user: player, from: 'earth', to: 'survival', moved: [id], catches: 1 })
    expect([await names(), await list('survival')]).toEqual([[], before])
    const back = ['move', '--user', player, id, '--from', 'survival', '-g', 'earth', '--yes']
    expect((await asAdmin(back)).stdout).toContain('Moved 1 catch')
    expect(await list()).toEqual(before)
  })

  test('continues an interrupted removal when the command is repeated', async () => {
    for (let count = 0; count < 40; count += 1) await fish(['add', '--crab'])
    const stop = new AbortController()
    const range = ['remove', '--user', player, '--since', '1h', '--yes']
    const running = asAdmin(range, stop.signal)
    const left = async () => (await json(['list', 'crabs'])).crab.length
    await expect.poll(left, { interval: 1 }).toBeLessThan(40)
    stop.abort()
    const { status, stderr } = await running
    expect(status).toBe(130)
    const [, removed] =
      /Interrupted\. (\d+) of 40 catches removed\.\n {2}To continue, repeat the command\./.exec(stderr) ?? []
    // The service may have removed one record more than the command has reported.
    expect([39, 40]).toContain(Number(removed) + (await left()))
    expect((await asAdmin(range)).status).toBe(0)
    expect(await left()).toBe(0)
  })
})
