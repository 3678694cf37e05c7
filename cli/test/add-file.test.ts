import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMock } from '@fish-crab/mocks'
import { RARITIES } from '@fish-crab/sdk/constants'
import { beforeEach, describe, expect, test } from 'vitest'
import { detectFormat, readRecords } from '../src/import/reader.ts'
import type { FileRecord } from '../src/import/records.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext } from './harness.ts'

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

async function records(extension: string, text: string, size = 3): Promise<readonly FileRecord[]> {
  const found: FileRecord[] = []
  for await (const record of readRecords(extension, pieces(text, size))) found.push(record)
  return found
}

describe('a file of catches', () => {
  test.each([
    ['csv', '[]', 'csv'],
    ['', ' [{"name":"Cod"}]', 'json'],
    ['', '{"name":"Cod"}\n{"name":"Koi"}', 'jsonl'],
    ['', '{\n  "name": "Cod"\n}', 'json'],
    ['', '{"user":"Alex","fish":[{"name":"Cod"}]}', 'json'],
    ['', '{"fish":"Cod","rarity":1}', 'jsonl'],
    ['txt', 'Cod,1', 'csv'],
    ['txt', 'Cod\t1\nKoi, big\t1', 'tsv'],
    ['', 'name,\trarity', 'csv'],
    ['tsv', 'Cod', 'tsv'],
    ['ndjson', '', 'jsonl'],
  ])('with the ending %j and the beginning %j is %s', (extension, beginning, format) => {
    expect(detectFormat(extension, beginning)).toBe(format)
  })

  test('is read the same in whatever pieces it comes', async () => {
    const csv = 'Kind,name,id,RARITY\r\nfish,"Koi, ""big""\nred",x,gold\r\n\r\ncrab,é,,\r\n'
    const expected = [
      { line: 2, fields: { kind: 'fish', name: 'Koi, "big"\nred', id: 'x', rarity: 'gold' } },
      { line: 5, fields: { kind: 'crab', name: 'é', id: undefined, rarity: undefined } },
    ]
    for (const size of [1, 2, 7, 1000]) expect(await records('csv', csv, size)).toEqual(expected)
    const json = '[\n  {"name": "a]},\\"", "x": [1, {}]},\n  {"name": "b"} , 3\n]\n'
    const read = [
      { line: 2, fields: { name: 'a]},"', x: [1, {}] } },
      { line: 3, fields: { name: 'b' } },
      { line: 3, problem: expect.any(String) },
    ]
    for (const size of [1, 2, 7, 1000]) expect(await records('json', json, size)).toEqual(read)
    for (const size of [1, 5, 1000]) {
      expect(await records('jsonl', '{"name":"a"}\n\n{"name":"b"', size)).toEqual([
        { line: 1, fields: { name: 'a' } },
        { line: 3, problem: 'Invalid JSON.' },
      ])
    }
  })

  test.each([
    ['[{"name":"a"},]', 1],
    ['[,{"name":"a"}]', 1],
    ['[{"name":"a"},\n,{"name":"b"}]', 1],
    ['[,]', 2],
    ['{"fish":[{"name":"a"},],"crab":[{"name":"b"}]}', 1],
  ])('of JSON has a wrong line where an element is missing: %j', async (text, wrong) => {
    for (const size of [1, 1000]) {
      const problems = (await records('json', text, size)).filter((one) => 'problem' in one)
      expect(problems.map(({ problem }) => problem)).toEqual(Array.from({ length: wrong }, () => 'Invalid JSON.'))
    }
  })

  test.each([
    ['csv', 'Name,Caught At,Game Mode,Type\nCod,2026-01-01T00:00:00Z,earth,crab\n'],
    ['csv', 'name;caught_at;game_mode;type\nCod;2026-01-01T00:00:00Z;earth;crab\n'],
    ['csv', '"name";"timestamp";"gamemode";"kind"\n"Cod";2026-01-01T00:00:00Z;earth;crab\n'],
    ['tsv', 'NAME\tTIMESTAMP\tGAMEMODE\tTYPE\nCod\t2026-01-01T00:00:00Z\tearth\tcrab\n'],
    ['jsonl', '{"fish":"Cod","caught_at":"2026-01-01T00:00:00Z","gameMode":"earth","type":"crab"}'],
  ])('of %s knows its fields by the names that other programs give them: %j', async (extension, text) => {
    const fields = { name: 'Cod', caughtAt: '2026-01-01T00:00:00Z', gamemode: 'earth', kind: 'crab' }
    expect(await records(extension, text)).toEqual([{ line: expect.any(Number), fields }])
  })

  test('of CSV is titled by fish and rarity too, as the fields of the service are called', async () => {
    expect(await records('csv', 'fish;rarity\nCod;1\n')).toEqual([{ line: 2, fields: { name: 'Cod', rarity: '1' } }])
    expect(await records('csv', 'Cod,1,fish\n')).toMatchObject([{ line: 1, fields: { name: 'Cod', kind: 'fish' } }])
  })

  test('of CSV with a comma in its first line has commas between its columns', async () => {
    expect(await records('csv', 'Cod;big,1\n')).toEqual([{ line: 1, fields: { name: 'Cod;big', rarity: '1' } }])
    expect(await records('csv', '"Cod,big";1\n')).toEqual([{ line: 1, fields: { name: 'Cod,big', rarity: '1' } }])
  })

  test('with a column that nobody knows is refused as a whole, and says which there are', async () => {
    expect(await records('csv', 'name,rarty\nCod,1\nKoi,2\n')).toEqual([
      {
        line: 1,
        problem: expect.stringMatching(
          /^The header has unknown columns: "rarty"\. .*name, rarity, kind, gamemode, caughtAt/,
        ),
      },
    ])
  })

  test.each([
    ['species,rarity,when\nCod,1,2026-01-01\n', '"species", "when"'],
    ['Fisch;Seltenheit;Datum\nCod;1;2026-01-01\n', '"Fisch", "Seltenheit", "Datum"'],
    ['fish,quality,type\nCod,1,fish\n', '"quality"'],
  ])('of CSV whose header names no name is refused for the header, not for its rows: %j', async (text, unknown) => {
    const problem = `The header has unknown columns: ${unknown}. Known columns: name, rarity, kind, gamemode, caughtAt; remove or rename the others.`
    expect(await records('csv', text)).toEqual([{ line: 1, problem }])
  })

  test.each(['Time,gold\n', 'Cod,bronz\n', 'Cod,bronz,fish\n', 'Cod,1,,earth\n'])(
    'of CSV without a header starts with a catch, even with a wrong value: %j',
    async (text) => {
      expect(await records('csv', text)).toMatchObject([{ line: 1, fields: {} }])
    },
  )

  const namesIn = async (extension: string, text: string) =>
    (await records(extension, text)).map((one) => ('fields' in one ? one.fields.name : one.problem))

  test.each([
    ['name,rarity\nCod , 1\n', ['Cod']],
    ['rarity,name\n3, Salmon\n', ['Salmon']],
    [' Cod ,1\n', ['Cod']],
    ['name , rarity\n" Cod ", 1\n Koi ,2\n', [' Cod ', 'Koi']],
    ['" Cod ",1\n', [' Cod ']],
    ['name,rarity\n"",1\n   ,1\n', [undefined, undefined]],
  ])('of CSV has outer space of a name only where it is in quotes: %j', async (text, names) => {
    expect(await namesIn('csv', text)).toEqual(names)
    expect((await records('csv', text)).every((one) => 'fields' in one && one.fields.rarity !== ' 1')).toBe(true)
  })

  test('of TSV has all space of a name below titles, and none around it without them', async () => {
    expect(await namesIn('tsv', 'name\trarity \n Cod \t 1\n')).toEqual([' Cod '])
    expect(await namesIn('tsv', ' Cod \t 1\n')).toEqual(['Cod'])
    expect(await records('tsv', 'name\trarity\n Cod \t 1\n')).toMatchObject([{ fields: { rarity: '1' } }])
  })

  test('that ends too early or goes on behind its end has a wrong line', async () => {
    for (const text of ['[{"name":"a"}', '[{"name":"a"', '[]x', 'x', '["a']) {
      expect((await records('json', text)).at(-1)).toHaveProperty('problem')
    }
    for (const size of [1, 1000]) {
      expect(await records('json', '{"name":"a"}\n\n{"name":"b"}\n[', size)).toEqual([
        { line: 1, fields: { name: 'a' } },
        { line: 3, problem: 'Unexpected text after the end of the JSON.' },
      ])
    }
    expect(await records('csv', 'a,"b\nc')).toEqual([{ line: 1, problem: expect.any(String) }])
    expect(await records('json', ' [ ] ')).toEqual([])
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
  test('takes CSV, JSON and JSON Lines, with what flags say for all', async () => {
    expect(JSON.parse((await addFile('A', '-r', '1')).stdout)).toEqual({
      catches: 1,
      sent: 1,
      skipped: 0,
      deadLetters: 0,
      left: 0,
    })
    await addFile('[{"name":"B","rarity":"gold","caughtAt":"2026-01-01T00:00:00Z"},{"kind":"crab"}]')
    await addFile('{"fish":"C","rarity":3}\n{"name":"D","rarity":7,"gamemode":"survival"}\n')
    await addFile('Hermit crab\n', '--crab')
    const file = join(folder, 'more.csv')
    await writeFile(file, '\ufeffname,gamemode,rarity\nE,,2\n')
    expect((await run(['add', '--file', file], { env })).stdout).toBe(
      '1 catch imported: 1 sent, 0 in dead letters, 0 left.\n',
    )
    const list = async (...argv: readonly string[]) =>
      JSON.parse((await run(['list', ...argv, '--json'], { env })).stdout)
    expect((await list('fish')).fish.map(({ name }: { name: string }) => name)).toEqual(['A', 'B', 'C', 'E'])
    expect((await list('fish', '-g', 'survival')).fish).toHaveLength(1)
    expect((await list('crabs')).crab).toHaveLength(2)
  })

  test('says of every wrong line what is wrong, and changes nothing', async () => {
    const text = 'name,rarity,kind,caughtAt\nCod,1,,\nCod,9,,\n,1,,\nCod,1,whale,\nCod,1,,yesterday\nCod,,,\n'
    const { status, stdout } = await addFile(text)
    const { error } = JSON.parse(stdout)
    expect({ status, code: error.code }).toEqual({ status: 2, code: 'wrong_lines' })
    expect(error.message.match(/Line \d+/g)).toEqual(['Line 3', 'Line 4', 'Line 5', 'Line 6', 'Line 7'])
    const result = await run(['add', '--file', '-'], { env, piped: text })
    expect(result.stdout).toBe('')
    expect(result.stderr.match(/^fish-cli: line \d+: /gm)).toHaveLength(5)
    expect(JSON.parse((await run(['outbox', 'status', '--json'], { env })).stdout).queued).toBe(0)
  })

  test('has a wrong line for a crab with a rarity, and for a title that comes twice', async () => {
    const messageOf = async (text: string) => JSON.parse((await addFile(text)).stdout).error.message
    expect(await messageOf('Hermit,1,crab\nCod,1\n')).toMatch(/Line 1: rarity: A crab has no rarity\.$/)
    expect(await messageOf('name,rarity,Name\nCod,1,Koi\n')).toMatch(/Line 1: Names the column name twice\.$/)
    expect((await addFile('name,,\nHermit,x,y\n', '--crab')).status).toBe(0)
  })

  const timesOf = async () => {
    const { stdout } = await run(['list', 'fish', '--json', '--detail'], { env })
    return JSON.parse(stdout).fish.map(({ caughtAt }: { caughtAt: string }) => caughtAt)
  }

  test('takes local times with --timezone, summer and winter, and unix times without', async () => {
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

  test('refuses local times without --timezone, and time zones that there are not', async () => {
    const text = 'name,rarity,caughtAt\nCod,1,2026-11-01 10:00\n'
    expect(JSON.parse((await addFile(text)).stdout).error.message).toMatch(
      /Line 2: caughtAt: No time zone; set one for all with --timezone, such as --timezone Europe\/Berlin\.$/,
    )
    const wrong = await addFile(text, '--timezone', 'Middle/Earth')
    expect({ status: wrong.status, code: JSON.parse(wrong.stdout).error.code }).toEqual({ status: 2, code: 'usage' })
  })

  test('refuses dates that do not exist, with a zone and without', async () => {
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

  test('names wrong values and those that are allowed', async () => {
    const text = 'name,rarity,kind,caughtAt\nCod,bronz,,\nCod,1,whale,\nCod,1,,yesterday\n'
    const { stderr } = await run(['add', '--file', '-'], { env, piped: text })
    const rarities = RARITIES.map(({ value, label }) => `${value} ${label}`).join(', ')
    expect(stderr).toContain(`line 2: rarity: Must be one of ${rarities}, not "bronz".\n`)
    expect(stderr).toContain('line 3: kind: Must be fish or crab, not "whale".\n')
    expect(stderr).toMatch(/line 4: caughtAt: Must be .*, not "yesterday"\.\n/)
  })

  test('refuses what is empty, is no text, or is not there', async () => {
    expect((await addFile('')).status).toBe(2)
    expect((await addFile('name,rarity\n')).status).toBe(2)
    expect((await run(['add', 'Cod', '--file', '-'], { env, piped: 'Cod,1' })).status).toBe(2)
    const file = join(folder, 'broken.csv')
    await writeFile(file, Buffer.from([0x43, 0xff, 0x2c, 0x31]))
    expect((await run(['add', '--file', file], { env })).stderr).toContain('UTF-8')
    expect((await run(['add', '--file', join(folder, 'none')], { env })).status).toBe(5)
  })

  test('needs a key that can be one', async () => {
    for (const [FISH_KEY, status, code] of [
      ['', 4, 'missing_credentials'],
      ['canary', 4, 'invalid_key'],
    ] as const) {
      const result = await run(['add', '--file', '-', '--json'], { env: { ...env, FISH_KEY }, piped: 'Cod,1' })
      expect({ status: result.status, code: JSON.parse(result.stdout).error.code }).toEqual({ status, code })
    }
  })

  test('says of a catch without a gamemode what to type', async () => {
    const { FISH_GAMEMODE: _, ...placeless } = env
    const { stdout } = await run(['add', '--file', '-', '--json'], { env: placeless, piped: 'Cod,1' })
    expect(JSON.parse(stdout).error.message).toContain('Line 1: gamemode: Missing; set one for all with --gamemode.')
  })

  test('skips and counts catches whose records the collection has, in JSON and in CSV', async () => {
    const mine = (...args: readonly string[]) => run([...args, '-g', 'factions'], { env })
    await addFile('Cod,1\nKoi,2', '-g', 'factions')
    await addFile('[{"kind":"crab"}]', '-g', 'factions')
    const before = JSON.parse((await mine('list', '--json')).stdout)
    for (const flags of [
      ['--json', '--detail'],
      ['--output', 'csv', '--detail'],
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

  test('reports an unreachable service after a repeated file, and that --again queues the catches', async () => {
    const offline: Env = { ...env, FISH_URL: 'http://127.0.0.1:1' }
    const path = join(folder, 'ids.json')
    await writeFile(path, JSON.stringify([{ name: 'Cod', rarity: 1, id: crypto.randomUUID() }]))
    const add = (more: readonly string[], on = offline) => run(['add', '--file', path, '--json', ...more], { env: on })
    const refused = await add([])
    expect(refused.status).toBe(69)
    expect(JSON.parse(refused.stdout).error.hint).toContain('To queue the catches without this check, add --again.')
    await using mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
    const online = async () => {
      await using served = await mock.serve({ port: 0 })
      const at = { ...env, FISH_URL: served.url, FISH_KEY: mock.user('Alex').fernetKey }
      return { at, first: await add([], at) }
    }
    const { at, first } = await online()
    expect(first.status).toBe(0)
    expect(JSON.parse((await add([], at)).stdout).error.code).toBe('already_added')
    expect(JSON.parse((await add(['--again'])).stdout).error.message).toContain('1 catch is queued on this machine.')
  })

  test('brings 5,000 catches through a limit of 25 requests in 300 s: none lost, none doubled, with progress', async () => {
    const start = Date.parse('2026-01-01T00:00:00Z')
    await using mock = await createMock({ startAt: start, seed: { users: [{ name: 'Alex' }] } })
    await using served = await mock.serve({ port: 0 })
    const { fernetKey } = mock.user('Alex')
    const file = join(folder, 'many.csv')
    const names = Array.from({ length: 5_000 }, (_, index) => `Fish ${index}`)
    const gamemodes = ['earth', 'survival', 'oneblock', 'factions']
    // Mixed, so that every batch has to be sorted out.
    await writeFile(file, names.map((name, index) => `${name},1,fish,${gamemodes[index % 4]}\n`).join(''))
    // Sixteen requests are gone already: others of the house used them.
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
      document: { catches: 5_000, sent: 5_000, skipped: 0, deadLetters: 0, left: 0 },
    })
    const stored = mock.sent.fish().map(({ name }) => name)
    expect(stored).toHaveLength(5_000)
    expect(new Set(stored)).toEqual(new Set(names))
    expect(clock.now() - start).toBeGreaterThanOrEqual(250_000)
    expect(stderr).toMatch(/Rate limited. Retrying in \d+:\d\d/)
    expect(stderr).toMatch(/\d+ of 5000 catches/)
  })
})
