import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newFolder, xdgFolders } from '../test/folders.ts'
import { startImpostor } from '../test/harness.ts'
import { type Fed, shell, startFish, startShell } from '../test/stdin-processes.ts'

// The last catch of each input is invalid, so no catch is sent. The line number in the error shows that the whole input
// was read.
const ADD = ['add', '--file', '-', '--json', '--user', 'Alex', '--gamemode', 'earth']
const POSIX = process.platform === 'win32' ? ' (skipped: needs a POSIX shell)' : ''
const DELAYS = [0, 0.5, 5]
const FORMS = {
  CSV: ['name,rarity\nCod,1\nE', 'el,9\n', 'Line 3'],
  JSON: ['[{"name":"Cod","rarity":1},{"na', 'me":"Eel","rarity":9}]', 'Catch 2'],
  'JSON Lines': ['{"name":"Cod","rarity":1}\n{"na', 'me":"Eel","rarity":9}\n', 'Line 2'],
} as const

/** Expects one mistake, in the last catch. */
async function expectOneMistake({ ended }: Fed, place: string, title: string) {
  const { status, stdout, stderr } = await ended
  const message = `The file has 1 mistake; nothing was changed. ${place}: rarity: Must be one of`
  expect({ title, status, stderr, message: JSON.parse(stdout).error.message }).toEqual({
    title,
    status: 2,
    stderr: '',
    message: expect.stringContaining(message),
  })
}

describe('stdin that arrives late', () => {
  test('is read completely if the whole input or its end arrives 0 to 5 seconds late', async () => {
    const runs = DELAYS.flatMap((seconds) =>
      Object.entries(FORMS).flatMap(([form, [first, second, place]]) =>
        [
          [`${form} continues`, first, second],
          ...(form === 'CSV'
            ? [
                ['input begins', '', first + second],
                ['input ends', first + second, ''],
              ]
            : []),
        ].map(async ([title, before = '', after = '']) => {
          const fed = startFish(ADD, xdgFolders(newFolder()))
          fed.child.stdin.write(before)
          await sleep(seconds * 1000)
          fed.child.stdin.end(after)
          await expectOneMistake(fed, place, `${title} after ${seconds} s`)
        }),
      ),
    )
    expect(runs).toHaveLength(15)
    await Promise.all(runs)
  })

  test('may contain a password, which is used only after stdin ends', async () => {
    // A login needs writable folders, because a login that cannot be stored sends no request.
    const kept = xdgFolders(newFolder())
    const runs = DELAYS.map(async (seconds) => {
      const { child, ended } = startFish(['login', 'Alex', '--password-stdin', '--no-input'], {
        ...kept,
        FISH_URL: 'http://127.0.0.1:9',
      })
      child.stdin.write('canary-')
      await sleep(seconds * 1000)
      child.stdin.end('password\n')
      return { seconds, ...(await ended) }
    })
    // The error shows that the password was read and a login was tried, because no service is running.
    for (const { seconds, status, stderr } of await Promise.all(runs)) {
      expect({ seconds, status, said: stderr }).toEqual({
        seconds,
        status: 69,
        said: expect.stringContaining('No response from'),
      })
      expect(stderr).not.toContain('canary')
    }
  })
})

