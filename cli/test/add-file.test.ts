import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { RARITIES } from '@fish-crab/sdk/constants'
import { beforeEach, describe, expect, test } from 'vitest'
import { readRecords } from '../src/commands/add/read-file.ts'
import type { FileRecord } from '../src/commands/add/records.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext } from './harness.ts'

async function records(extension: string, content: string, chunkSize = 1000): Promise<readonly FileRecord[]> {
  async function* text() {
    for (let at = 0; at < content.length; at += chunkSize) yield content.slice(at, at + chunkSize)
  }
  const source = { extension, size: content.length, hash: '', text, [Symbol.asyncDispose]: async () => {} }
  const found: FileRecord[] = []
  for await (const record of readRecords(source)) found.push(record)
  return found
}

const positions = async (extension: string, content: string) =>
  (await records(extension, content)).map((one) => ('fields' in one ? `${one.at} ${one.fields.name}` : one.problem))

describe('readRecords', () => {
  test.each([
    ['csv', '[]', ['Line 1 []']],
    ['tsv', 'Cod', ['Line 1 Cod']],
    ['txt', 'Cod,1', ['Line 1 Cod']],
    ['', ' [{"name":"Cod"}]', ['Catch 1 Cod']],
    ['', '{"name":"Cod"}\n{"name":"Koi"}', ['Line 1 Cod', 'Line 2 Koi']],
    ['', '{"name":"Cod"}\n', ['Catch 1 Cod']],
    ['', '{\n  "name": "Cod"\n}', ['Catch 1 Cod']],
    ['', '{"user":"Alex","fish":[{"name":"Cod"}]}\n', ['Catch 1 Cod']],
    ['ndjson', '{"name":"Cod"}', ['Line 1 Cod']],
  ])(
    'detects the format from a known extension, otherwise from the content: %j, %j',
    async (extension, content, expected) => {
      expect(await positions(extension, content)).toEqual(expected)
    },
  )

  test('yields the same records for chunks of any size', async () => {
    const csv = 'Kind,name,id,RARITY\r\nfish,"Koi, ""big""\nred",x,gold\r\n\r\ncrab,é,,\r\n'
    const json = '[\n  {"name": "a]},\\"", "x": [1, {}]},\n  {"name": "b"} , 3\n]\n'
    for (const size of [1, 2, 7, 1000]) {
      expect(await records('csv', csv, size)).toEqual([
        { at: 'Line 2', fields: { kind: 'fish', name: 'Koi, "big"\nred', id: 'x', rarity: 'gold' } },
        { at: 'Line 5', fields: { kind: 'crab', name: 'é', id: undefined, rarity: undefined } },
      ])
      expect(await records('json', json, size)).toEqual([
        { at: 'Catch 1', fields: { name: 'a]},"', x: [1, {}] } },
        { at: 'Catch 2', fields: { name: 'b' } },
        { at: 'Catch 3', problem: 'Must be a JSON object.' },
      ])
      expect(await records('jsonl', '{"name":"a"}\n\n{"name":"b"', size)).toEqual([
        { at: 'Line 1', fields: { name: 'a' } },
        { at: 'Line 3', problem: 'Invalid JSON.' },
      ])
    }
  })

  test.each([
    ['csv', 'Name,Caught At,Game Mode,Type\nCod,2026-01-01T00:00:00Z,earth,crab\n'],
    ['csv', 'name;caught_at;game_mode;type\nCod;2026-01-01T00:00:00Z;earth;crab\n'],
    ['csv', '"name";"timestamp";"gamemode";"kind"\n"Cod";2026-01-01T00:00:00Z;earth;crab\n'],
    ['jsonl', '{"fish":"Cod","caught_at":"2026-01-01T00:00:00Z","gameMode":"earth","type":"crab"}'],
  ])('accepts the field names of other programs in %s: %j', async (extension, text) => {
    const fields = { name: 'Cod', caughtAt: '2026-01-01T00:00:00Z', gamemode: 'earth', kind: 'crab' }
    expect(await records(extension, text)).toEqual([{ at: expect.any(String), fields }])
  })

  test('reads a CSV column with the header "fish" as the name of the catch', async () => {
    expect(await records('csv', 'fish;rarity\nCod;1\n')).toEqual([
      { at: 'Line 2', fields: { name: 'Cod', rarity: '1' } },
    ])
    expect(await records('csv', 'Cod,1,fish\n')).toMatchObject([{ fields: { name: 'Cod', kind: 'fish' } }])
  })

  test('splits CSV at commas if the first line has a comma outside quotes', async () => {
    expect(await records('csv', 'Cod;big,1\n')).toMatchObject([{ fields: { name: 'Cod;big', rarity: '1' } }])
    expect(await records('csv', '"Cod,big";1\n')).toMatchObject([{ fields: { name: 'Cod,big', rarity: '1' } }])
  })

  test.each([
    ['name,rarty\nCod,1\nKoi,2\n', '"rarty"'],
    ['species,rarity,when\nCod,1,2026-01-01\n', '"species", "when"'],
    ['Fisch;Seltenheit;Datum\nCod;1;2026-01-01\n', '"Fisch", "Seltenheit", "Datum"'],
    ['fish,quality,type\nCod,1,fish\n', '"quality"'],
  ])('reports unknown CSV columns as one problem that lists the known columns: %j', async (text, unknown) => {
    const problem = `The header has unknown columns: ${unknown}. Known columns: name, rarity, kind, gamemode, caughtAt; remove or rename the others.`
    expect(await records('csv', text)).toEqual([{ at: 'Line 1', problem }])
  })

  test.each(['Time,gold\n', 'Cod,bronz\n', 'Cod,bronz,fish\n', 'Cod,1,,earth\n'])(
    'reads the first line of CSV without a header as a catch, even if the line contains an invalid value: %j',
    async (text) => {
      expect(await records('csv', text)).toMatchObject([{ at: 'Line 1', fields: {} }])
    },
  )

  test.each([
    ['name,rarity\nCod , 1\n', ['Cod']],
    ['rarity,name\n3, Salmon\n', ['Salmon']],
    [' Cod ,1\n', ['Cod']],
    ['name , rarity\n" Cod ", 1\n Koi ,2\n', [' Cod ', 'Koi']],
    ['" Cod ",1\n', [' Cod ']],
    ['name,rarity\n"",1\n   ,1\n', [undefined, undefined]],
  ])('keeps spaces around a name in CSV only if the spaces are inside quotes: %j', async (text, names) => {
    const found = await records('csv', text)
    expect(found.map((one) => 'fields' in one && one.fields.name)).toEqual(names)
    expect(found.every((one) => 'fields' in one && one.fields.rarity !== ' 1')).toBe(true)
  })

  test('reports an unclosed quote in CSV as one problem', async () => {
    expect(await records('csv', 'a,"b\nc')).toEqual([{ at: 'Line 1', problem: expect.any(String) }])
  })
})

