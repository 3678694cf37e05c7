import { createMock } from '@fish-crab/mocks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../src/core/errors.ts'
import { newFolder, xdgFolders } from './folders.ts'
import { run } from './harness.ts'

const FISH = 2500

/** A service with a player who has 2,500 fish, every tenth of which is a Koi. */
async function startService(requests = 25) {
  const mock = await createMock({
    limits: { requests },
    seed: {
      users: [
        {
          name: 'Alex',
          fish: {
            earth: Array.from({ length: FISH }, (_, index) => ({
              name: index % 10 === 9 ? `Koi ${index}` : `Cod ${index}`,
              rarity: 1,
            })),
          },
        },
      ],
    },
  })
  const served = await mock.serve({ port: 0 })
  onTestFinished(async () => {
    await served.close()
    await mock.close()
  })
  const env = { FISH_URL: served.url, FISH_GAMEMODE: 'earth', FISH_USER: 'Alex', ...xdgFolders(newFolder()) }
  const list = (...argv: readonly string[]) => run(['list', ...argv], { env })
  const pageSizes = () => mock.requests.filter(({ route }) => route === 'getFish').map(({ query }) => query.limit)
  return { list, pageSizes }
}

const lines = (text: string) => text.split(/\r?\n/).slice(0, -1)

describe('list', () => {
  test.each([
    ['as a table', [], (stdout: string) => lines(stdout).length - 1],
    ['with --detail', ['--detail'], (stdout: string) => lines(stdout).length - 1],
    ['with --csv', ['--csv'], (stdout: string) => lines(stdout).length - 1],
    ['with --json', ['--json'], (stdout: string) => JSON.parse(stdout).fish.length],
    ['with --since', ['--since', '2020-01-01', '--csv'], (stdout: string) => lines(stdout).length - 1],
    ['with --sort', ['--sort', '-name', '--csv'], (stdout: string) => lines(stdout).length - 1],
  ])('reads pages %s', async (_, argv, countOf) => {
    const { list, pageSizes } = await startService()
    const { status, stdout } = await list(...argv)
    expect({ status, count: countOf(stdout) }).toEqual({ status: 0, count: FISH })
    expect(pageSizes()).toEqual(['1000', '1000', '1000'])
  })

  test.each([
    ['a page of that size', ['--limit', '10'], ['10']],
    ['as many pages as it needs', ['--limit', '1500'], ['1000', '1000']],
    ['pages until enough catches match', ['--limit', '100', '--filter', 'koi'], ['1000']],
    ['all pages if it sorts', ['--limit', '10', '--sort', 'name'], ['1000', '1000', '1000']],
  ])('with --limit reads %s', async (_, argv, expected) => {
    for (const format of ['--csv', '--json'] as const) {
      const { list, pageSizes } = await startService()
      const { stdout } = await list(...argv, format)
      const count = format === '--csv' ? lines(stdout).length - 1 : JSON.parse(stdout).fish.length
      expect(count).toBe(Number(argv[1]))
      expect(pageSizes()).toEqual(expected)
    }
  })

  test('with --csv prints the rows of each page before the next page arrives', async () => {
    const { list } = await startService(2)
    const { status, stdout } = await list('--csv', '--max-wait', '0')
    expect(status).toBe(EXIT.rateLimited)
    expect(lines(stdout)).toHaveLength(1 + 2000)
  })
})
