import { posix, win32 } from 'node:path'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, test } from 'vitest'
import { createChatReader } from '../src/commands/watch/chat-reader.ts'
import { type DayEvidence, timeOfLine } from '../src/commands/watch/line-time.ts'
import { isGameStart, readLocation } from '../src/commands/watch/location.ts'
import { logLocations } from '../src/commands/watch/locations.ts'
import { type LogEncoding, logEncoding } from '../src/commands/watch/log-encoding.ts'
import { parseLines, splitLines } from '../src/commands/watch/parser.ts'
import { formatPosition, parsePosition } from '../src/commands/watch/recorder.ts'

const UTF_8 = logEncoding('utf-8') as LogEncoding
const at = (time: string) => `[${time}] [Render thread/INFO]: [CHAT] `
const moment = (text: string) => new Date(text).getTime()

function parse(texts: readonly string[], { isSettled = true, from = {} } = {}) {
  const bytes = new TextEncoder().encode(texts.map((text) => `${text}\n`).join(''))
  const context = { head: 'head', at: moment('2026-01-31T10:00:00'), ...from }
  const chat = createChatReader([], GAMEMODES)
  const day = { writtenAt: moment('2026-01-31T20:00:00'), isLastLineTimed: false }
  return parseLines(splitLines(bytes, 0, false, UTF_8), context, { isSettled, day, chat })
}

const names = (texts: readonly string[]) => parse(texts).catches.map(({ found }) => found.name)

describe('the default paths of logs', () => {
  test.each([
    ['linux', '/home/alex', {}, '/home/alex/.minecraft/logs/latest.log'],
    ['linux', '/home/alex', {}, '/home/alex/.local/share/PrismLauncher/instances/*/minecraft/logs/latest.log'],
    ['darwin', '/Users/alex', {}, '/Users/alex/Library/Application Support/minecraft/logs/latest.log'],
    ['darwin', '/Users/alex', {}, '/Applications/MultiMC.app/Data/instances/*/.minecraft/logs/latest.log'],
    ['win32', 'C:\\Users\\alex', {}, 'C:\\Users\\alex\\AppData\\Roaming\\.minecraft\\logs\\latest.log'],
    ['win32', 'C:\\Users\\alex', { APPDATA: 'D:\\R' }, 'D:\\R\\.minecraft\\logs\\latest.log'],
    ['win32', 'C:\\Users\\alex', {}, 'C:\\Users\\alex\\.lunarclient\\offline\\multiver\\logs\\latest.log'],
  ])('on %s below %s with %j include %s', (platform, home, env, path) => {
    const { join } = platform === 'win32' ? win32 : posix
    expect(logLocations({ platform, home, env }).map(({ folder, pattern }) => join(folder, pattern))).toContain(path)
  })

  test.each(['linux', 'darwin', 'win32'])('on %s include all launchers', (platform) => {
    const launchers = new Set(logLocations({ platform, home: '/h', env: {} }).map(({ launcher }) => launcher))
    const all = 'ATLauncher CurseForge FTB Feather GDLauncher Lunar Modrinth MultiMC PolyMC Prism Technic vanilla'
    expect([...launchers].filter((launcher) => launcher !== 'Snap').sort()).toEqual(all.split(' '))
  })
})

describe('bytes of a log', () => {
  test('become lines with positions, and an unfinished last line counts only if the log is complete', () => {
    const bytes = new TextEncoder().encode('é\nab')
    expect(splitLines(bytes, 10, false, UTF_8)).toMatchObject([{ text: 'é', start: 10, end: 13 }])
    expect(splitLines(bytes, 10, true, UTF_8)[1]).toMatchObject({ text: 'ab', start: 13, end: 15 })
  })
})

