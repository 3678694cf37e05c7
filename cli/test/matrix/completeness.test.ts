import { expect, test } from 'vitest'
import { commandIds } from '../../src/commands/index.ts'
import { tracesIn } from './canaries.ts'
import { ALL_ROWS } from './rows/all.ts'

test('every command is in the matrix, and nothing else', () => {
  expect([...new Set(ALL_ROWS.map(({ id }) => id))].toSorted()).toEqual([...commandIds()].toSorted())
})

test('a command that asks no service says why, and only such a one', () => {
  for (const { id, asks, silent = '' } of ALL_ROWS) {
    expect({ id, isSilent: silent !== '' }).toEqual({ id, isSilent: asks.length === 0 })
  }
})

test('no command takes a secret as an argument', () => {
  for (const { args = [] } of ALL_ROWS) expect(tracesIn(args.join(' '))).toEqual([])
})
