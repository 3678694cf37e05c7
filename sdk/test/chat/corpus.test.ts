import { parseChatLine } from '@fish-crab/sdk/chat'
import { describe, expect, test } from 'vitest'
import { LOG_LINES, MESSAGES, NO_CATCHES, NOISE } from './corpus.ts'

const shown = (line: string) => JSON.stringify(line).slice(0, 120)

describe.each([
  ['a message of the game tells the catch', MESSAGES],
  ['formatting, odd spacing and misread characters do not hide a catch', NOISE],
  ['behind the prefixes of the usual logs a catch is found, with its time of day', LOG_LINES],
])('%s', (_, cases) => {
  test.each(cases.map(([line, expected]) => [shown(line), line, expected] as const))('%s', (_title, line, expected) => {
    expect(parseChatLine(line)).toStrictEqual(expected)
  })
})

describe('messages of players, and all other lines, are not catches', () => {
  test.each(NO_CATCHES.map((line) => [shown(line), line] as const))('%s', (_title, line) => {
    expect(parseChatLine(line)).toBeUndefined()
  })
})
