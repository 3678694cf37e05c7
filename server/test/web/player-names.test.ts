import { createClient } from '@fish-crab/sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { correctPath, knownPlayers, matchingPlayers, readLeaders } from '../../web/src/data/player-names.ts'
import { addVisit } from '../../web/src/data/visits.ts'
import { stubLocalStorage } from './local-storage.ts'

beforeEach(stubLocalStorage)

const players = (...names: string[]) => names.map((name) => ({ name }))
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)

describe('the players that a page knows', () => {
  it('are those of this device, the latest first, and then those of the leaderboard, each once', () => {
    addVisit({ user: 'Mia', rarest: 'Gold' })
    addVisit({ user: 'Alex', rarest: undefined })
    const known = knownPlayers(players('Rich', 'mia'))
    expect(known).toEqual([{ name: 'Alex' }, { name: 'Mia', rarest: 'Gold' }, { name: 'Rich' }])
  })

  it('match a text in any letter case, with or without @, and names that start with the text come first', () => {
    const known = players('Malin', 'Alex', 'Rich', 'alba')
    expect(namesOf(matchingPlayers(known, ' @AL'))).toEqual(['Alex', 'alba', 'Malin'])
    expect(matchingPlayers(known, 'x1')).toEqual([])
  })

  it('match at most eight at a time', () => {
    const many = players(...Array.from({ length: 20 }, (_, index) => `Alex${index}`))
    expect(namesOf(matchingPlayers(many, 'alex'))).toEqual(namesOf(many.slice(0, 8)))
  })

  it('contain the leaderboard after one request, and nobody else if the request fails', async () => {
    let requests = 0
    const clientOf = (response: () => Response) =>
      createClient({
        baseUrl: 'http://service.test',
        maxRetries: 0,
        fetch: async () => {
          requests += 1
          return response()
        },
      })
    const client = clientOf(() => Response.json({ leaderboard: [{ name: 'Rich', count: 3 }] }))
    expect(namesOf(await readLeaders(client))).toEqual(['Rich'])
    await readLeaders(client)
    expect(requests).toBe(1)
    expect(await readLeaders(clientOf(() => Response.error()))).toEqual([])
  })
})

describe('a path with misspelt names', () => {
  it('is corrected with the closest known names, in any letter case', () => {
    expect(correctPath('/%40alxe/2026-02', ['Alxe'], ['Rich', 'Alex'])).toEqual({
      names: ['Alex'],
      path: '/@Alex/2026-02',
    })
    const known = ['Rich', 'Nobody', 'Alex']
    expect(correctPath('/@Rich/vs/@Nobdy', ['Nobdy'], known)?.path).toBe('/@Rich/vs/@Nobody')
    expect(correctPath('/@Rihc/vs/@Nobdy', ['Rihc', 'Nobdy'], known)?.path).toBe('/@Rich/vs/@Nobody')
  })

  it('is not corrected to the other player of a comparison, nor if a name has no close one', () => {
    expect(correctPath('/@Rich/vs/@Rihc', ['Rihc'], ['Rich'])).toBeUndefined()
    expect(correctPath('/@Alxe/vs/@Zz', ['Alxe', 'Zz'], ['Alex'])).toBeUndefined()
  })
})
