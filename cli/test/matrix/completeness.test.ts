import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/runtime/commands.ts'
import { tracesIn } from './canaries.ts'
import { ALL_ROWS } from './rows/all.ts'

test('every command is in the matrix, and nothing else', () => {
  expect([...new Set(ALL_ROWS.map(({ id }) => id))].toSorted()).toEqual([...COMMANDS.ids].toSorted())
})

test('a command that sends no request says why, and only such a one', () => {
  for (const { id, requests, silent = '' } of ALL_ROWS) {
    expect({ id, isSilent: silent !== '' }).toEqual({ id, isSilent: requests.length === 0 })
  }
})

test('no command takes a secret as an argument', () => {
  for (const { args = [] } of ALL_ROWS) expect(tracesIn(args.join(' '))).toEqual([])
})