const context = serviceContext()
let folder: string
let env: Env

beforeEach(() => {
  folder = newFolder()
  env = { ...context.player, ...xdgFolders(folder) }
})

const addFile = (piped: string, ...flags: readonly string[]) =>
  run(['add', '--file', '-', '--json', ...flags], { env, piped })

describe('add --file', () => {
  test('reads CSV, JSON and JSON Lines, and applies the flags to all catches', async () => {
    expect(JSON.parse((await addFile('A', '-r', '1')).stdout)).toEqual({
      catches: 1,
      skipped: 0,
      sent: 1,
      rejected: 0,
      waiting: 0,
    })
    await addFile('[{"name":"B","rarity":"gold","caughtAt":"2026-01-01T00:00:00Z"},{"kind":"crab"}]')
    await addFile('{"fish":"C","rarity":3}\n{"name":"D","rarity":7,"gamemode":"survival"}\n')
    await addFile('Hermit crab\n', '--crab')
    const file = join(folder, 'more.csv')
    await writeFile(file, '\ufeffname,gamemode,rarity\nE,,2\n')
    expect((await run(['add', '--file', file], { env })).stdout).toBe(
      '1 catch in the file: 1 sent, 0 rejected, 0 waiting.\n',
    )
    const list = async (...argv: readonly string[]) =>
      JSON.parse((await run(['list', ...argv, '--json'], { env })).stdout)
    expect((await list('fish')).fish.map(({ name }: { name: string }) => name)).toEqual(['A', 'B', 'C', 'E'])
    expect((await list('fish', '-g', 'survival')).fish).toHaveLength(1)
    expect((await list('crabs')).crab).toHaveLength(2)
  })

  test('reports the problem in every invalid line, and adds nothing', async () => {
    const text = 'name,rarity,kind,caughtAt\nCod,1,,\nCod,9,,\n,1,,\nCod,1,whale,\nCod,1,,yesterday\nCod,,,\n'
    const { status, stdout } = await addFile(text)
    const { error } = JSON.parse(stdout)
    expect({ status, code: error.code }).toEqual({ status: 2, code: 'wrong_lines' })
    expect(error.message.match(/Line \d+/g)).toEqual(['Line 3', 'Line 4', 'Line 5', 'Line 6', 'Line 7'])
    const result = await run(['add', '--file', '-'], { env, piped: text })
    expect(result.stdout).toBe('')
    expect(result.stderr.match(/^fish-cli: Line \d+: /gm)).toHaveLength(5)
    expect(JSON.parse((await run(['outbox', '--json'], { env })).stdout).waiting).toBe(0)
  })

  test('rejects a crab with a rarity, and a duplicate column', async () => {
    const messageOf = async (text: string) => JSON.parse((await addFile(text)).stdout).error.message
    expect(await messageOf('Hermit,1,crab\nCod,1\n')).toMatch(/Line 1: rarity: A crab has no rarity\.$/)
    expect(await messageOf('name,rarity,Name\nCod,1,Koi\n')).toMatch(
      /Line 1: The header contains the column name twice\.$/,
    )
    expect((await addFile('name,,\nHermit,x,y\n', '--crab')).status).toBe(0)
  })

  const timesOf = async () => {
    const { stdout } = await run(['list', 'fish', '--json', '--detail'], { env })
    return JSON.parse(stdout).fish.map(({ caughtAt }: { caughtAt: string }) => caughtAt)
  }

  test('converts local times with --timezone, in summer and winter, and accepts Unix times and offsets', async () => {
    const created = await run(['user', 'create', 'Timely', '--json'], { env: context.admin })
    const { name, fernetKey } = JSON.parse(created.stdout)
    env = { ...env, FISH_USER: name, FISH_KEY: fernetKey }
    const rows = ['2026-07-01 10:00', '2026-11-01T10:00:30', '2026-11-01', '1767225600', '1767225600123']
    const zoned = ['2026-11-01 10:00:00+03:00', '2026-11-01T10:00:00Z']
    const text = `name,rarity,timestamp\n${[...rows, ...zoned].map((time) => `Cod,1,${time}\n`).join('')}`
    expect((await addFile(text, '--timezone', 'Europe/Berlin')).status).toBe(0)
    expect(await timesOf()).toEqual([
      '2026-07-01T08:00:00.000Z',
      '2026-11-01T09:00:30.000Z',
      '2026-10-31T23:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.123Z',
      '2026-11-01T07:00:00.000Z',
      '2026-11-01T10:00:00.000Z',
    ])
  })

  test('rejects local times without --timezone, and unknown time zones', async () => {
    const text = 'name,rarity,caughtAt\nCod,1,2026-11-01 10:00\n'
    expect(JSON.parse((await addFile(text)).stdout).error.message).toMatch(
      /Line 2: caughtAt: No time zone; to set it for all catches, add --timezone, such as --timezone Europe\/Berlin\.$/,
    )
    const wrong = await addFile(text, '--timezone', 'Middle/Earth')
    expect({ status: wrong.status, code: JSON.parse(wrong.stdout).error.code }).toEqual({ status: 2, code: 'usage' })
  })

  test('rejects nonexistent dates, with and without a time zone', async () => {
    const times = ['2026-02-29T10:00:00Z', '2026-02-31 10:00', '2026-06-31 24:00', '2026-02-30']
    const text = `name,rarity,caughtAt\n${times.map((time) => `Cod,1,${time}\n`).join('')}`
    const { status, stdout } = await addFile(text, '--timezone', 'Europe/Berlin')
    const { message } = JSON.parse(stdout).error
    expect({ status, lines: message.match(/Line \d+: caughtAt: Must be .*? existing date/g) }).toEqual({
      status: 2,
      lines: [2, 3, 4, 5].map((line) => expect.stringContaining(`Line ${line}: `)),
    })
    const zoned = await addFile('name,rarity,caughtAt\nCod,1,2026-02-29T10:00:00Z\n')
    expect({ status: zoned.status, code: JSON.parse(zoned.stdout).error.code }).toEqual({
      status: 2,
      code: 'wrong_lines',
    })
    expect((await addFile('name,rarity,caughtAt\nCod,1,2028-02-29\n', '--timezone', 'Asia/Tokyo')).status).toBe(0)
  })

  test('prints each invalid value and the allowed values', async () => {
    const text = 'name,rarity,kind,caughtAt\nCod,bronz,,\nCod,1,whale,\nCod,1,,yesterday\n'
    const { stderr } = await run(['add', '--file', '-'], { env, piped: text })
    const rarities = RARITIES.map(({ value, label }) => `${value} ${label}`).join(', ')
    expect(stderr).toContain(`Line 2: rarity: Must be one of ${rarities}, not "bronz".\n`)
    expect(stderr).toContain('Line 3: kind: Must be fish or crab, not "whale".\n')
    expect(stderr).toMatch(/Line 4: caughtAt: Must be .*, not "yesterday"\.\n/)
  })

  test('rejects a file that is empty, missing or not UTF-8', async () => {
    expect((await addFile('')).status).toBe(2)
    expect((await addFile('name,rarity\n')).status).toBe(2)
    expect((await run(['add', 'Cod', '--file', '-'], { env, piped: 'Cod,1' })).status).toBe(2)
    const file = join(folder, 'broken.csv')
    await writeFile(file, Buffer.from([0x43, 0xff, 0x2c, 0x31]))
    expect((await run(['add', '--file', file], { env })).stderr).toContain('UTF-8')
    expect((await run(['add', '--file', join(folder, 'none')], { env })).status).toBe(5)
  })

  test('rejects a missing or malformed key', async () => {
    for (const [FISH_KEY, status, code] of [
      ['', 4, 'missing_credentials'],
      ['canary', 4, 'invalid_key'],
    ] as const) {
      const result = await run(['add', '--file', '-', '--json'], { env: { ...env, FISH_KEY }, piped: 'Cod,1' })
      expect({ status: result.status, code: JSON.parse(result.stdout).error.code }).toEqual({ status, code })
    }
  })

  test('suggests --gamemode for catches without a gamemode', async () => {
    const { FISH_GAMEMODE: _, ...placeless } = env
    const { stdout } = await run(['add', '--file', '-', '--json'], { env: placeless, piped: 'Cod,1' })
    expect(JSON.parse(stdout).error.message).toContain(
      'Line 1: gamemode: Missing; to set it for all catches, add --gamemode.',
    )
  })

  test('skips and counts catches whose record ids are already stored, from JSON and from CSV', async () => {
    const mine = (...args: readonly string[]) => run([...args, '-g', 'factions'], { env })
    await addFile('Cod,1\nKoi,2', '-g', 'factions')
    await addFile('[{"kind":"crab"}]', '-g', 'factions')
    const before = JSON.parse((await mine('list', '--json')).stdout)
    for (const flags of [
      ['--json', '--detail'],
      ['--csv', '--detail'],
    ]) {
      const { stdout: printed } = await mine('list', ...flags)
      const added = JSON.parse((await addFile(printed, '-g', 'factions')).stdout)
      expect(added).toMatchObject({ sent: 0, skipped: added.catches })
      expect(added.catches).toBeGreaterThan(1)
      expect(JSON.parse((await mine('list', '--json')).stdout)).toEqual(before)
    }
    const { stdout: printed } = await mine('list', '--json', '--detail')
    const [first] = JSON.parse(printed).fish
    const mixed = JSON.stringify([first, { name: 'Eel', rarity: 1, id: crypto.randomUUID() }])
    expect(JSON.parse((await addFile(mixed, '-g', 'factions')).stdout)).toMatchObject({ sent: 1, skipped: 1 })
    expect(JSON.parse((await addFile(mixed, '-g', 'factions', '--again')).stdout)).toMatchObject({
      sent: 2,
      skipped: 0,
    })
  })

  test('if the service is unreachable, suggests --again, which skips the check for stored ids', async () => {
    const offline: Env = { ...env, FISH_URL: 'http://127.0.0.1:1' }
    const piped = JSON.stringify([{ name: 'Cod', rarity: 1, id: crypto.randomUUID() }])
    const add = async (...more: readonly string[]) => {
      const { status, stdout } = await run(['add', '--file', '-', '--json', ...more], { env: offline, piped })
      return { status, error: JSON.parse(stdout).error }
    }
    expect(await add()).toMatchObject({
      status: 69,
      error: { hint: expect.stringContaining('To add the catches without this check, add --again.') },
    })
    expect((await add('--again')).error.message).toContain('1 catch is waiting in the outbox.')
  })

  test('reports malformed JSON once, with its line and column', async () => {
    const { status, stdout } = await addFile('[\n  {"name":"Cod","rarity":1}\n  {"name":"Koi"}\n]')
    const { code, message } = JSON.parse(stdout).error
    expect({ status, code }).toEqual({ status: 2, code: 'wrong_lines' })
    expect(message).toMatch(/^The file is not valid JSON; nothing was changed\. .*\(line 3 column 3\)$/)
  })

  test('reports the number of an invalid catch in JSON', async () => {
    const { stdout } = await addFile('[{"name":"Cod","rarity":1},{"name":"Koi","rarity":9}]')
    expect(JSON.parse(stdout).error.message).toMatch(
      /^The file has 1 mistake; nothing was changed\. Catch 2: rarity: Must be one of /,
    )
  })

  test('rejects JSON above 64 MiB, and names the formats for larger files', async () => {
    const file = join(folder, 'large.json')
    await writeFile(file, Buffer.alloc(64 * 1024 * 1024 + 1, ' '))
    const { status, stderr } = await run(['add', '--file', file], { env })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/64 MiB.*[\s\S]*JSON Lines or CSV/) })
  })

  test('sends each of 5,000 catches once at 25 requests per 300 s, and shows progress', async () => {
    const start = Date.parse('2026-01-01T00:00:00Z')
    await using mock = await createMock({ startAt: start, seed: { users: [{ name: 'Alex' }] } })
    await using served = await mock.serve({ port: 0 })
    const { fernetKey } = mock.user('Alex')
    const file = join(folder, 'many.csv')
    const names = Array.from({ length: 5_000 }, (_, index) => `Fish ${index}`)
    const gamemodes = ['earth', 'survival', 'oneblock', 'factions']
    // The gamemodes alternate, so that catches have to be grouped into batches by gamemode.
    await writeFile(file, names.map((name, index) => `${name},1,fish,${gamemodes[index % 4]}\n`).join(''))
    // Sixteen requests of the limit are already used, as if a second person with the same IP address had sent them.
    for (let used = 0; used < 16; used += 1) await fetch(`${served.url}/get/fish?name=Alex&gamemode=earth`)
    const clock = {
      now: () => mock.clock.now(),
      async sleep(ms: number, signal?: AbortSignal) {
        signal?.throwIfAborted()
        await mock.clock.advance(ms)
      },
    }
    const { status, stdout, stderr } = await run(['add', '--file', file, '--json'], {
      env: { ...env, FISH_URL: served.url, FISH_KEY: fernetKey, FISH_MAX_WAIT: '600' },
      clock,
    })
    expect({ status, document: JSON.parse(stdout) }).toEqual({
      status: 0,
      document: { catches: 5_000, skipped: 0, sent: 5_000, rejected: 0, waiting: 0 },
    })
    const stored = mock.sent.fish().map(({ name }) => name)
    expect(stored).toHaveLength(5_000)
    expect(new Set(stored)).toEqual(new Set(names))
    expect(clock.now() - start).toBeGreaterThanOrEqual(250_000)
    expect(stderr).toMatch(/Rate limited. Retrying in \d+:\d\d/)
    expect(stderr).toMatch(/\d+ of 5000 catches/)
  })
})
