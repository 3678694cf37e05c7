import { mkdirSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { serviceContext } from './harness.ts'
import { shell, startFish } from './stdin-processes.ts'

const ADD = ['add', '--file', '-', '--json']
const POSIX = process.platform === 'win32' ? ' (skipped: needs a POSIX shell)' : ''

const context = serviceContext()
let folder: string

beforeEach(() => {
  folder = newFolder()
})

const environment = () => ({ ...context.player, ...xdgFolders(folder) })

describe('add --file - reads stdin', () => {
  const rows = 'name,rarity\r\nKöi 鯉,gold\r\n"🐟, big",3\r\nCod,1'
  const names = ['Köi 鯉', '🐟, big', 'Cod']

  test.each([
    ['as one piece', (bytes: Buffer) => [bytes], 'earth'],
    ['byte by byte, which splits characters', (bytes: Buffer) => [...bytes].map((byte) => Buffer.of(byte)), 'survival'],
    ['with a byte order mark', (bytes: Buffer) => [Buffer.from('\ufeff'), bytes], 'oneblock'],
  ] as const)('%s, with CRLF and without a final line break', async (_title, cut, gamemode) => {
    const { child, ended } = startFish(ADD, {
      ...environment(),
      FISH_GAMEMODE: gamemode,
    })
    for (const piece of cut(Buffer.from(rows))) {
      child.stdin.write(piece)
      await setImmediate()
    }
    child.stdin.end()
    expect(await ended).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('"sent": 3') })
    const listed = startFish(['list', '-g', gamemode, '--json'], environment())
    const { fish } = JSON.parse((await listed.ended).stdout) as { fish: { name: string }[] }
    expect(fish.map(({ name }) => name)).toEqual(names)
  })

  test.each([
    ['one byte', 'x', 2, 'rarity'],
    ['nothing', '', 2, 'contains no catches'],
    ['only a byte order mark', '\ufeff', 2, 'contains no catches'],
    ['only line breaks', '\r\n\n\r\n', 2, 'contains no catches'],
    ['an incomplete character at the end', Buffer.from('Koi,1\n鯉').subarray(0, -1), 2, 'UTF-8'],
    ['UTF-16', Buffer.from('\ufeffCod,1\n', 'utf16le'), 2, 'UTF-8'],
    ['JSON on one line', '[{"name":"A","rarity":1},{"kind":"crab"}]', 0, '"catches": 2'],
    ['JSON Lines without a final line break', '{"name":"A","rarity":1}\n{"kind":"crab"}', 0, '"catches": 2'],
    ['a line that is longer than any catch', 'x'.repeat(2_000_000), 2, 'Line 1 is too long'],
    ['JSON with a line that is too long', `[\n{"name":"${'x'.repeat(2_000_000)}`, 2, 'not valid JSON'],
    ['a catch after 300,000 empty lines', `${'\n'.repeat(300_000)}Cod,9`, 2, 'Line 300001: '],
  ])('that contains %s', async (_title, content, status, said) => {
    const { child, ended } = startFish(ADD, environment())
    child.stdin.end(content)
    const { stdout, ...rest } = await ended
    expect({ ...rest, said: stdout }).toEqual({ status, stderr: '', said: expect.stringContaining(said) })
    expect(() => JSON.parse(stdout)).not.toThrow()
  })

  test('and lists only the first 20 invalid lines', async () => {
    const { child, ended } = startFish(['add', '--file', '-'], environment())
    child.stdin.end('Cod,9\n'.repeat(5000))
    const { status, stderr } = await ended
    expect({ status, lines: stderr.match(/^fish-cli: Line \d+: /gm)?.length }).toEqual({ status: 2, lines: 20 })
    expect(stderr).toContain('The file has 5000 mistakes, of which the first 20 are shown; nothing was changed.')
  })
})

