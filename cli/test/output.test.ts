import { RARITIES } from '@fish-crab/sdk/constants'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newFolder, xdgFolders } from './folders.ts'
import { type Env, run, serviceContext, startImpostor } from './harness.ts'

const ESCAPE = '\u{1b}'
const context = serviceContext()

describe('colours', () => {
  test.each<[string, boolean, Env, boolean, ...string[]]>([
    ['a pipe', false, {}, false],
    ['a terminal', true, {}, true],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
    ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['a terminal with NO_COLOR and FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['a terminal with --no-color', true, {}, false, '--no-color'],
    ['a pipe with FORCE_COLOR and --no-color', false, { FORCE_COLOR: '1' }, false, '--no-color'],
  ])('are used only where they are supported and allowed: %s', async (_, terminal, env, coloured, ...more) => {
    const { stdout } = await run(['demo', ...more], { env: { ...context.base, ...env }, terminal })
    expect(stdout.includes(ESCAPE)).toBe(coloured)
  })

  test('of help and errors are omitted with --no-color', async () => {
    const env = { ...context.base, FORCE_COLOR: '1' }
    expect((await run(['help', 'exit-codes'], { env })).stdout).toContain(ESCAPE)
    expect((await run(['help', 'exit-codes', '--no-color'], { env })).stdout).not.toContain(ESCAPE)
    expect((await run(['list', '--no-color', '--gamemod'], { env })).stderr).toContain('Unknown flag --gamemod.')
  })

  test.each([
    ['TERM=xterm-256color', { TERM: 'xterm-256color' }, true],
    ['COLORTERM=truecolor', { TERM: 'xterm', COLORTERM: 'truecolor' }, true],
    ['FORCE_COLOR=2', { TERM: 'xterm', FORCE_COLOR: '2' }, true],
    ['TERM=xterm', { TERM: 'xterm' }, process.platform === 'win32'],
  ])('of rarities with %s are from the 256-colour palette: %s', async (_, env, isOf) => {
    const { stdout } = await run(['demo'], { env: { ...context.base, ...env }, terminal: true })
    expect(stdout.includes(`${ESCAPE}[38;5;`)).toBe(isOf)
    // None of the 16 basic colours is legible on every background.
    expect(stdout).not.toMatch(new RegExp(`${ESCAPE}\\[(3[0-7]|9[0-7])m`))
  })

  test('of rarities have a contrast of 4.5:1 on black and on white, and differ from each other', async () => {
    const env = { ...context.base, TERM: 'xterm-256color' }
    const { stdout } = await run(['demo'], { env, terminal: true })
    const styles = RARITIES.map(({ label }) => {
      const [, style = ''] = new RegExp(`((?:${ESCAPE}\\[[\\d;]+m)*)${label} *(?:${ESCAPE}|$)`, 'm').exec(stdout) ?? []
      return style
    })
    expect(new Set(styles).size).toBe(RARITIES.length)
    const numbers = styles.flatMap((style) => /38;5;(\d+)/.exec(style)?.[1] ?? [])
    expect(numbers).toHaveLength(RARITIES.length - 1)
    for (const number of numbers) {
      const lit = luminance(Number(number))
      expect((lit + 0.05) / 0.05, `${number} on black`).toBeGreaterThanOrEqual(4.5)
      expect(1.05 / (lit + 0.05), `${number} on white`).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('are never used in JSON', async () => {
    const { stdout } = await run(['demo', '--json'], { env: { ...context.base, FORCE_COLOR: '1' }, terminal: true })
    expect(stdout).not.toContain(ESCAPE)
  })
})

/** The relative luminance (WCAG 2.2) of a colour of xterm's palette. */
function luminance(number: number): number {
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step)
  const at = number - 16
  const grey = 8 + 10 * (number - 232)
  const channels =
    number >= 232 ? [grey, grey, grey] : [level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)]
  const [red = 0, green = 0, blue = 0] = channels.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe('messages on a narrow terminal', () => {
  const on = (columns: number, env: Env) => ({ env: { ...context.base, ...env }, terminal: true, columns, rows: 24 })
  const unwrapped = (text: string) => text.replace(/\n +/g, ' ')

  test.each([30, 80])('of %d columns wrap between words, with a hanging indent', async (columns) => {
    const error = { error: `${'This cannot be so. '.repeat(9)}Try another.`, code: 'invalid_gamemode', requestId: 'r' }
    const service = await startImpostor((_, res) => res.writeHead(400).end(JSON.stringify(error)))
    onTestFinished(() => void service.close())
    const argv = ['list', 'Alex', '--url', service.url]
    const whole = await run(argv, { env: context.base })
    const { stderr } = await run(argv, on(columns, {}))
    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
    expect(stderr).toMatch(/^fish-cli: .+\n {10}\S/)
    expect(unwrapped(stderr)).toBe(unwrapped(whole.stderr))
  })

  test('never break a command that follows a colon', async () => {
    const { stderr } = await run(['profile'], on(40, xdgFolders(newFolder())))
    expect(stderr).toBe('No profiles yet. Create one:\nfish-cli login\n')
  })

  test('and tables with sentences split no word', async () => {
    const { stdout } = await run(['config'], on(40, { ...xdgFolders(newFolder()), NO_COLOR: '1' }))
    expect(stdout).toContain(
      '\n\nsetting: gamemode\nvalue: earth\nfrom: environment\nvariable: FISH_GAMEMODE\nmeaning: Gamemode for profiles without a\ngamemode.\n\n',
    )
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40)
    expect((await run(['config'], on(80, xdgFolders(newFolder())))).stdout).toContain('SETTING')
  })

  test('never break a word that is wider than a line', async () => {
    const folder = newFolder()
    const XDG_CONFIG_HOME = `${folder}/${'very '.repeat(20)}long`
    const env = { ...xdgFolders(folder), XDG_CONFIG_HOME }
    expect((await run(['config'], on(40, env))).stderr).toContain('long/')
    const FISH_URL = `http://${'x'.repeat(50)}.example`
    expect((await run(['open', 'Alex'], on(40, { ...xdgFolders(folder), FISH_URL }))).stdout).toContain(FISH_URL)
  })
})

test.each(['--version', '-v', '-V', 'version'])('%s prints the versions of the program and of Node', async (word) => {
  expect((await run([word])).stdout).toMatch(/^fish-cli\/\d+\.\d+\.\d+ \S+ node-v\d+\.\d+\.\d+\n$/)
})
