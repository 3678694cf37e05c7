import { USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { describe, expect, it } from 'vitest'
import { readPlayerFile } from '../../web/src/admin/data/player-file.ts'

describe('a file of new players', () => {
  it('contains one name per line', () => {
    expect(readPlayerFile('\uFEFFAlex\r\n\r\n*x\n')).toEqual({
      players: [{ name: 'Alex' }, { name: '*x' }],
      problems: [],
    })
    expect(readPlayerFile('name\nBea')).toEqual({ players: [{ name: 'Bea' }], problems: [] })
  })

  it.each([
    ['commas', 'name,password\nAlex,"three, ""quiet"" rivers"\nBea,\n', 'three, "quiet" rivers'],
    ['semicolons', 'NAME;Password\r\n"Alex";three, quiet rivers\r\nBea;\r\n', 'three, quiet rivers'],
    ['tabs', 'name\tpassword\nAlex\tthree, quiet; rivers\nBea\n', 'three, quiet; rivers'],
    ['a line break in quotes', 'name,password\nAlex,"three\nquiet\nrivers"\nBea', 'three\nquiet\nrivers'],
  ])('contains passwords after a header, with %s', (_title, text, password) => {
    expect(readPlayerFile(text)).toEqual({ players: [{ name: 'Alex', password }, { name: 'Bea' }], problems: [] })
  })

  it('reports each wrong line, and quotes nothing of the file', () => {
    const long = 'canary-'.repeat(37)
    const { problems } = readPlayerFile(
      `name,password\nAlex,"a\nquiet canary"\nno name,canary-password\nalex\n..\nBea,canary\nMia,${long}\nKim,canary-one,canary\n"canary"x\n`,
    )
    expect(problems).toEqual([
      `Line 4: name: Must be ${USER_NAME_RULE}.`,
      'Line 5: name: Line 2 contains the same player.',
      `Line 6: name: Must be ${USER_NAME_RULE}.`,
      'Line 7: password: Must be 8 to 256 characters.',
      'Line 8: password: Must be 8 to 256 characters.',
      'Line 9: Has 3 columns instead of 2.',
      'Line 10: A quotation mark is not closed, or text follows a closing quotation mark.',
    ])
  })

  it.each([
    ['several columns without a header', 'Alex,canary-password\n', 'start the file with the header name,password'],
    ['an unknown column', 'name,canary\nAlex,canary-value\n', 'only contain the columns name and password'],
    ['the same column twice', 'name,name\nAlex,Bea\n', 'only contain the columns name and password'],
  ])('has a problem with %s', (_title, text, problem) => {
    const { problems } = readPlayerFile(text)
    expect(problems).toEqual([expect.stringContaining(problem)])
    expect(problems.join()).not.toContain('canary')
  })
})
