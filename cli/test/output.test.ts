import { describe, expect, test } from 'vitest'
import { run, startImpostor, worldOfFile } from './harness.ts'

const ESCAPE = '\u{1b}'
const world = worldOfFile()

describe('colours', () => {
  test.each([
    ['a pipe', false, {}, false],
    ['a terminal', true, {}, true],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
    ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
  ])('on %s', async (_, terminal, env, coloured) => {
    const { stdout } = await run(['demo'], { env: { ...world.base, ...env }, terminal })
    expect(stdout.includes(ESCAPE)).toBe(coloured)
  })

  test('are never in JSON', async () => {
    const { stdout } = await run(['demo', '--json'], { env: { ...world.base, FORCE_COLOR: '1' }, terminal: true })
    expect(stdout).not.toContain(ESCAPE)
  })
})

test('what a server sends cannot steer the terminal', async () => {
  const fish = [{ name: `evil${ESCAPE}[2J`, rarity: 'Gold' }]
  const impostor = await startImpostor((_, res) => res.end(JSON.stringify({ user: 'Alex', fish })))
  try {
    const { stdout } = await run(['list', 'Alex'], { env: { ...world.base, FISH_URL: impostor.url } })
    expect(stdout).toContain('evil')
    expect(stdout).not.toContain(ESCAPE)
  } finally {
    impostor.close()
  }
})

describe('help', () => {
  test.each([
    'add',
    'backup',
    'demo',
    'export',
    'import',
    'key',
    'list',
    'mock',
    'reseal',
    'restore',
    'serve',
    'status',
    'user create',
  ])('of %s has examples', async (id) => {
    const { status, stdout, stderr } = await run([...id.split(' '), '--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`$ fish-cli ${id}`)
    expect(stdout).toContain('EXAMPLES')
  })

  test('of the program lists its commands, and of a topic those of the topic', async () => {
    const { stdout } = await run([])
    for (const word of ['add', 'demo', 'key', 'list', 'serve', 'status', 'user'])
      expect(stdout).toContain(`\n  ${word} `)
    expect((await run(['user'])).stdout).toContain('user create')
  })

  test('a word behind -- is an argument, even --help', async () => {
    const { status, stderr } = await run(['status', '--', '--help'], { env: world.base })
    expect({ status, stderr: stderr.split('\n')[0] }).toEqual({
      status: 2,
      stderr: 'fish-cli: There are too many arguments.',
    })
  })
})

test('--version says which program, version and Node it is', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^fish-cli\/\d+\.\d+\.\d+ \S+ node-v\d+\.\d+\.\d+\n$/)
})