describe('stdin of 32 MB', () => {
  const BYTES = 32 * 1024 * 1024
  // The heap is limited to the size of the input, so Node fails if the program stores the whole input. Without a limit,
  // Node would use more memory than the program needs.
  const env = () => ({ ...xdgFolders(newFolder()), NODE_OPTIONS: '--max-old-space-size=32' })
  const MOST_MEMORY_MB = 380

  /** Writes pieces to stdin until their size exceeds `BYTES`, and returns the peak memory in MiB. */
  async function feed(fed: Fed, pieceOf: (index: number) => string, last = '') {
    const { stdin, pid } = fed.child
    let mostMegabytes = 0
    let hasEnded = false
    const end = fed.ended.then(() => {
      hasEnded = true
    })
    for (let [bytes, index] = [0, 0]; bytes < BYTES && !hasEnded; index += 1) {
      const piece = pieceOf(index)
      bytes += Buffer.byteLength(piece)
      if (!stdin.write(piece)) await Promise.race([once(stdin, 'drain').catch(() => {}), end])
    }
    stdin.end(last)
    while (!hasEnded) {
      const peak = process.platform === 'linux' ? peakMegabytes(pid) : undefined
      mostMegabytes = Math.max(mostMegabytes, peak ?? 0)
      await Promise.race([sleep(50), end])
    }
    return mostMegabytes
  }

  const forms = {
    'JSON Lines': {
      begin: '',
      catchOf: (name: string, rarity: number) => `{"name":"${name}","rarity":${rarity}}\n`,
      lineOf: (index: number) => index + 1,
    },
    CSV: {
      begin: 'name,rarity\r\n',
      catchOf: (name: string, rarity: number) => `"${name}, big",${rarity}\r\n`,
      lineOf: (index: number) => index + 2,
    },
  }

  test.each(Object.entries(forms))(
    'in %s is read completely in bounded memory',
    async (form, { begin, catchOf, lineOf }) => {
      const fed = startFish(ADD, env())
      let catches = 0
      const mostMegabytes = await feed(
        fed,
        (index) => {
          const texts = Array.from({ length: 1000 }, (_, line) => {
            catches += 1
            return catchOf(`Fish ${index}.${line} 鯉 ${'x'.repeat(75)}`, 1 + (line % 7))
          })
          return `${index === 0 ? begin : ''}${texts.join('')}`
        },
        catchOf('Last', 9),
      )
      await expectOneMistake(fed, `Line ${lineOf(catches)}`, form)
      expect(catches).toBeGreaterThan(200_000)
      expect(mostMegabytes).toBeLessThan(MOST_MEMORY_MB)
    },
  )

  test.each([
    ['one line', () => 'x'.repeat(100_000), 'Line 1 is too long'],
    ['only line breaks', () => '\n'.repeat(100_000), 'contains no catches'],
    ['invalid lines', () => `Cod,${'9'.repeat(60)}\n`.repeat(1000), 'mistakes, of which the first 20 are shown'],
  ])('that contains %s is rejected in bounded memory', async (_title, pieceOf, said) => {
    const fed = startFish(ADD, env())
    const mostMegabytes = await feed(fed, pieceOf)
    const { status, stdout, stderr } = await fed.ended
    expect({ status, stderr, message: JSON.parse(stdout).error.message }).toEqual({
      status: 2,
      stderr: '',
      message: expect.stringContaining(said),
    })
    expect(mostMegabytes).toBeLessThan(MOST_MEMORY_MB)
  })
})

describe.skipIf(POSIX !== '')(`stdout that is a pipe${POSIX}`, () => {
  const ROWS = 20_000
  let server: Awaited<ReturnType<typeof startImpostor>>

  beforeAll(async () => {
    const fish = Array.from({ length: ROWS }, (_, index) => ({ name: `Fish ${index}`, rarity: 'Gold' }))
    const body = JSON.stringify({ user: 'Alex', fish })
    server = await startImpostor((_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(body))
  })

  afterAll(() => server.close())

  const env = () => ({ FISH_URL: server.url, FISH_USER: 'Alex', FISH_GAMEMODE: 'earth' })

  test.each(['', ' --json', ' --csv'])('may be closed early by the reader of list%s', async (form) => {
    const { status, stdout, stderr } = await shell(`{ fish list${form}; echo "ended $?" >&2; } | head -n 1`, env())
    expect({ status, lines: stdout.split('\n').length, stderr }).toEqual({ status: 0, lines: 2, stderr: 'ended 0\n' })
  })

  test.each(['', ' --json', ' --csv'])('delivers all 20,000 rows of list%s to a slow reader', async (form) => {
    const { child, ended } = startShell(`fish list${form} | cat`, env())
    child.stdout.on('data', () => {
      child.stdout.pause()
      setTimeout(() => child.stdout.resume(), 2)
    })
    const { status, stdout, stderr } = await ended
    expect({ status, stderr, rows: stdout.match(/Fish \d+/g)?.length }).toEqual({ status: 0, stderr: '', rows: ROWS })
  })
})

/** The peak memory of a process in MiB, as reported by Linux. */
function peakMegabytes(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    // The process has ended.
    return undefined
  }
}