describe('two lines about a catch', () => {
  const nice = (time: string, name: string) => `${at(time)}NICE CATCH! You caught a ${name}.`
  const entry = (time: string, name: string) => `${at(time)}NEW ENTRY! You caught a ${name} for the first time.`

  test('are one catch, in either order, with the fields of both lines', () => {
    for (const texts of [
      [nice('12:00:01', 'Koi'), entry('12:00:01', 'Silver Koi')],
      [entry('12:00:01', 'Koi'), nice('12:00:02', 'Koi')],
    ]) {
      const { catches } = parse(texts)
      expect(catches.map(({ found }) => found)).toMatchObject([{ name: 'Koi', rarity: 2, firstTime: true }])
    }
  })

  test('may be separated by other lines of the same second, but not by another catch', () => {
    const other = `${at('12:00:01')}<Bob> hello`
    expect(names([nice('12:00:01', 'Koi'), other, entry('12:00:01', 'Koi')])).toEqual(['Koi'])
    expect(names([nice('12:00:01', 'Koi'), nice('12:00:01', 'Cod'), entry('12:00:01', 'Koi')])).toHaveLength(3)
  })

  test('are two catches if their names or times differ, or if both lines have the same form', () => {
    expect(names([nice('12:00:01', 'Koi'), entry('12:00:01', 'Cod')])).toHaveLength(2)
    expect(names([nice('12:00:01', 'Koi'), entry('12:00:09', 'Koi')])).toHaveLength(2)
    expect(names([nice('12:00:01', 'Koi'), nice('12:00:01', 'Koi')])).toHaveLength(2)
    expect(names([nice('12:00:01', 'Koi'), entry('12:00:01', 'Koi'), nice('12:00:01', 'Koi')])).toHaveLength(2)
  })

  test('are one catch even if the second line arrives after the first line was read', () => {
    const first = parse([nice('12:00:01', 'Koi')])
    expect(first.catches).toHaveLength(1)
    const second = parse([entry('12:00:01', 'Koi')], { from: first.context })
    expect(second.catches).toEqual([])
  })

  test('are both read later if the log ends after the first line and may still grow', () => {
    const texts = [`${at('12:00:00')}<Bob> hello`, nice('12:00:01', 'Koi')]
    const { catches, end } = parse(texts, { isSettled: false })
    expect({ catches, end }).toEqual({ catches: [], end: (texts[0]?.length ?? 0) + 1 })
  })
})

describe('the gamemode', () => {
  test.each([
    ['[12:00:01] [Render thread/INFO]: Connecting to earth.example.net, 25565', 'earth'],
    [`${at('12:00:01')}§aSending you to §lSurvival-2§r...`, 'survival'],
    [`${at('12:00:01')}Welcome to the Factions server!`, 'factions'],
    [`${at('12:00:01')}<Bob> Sending you to survival`, undefined],
    [`${at('12:00:01')}Bob: welcome to earth`, undefined],
    [`${at('12:00:01')}Welcome to the hub`, undefined],
    [`${at('12:00:01')}Sending you to hub...`, 'at hub'],
    [`${at('12:00:01')}You have been sent to the server lobby-3.`, 'at lobby-3'],
    [`${at('12:00:01')}Connecting to boxsmp…`, 'at boxsmp'],
    [`${at('12:00:01')}Connecting to voice chat`, undefined],
    [`${at('12:00:01')}Sending you to spawn`, undefined],
    ['[12:00:01] [Render thread/INFO]: Connecting to boxsmp1.example.net, 25565', 'at boxsmp1'],
    ['[12:00:01] [Render thread/INFO]: Connecting to play.example.net, 25565', 'not known'],
    ['[12:00:01] [Render thread/INFO]: Connecting to 192.0.2.1, 25565', 'not known'],
    [`${at('12:00:01')}[12:00:01] [x/INFO]: Connecting to earth.example.net, 25565`, undefined],
  ])('in the line %s is %s', (line, gamemode) => {
    const where = readLocation(line, GAMEMODES)
    const location =
      where && (where.gamemode ?? (where.elsewhere === undefined ? 'not known' : `at ${where.elsewhere}`))
    expect(location).toBe(gamemode)
  })

  test('is a gamemode of the service, even if its name ends with a digit', () => {
    const at = (host: string) => readLocation(`[12:00:01] [Render thread/INFO]: Connecting to ${host}, 25565`, own)
    const own = ['box', 'smp2']
    expect(at('box1.example.net')).toEqual({ gamemode: 'box' })
    expect(at('smp2.example.net')).toEqual({ gamemode: 'smp2' })
    expect(at('smp.example.net')).toEqual({ elsewhere: 'smp' })
    expect(at('earth.example.net')).toEqual({ elsewhere: 'earth' })
  })

  test.each([
    ['[12:00:01] [main/INFO]: Loading Minecraft 1.21', true],
    ['[12:00:01] [Client thread/INFO]: Setting user: Alex', true],
    [`${at('00:00:01')}<Bob> good morning`, false],
    [`${at('00:00:01')}[main/INFO]: Setting user: Alex`, false],
  ])('is not carried over to a log that begins with %s: %s', (line, begins) => {
    expect(isGameStart(line)).toBe(begins)
  })

  test('applies to the catches after the line that names the gamemode', () => {
    const line = (name: string) => `${at('12:00:01')}NICE CATCH! You caught a ${name}.`
    const { catches } = parse([line('Cod'), `${at('12:00:02')}Sending you to earth`, line('Koi')])
    expect(catches.map(({ where }) => where.gamemode)).toEqual([undefined, 'earth'])
  })
})

