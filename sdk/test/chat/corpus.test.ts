import { parseChatLine } from '@fish-crab/sdk/chat'
import { describe, expect, test } from 'vitest'
import { LOG_LINES, MESSAGES, NO_CATCHES, NOISE } from './corpus.ts'

const shown = (line: string) => JSON.stringify(line).slice(0, 120)

describe.each([
  ['parseChatLine() reads the catch in a message of the game', MESSAGES],
  ['parseChatLine() reads a catch despite formatting, odd spacing and misread characters', NOISE],
  ['parseChatLine() reads a catch and its time of day after the usual log prefixes', LOG_LINES],
])('%s', (_, cases) => {
  test.each(cases.map(([line, expected]) => [shown(line), line, expected] as const))('%s', (_title, line, expected) => {
    expect(parseChatLine(line)).toStrictEqual(expected)
  })
})

describe('parseChatLine() returns undefined for player messages and all other lines', () => {
  test.each(NO_CATCHES.map((line) => [shown(line), line] as const))('%s', (_title, line) => {
    expect(parseChatLine(line)).toBeUndefined()
  })
})