describe.skipIf(POSIX !== '')(`stdin without an ordinary pipe${POSIX}`, () => {
  const FILE = 'add --file - --user Alex --gamemode earth'
  const LOGIN = 'login Alex --password-stdin --no-input'

  test.each([
    ['closed', `fish ${FILE} <&-`, 2, 'contains no catches'],
    ['/dev/null', `fish ${FILE} </dev/null`, 2, 'contains no catches'],
    ['a folder', `fish ${FILE} </`, 2, 'fish-cli: '],
    ['closed, but a password is needed', `fish ${LOGIN} <&-`, 4, 'stdin is empty'],
    ['/dev/null, but a password is needed', `fish ${LOGIN} </dev/null`, 4, 'stdin is empty'],
    ['a folder, but a password is needed', `fish ${LOGIN} </`, 4, 'fish-cli: '],
    ['/dev/null, but a confirmation is needed', 'fish user delete Alex </dev/null', 2, 'add --yes.'],
    ['closed, but a confirmation is needed', 'fish user delete Alex <&-', 2, 'add --yes.'],
  ])('causes a clear error if stdin is %s', async (_title, line, status, said) => {
    const { stdout, ...ended } = await shell(line, environment())
    expect({ stdout, ...ended }).toEqual({ status, stdout: '', stderr: expect.stringContaining(said) })
  })

  test.each([
    ['a file', 'printf "Cod,1\\nEel,2" >"$DIR/some"; fish add --file - -u Alex -g earth <"$DIR/some"'],
    [
      'a named pipe',
      'mkfifo "$DIR/pipe"; (printf "Cod,1\\n"; printf "Eel,2") >"$DIR/pipe" & fish add --file - -u Alex -g earth <"$DIR/pipe"',
    ],
    [
      'a named pipe in --file',
      'mkfifo "$DIR/two"; (printf "Cod,1\\n"; printf "Eel,2") >"$DIR/two" & fish add --file "$DIR/two" -u Alex -g earth',
    ],
    ['a here document', 'fish add --file - -u Alex -g earth <<END\nCod,1\nEel,2\nEND'],
    ['/dev/stdin in --file', 'printf "Cod,1\\nEel,2" | fish add --file /dev/stdin -u Alex -g earth'],
  ])('is read from %s', async (_title, line) => {
    expect(await shell(line, { DIR: folder, ...environment() })).toEqual({
      status: 0,
      stdout: '2 catches in the file: 2 sent, 0 rejected, 0 waiting.\n',
      stderr: '',
    })
  })

  test('does not block Ctrl-C while a named pipe has no writer', async () => {
    const pipe = join(folder, 'silent')
    const temporary = join(folder, 'temporary')
    mkdirSync(temporary)
    await shell(`mkfifo "${pipe}"`)
    // The program creates and unlinks a temporary file in this folder, and then waits for the writer.
    const waits = new Promise<void>((resolve) => {
      const watcher = watch(temporary, () => {
        if (readdirSync(temporary).length > 0) return
        watcher.close()
        resolve()
      })
    })
    const argv = ['add', '--file', pipe, '--user', 'Alex', '--gamemode', 'earth']
    const { child, ended } = startFish(argv, { TMPDIR: temporary })
    await waits
    child.kill('SIGINT')
    expect(await ended).toEqual({ status: 130, stdout: '', stderr: 'fish-cli: Interrupted.\n' })
  })
})

describe('a password on stdin', () => {
  const login = () =>
    startFish(['login', 'Alex', '--password-stdin', '--no-input', '--json'], {
      ...environment(),
      FISH_PASSWORD: undefined,
    })

  test.each([
    ['without a line break', ''],
    ['with a line break', '\n'],
    ['with CRLF', '\r\n'],
  ])('is read %s, byte by byte', async (_title, end) => {
    const { child, ended } = login()
    for (const byte of Buffer.from(`${context.alex.password}${end}`)) {
      child.stdin.write(Buffer.of(byte))
      await setImmediate()
    }
    child.stdin.end()
    expect(await ended).toMatchObject({ status: 0, stderr: expect.not.stringContaining(context.alex.password) })
  })

  test.each([
    ['of two lines', 'canary-one\ncanary-two\n', 'more than one line'],
    ['that is empty', '\n', 'stdin is empty'],
  ])('%s is rejected and not printed', async (_title, text, said) => {
    const { child, ended } = login()
    child.stdin.write(text)
    if (!text.startsWith('canarycanary')) child.stdin.end()
    const { status, stdout, stderr } = await ended
    expect({ status, said: stdout }).toEqual({ status: 4, said: expect.stringContaining(said) })
    expect(stdout + stderr).not.toContain('canary')
  })
})

describe('stdin that stays open and is not needed', () => {
  test.each([
    ['--version'],
    ['--help'],
    ['demo'],
    ['config'],
    ['profile'],
    ['status'],
    ['whoami'],
    ['list'],
    ['list', 'crabs', '--json'],
    ['stats'],
    ['add', 'Cod', '-r', '1'],
    ['add', '--crab'],
    ['key'],
    ['user', 'list'],
    ['user', 'delete', 'Alex'],
    ['outbox'],
    ['outbox', '--send'],
    ['add', '--file', '/dev/null'],
    ['bogus'],
    ['login', 'Alex', '--no-input'],
  ])('does not delay %s %s %s', async (...argv) => {
    const words = argv.filter((word) => word !== undefined)
    const { child, ended } = startFish(words, { ...environment(), FISH_ADMIN_PASSWORD: 'canary-admin-password' })
    const { status } = await ended
    expect(typeof status).toBe('number')
    expect(child.stdin.writableEnded).toBe(false)
  })
})