describe('the time of a line', () => {
  const when = (time: string | undefined, after: string, written: string, more: Partial<DayEvidence> = {}) => {
    const at = timeOfLine(time, moment(after), { writtenAt: moment(written), isLastLineTimed: false, ...more })
    return new Date(at).toLocaleString('sv').replace(' ', 'T')
  }
  const LATER = '2026-03-20T18:00:00'

  test.each([
    ['23:55:00', '2026-01-31T23:55:00'],
    ['00:10:00', '2026-02-01T00:10:00'],
    ['23:49:59', '2026-01-31T23:49:59'],
    ['7:30 AM', '2026-02-01T07:30:00'],
    ['09:00:00', '2026-01-31T09:00:00'],
  ])('with the clock time %s is %s, which is never in the future, even across midnight', (time, expected) => {
    expect(when(time, '2026-01-31T23:50:00', '2026-02-01T08:00:00')).toBe(expected)
  })

  test.each([
    ['2026-02-01T00:00:00', '23:59:58', '2026-01-31T23:59:58'],
    ['2026-02-01T00:00:00', '00:00:00', '2026-02-01T00:00:00'],
    ['2026-02-01T00:00:00', '23:30:00', '2026-02-01T23:30:00'],
    ['2026-02-01T00:40:00', '23:50:00', '2026-02-01T23:50:00'],
    ['2026-02-01T23:59:58', '00:00:01', '2026-02-02T00:00:01'],
    ['2026-02-01T22:30:00', '10:29:00', '2026-02-02T10:29:00'],
    ['2026-10-25T02:59:58', '02:00:01', '2026-10-25T02:00:01'],
    ['2026-02-01T12:30:00', '12:10:00', '2026-02-01T12:10:00'],
    ['2026-02-01T12:30:00', '11:30:00', '2026-02-01T11:30:00'],
    ['2026-02-01T12:30:00', '02:30:00', '2026-02-01T02:30:00'],
    ['2026-02-01T21:00:00', '10:00:00', '2026-02-01T10:00:00'],
  ])('after a line at %s with the clock time %s is %s in a log that was copied later', (after, time, expected) => {
    expect(when(time, after, after.startsWith('2026-10') ? '2026-11-20T18:00:00' : LATER)).toBe(expected)
  })

  test.each<[string, string, Partial<DayEvidence>, string]>([
    ['10:00:00', '2026-02-02T15:00:00', {}, '2026-02-02T10:00:00'],
    ['10:00:00', LATER, { nextLogAt: moment('2026-02-02T00:00:05') }, '2026-02-02T10:00:00'],
    ['10:00:00', '2026-02-02T15:00:00', { nextLogAt: moment('2026-02-01T00:00:05') }, '2026-02-01T10:00:00'],
    ['10:00:00', LATER, {}, '2026-02-01T10:00:00'],
    ['10:00:00', '2026-02-01T22:00:00', {}, '2026-02-01T10:00:00'],
    ['20:40:00', '2026-02-02T20:40:00', { isLastLineTimed: true }, '2026-02-02T20:40:00'],
    ['20:40:00', '2026-02-01T20:40:00', { isLastLineTimed: true }, '2026-02-01T20:40:00'],
    ['20:40:00', '2026-02-02T20:40:00', {}, '2026-02-01T20:40:00'],
    ['13:00:00', '2026-02-02T15:00:00', { nextLogAt: moment('2026-02-02T00:00:05') }, '2026-02-01T13:00:00'],
  ])('after 21:00 with the clock time %s in a log written at %s with %j is %s', (time, written, more, expected) => {
    expect(when(time, '2026-02-01T21:00:00', written, more)).toBe(expected)
  })

  test('passes two midnights in one log', () => {
    const times = ['23:50:00', '00:10:00', '23:50:00', '00:10:00']
    let after = '2026-02-01T20:00:00'
    const days = times.map((time) => {
      after = when(time, after, LATER)
      return new Date(after).getDate()
    })
    expect(days).toEqual([1, 2, 2, 3])
  })

  test('is on the same day as the previous line if the clock was set back and the next day would be in the future', () => {
    expect(when('02:00:30', '2026-02-01T02:59:00', '2026-02-01T02:01:00')).toBe('2026-02-01T02:00:30')
  })

  test('is the time of the last write to the file if the line has no time', () => {
    expect(when(undefined, '2026-01-31T23:50:00', '2026-02-01T08:00:00')).toBe('2026-02-01T08:00:00')
  })
})

describe('a position', () => {
  test('can be restored from its text form, but not from an invalid text', () => {
    const last = { kind: 'fish', name: 'Koi', firstTime: true, byAugment: false, end: 3 } as const
    const position = { head: 'h', offset: 9, anchor: 'a', at: 5, last, gamemode: 'earth' } as const
    expect(parsePosition(formatPosition(position))).toEqual(position)
    for (const text of [undefined, '', 'null', '{}', formatPosition({ ...position, offset: -1 })]) {
      expect(parsePosition(text)).toBeUndefined()
    }
  })
})

test('catches with the same text have different keys at different positions in the log', () => {
  const line = 'NICE CATCH! You caught a Koi.'
  expect(new Set(parse([line, line]).catches.map(({ key }) => key)).size).toBe(2)
})
