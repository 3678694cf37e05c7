import { describe, expect, test } from 'vitest'
import { breaksBetween, isBreakingVersion } from '../release/compatibility.ts'

const report = (code: string) => `## API Report File\n\n\`\`\`ts\n\n${code}\n\`\`\`\n`
const OPTIONS = report(`// @public
export interface ReadOptions {
    readonly limit?: number;
    readonly name: string;
}

// @public (undocumented)
export function read(options: ReadOptions): Promise<string>;
`)
const changed = (from: string, to: string) => breaksBetween(OPTIONS, OPTIONS.replace(from, to))

describe('the comparison of two API reports', () => {
  test.each([
    ['identical reports', 'x', 'x'],
    ['a changed comment', '(undocumented)', ''],
    ['a new declaration', 'export function', 'export const a = 1;\n\nexport function'],
    ['a new optional member', '    readonly name', '    readonly from?: number;\n    readonly name'],
  ])('accepts %s', (_, from, to) => {
    expect(changed(from, to)).toEqual([])
  })

  test.each([
    [
      'a removed member',
      '    readonly limit?: number;\n',
      '',
      '- export interface ReadOptions { readonly limit?: number;',
    ],
    ['a changed type', 'limit?: number', 'limit?: string', '- export interface ReadOptions { readonly limit?: number;'],
    [
      'a changed function',
      'Promise<string>',
      'Promise<number>',
      '- export function read(options: ReadOptions): Promise<string>;',
    ],
    [
      'a new member that users must provide',
      '    readonly name',
      '    readonly from: number;\n    readonly name',
      '+ export interface ReadOptions { readonly from: number;',
    ],
  ])('finds %s', (_, from, to, found) => {
    expect(changed(from, to)).toEqual([found])
  })

  test('finds a member that is missing from one declaration even if another declaration has the same member', () => {
    const other = report('export interface Other {\n    readonly limit?: number;\n}')
    const before = `${OPTIONS}`
    const after = OPTIONS.replace('    readonly limit?: number;\n', '').replace(
      'export function',
      `${other.split('ts\n')[1]?.replace('```', '')}\nexport function`,
    )
    expect(breaksBetween(before, after)).toEqual(['- export interface ReadOptions { readonly limit?: number;'])
  })
})

test.each([
  ['0.1.0', '0.1.1', false],
  ['0.1.9', '0.2.0', true],
  ['0.9.0', '1.0.0', true],
  ['1.2.3', '1.3.0', false],
  ['1.2.3', '2.0.0', true],
])('an update from %s to %s may contain breaking changes: %s', (previous, next, breaks) => {
  expect(isBreakingVersion(previous, next)).toBe(breaks)
})
