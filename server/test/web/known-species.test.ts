import type { Client } from '@fish-crab/sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { indexOf, loadKnownSpecies, missingOf, shareOf } from '../../web/src/data/known-species.ts'
import { entriesOf } from '../../web/src/data/species-list.ts'
import { stubLocalStorage } from './local-storage.ts'

const MINUTE = 60_000
const known = (name: string, kind: 'fish' | 'crab' = 'fish') => ({ kind, name, players: 3, hint: undefined })
const LIST = { players: 9, species: [known('Salmon'), known('Golden Koi'), known('Crab', 'crab')] }

/** A client that counts its requests, and fails if there is no list. */
function createClient(list?: typeof LIST) {
  const requested: (string | undefined)[] = []
  const species = async ({ gamemode }: { gamemode?: string }) => {
    requested.push(gamemode)
    if (!list) throw new Error('offline')
    return list
  }
  return { requested, client: { species } as unknown as Client }
}

const load = (client: Client, now: number, gamemode?: 'earth') =>
  loadKnownSpecies(client, { gamemode, now, signal: new AbortController().signal })

beforeEach(stubLocalStorage)

describe('the list of known species', () => {
  it('is loaded once in ten minutes for each gamemode', async () => {
    const { client, requested } = createClient(LIST)
    const first = await load(client, MINUTE)
    expect(first).toMatchObject(JSON.parse(JSON.stringify(LIST)))
    expect(await load(client, 10 * MINUTE)).toEqual(JSON.parse(JSON.stringify(first)))
    await load(client, 10 * MINUTE, 'earth')
    await load(client, 11 * MINUTE)
    expect(requested).toEqual([undefined, 'earth', undefined])
  })

  it('is the last list if it cannot be loaded, and absent without one', async () => {
    const offline = createClient().client
    expect(await load(offline, 0)).toBeUndefined()
    await load(createClient(LIST).client, 0)
    expect((await load(offline, 60 * MINUTE))?.species).toHaveLength(3)
    expect(await load(offline, 60 * MINUTE, 'earth')).toBeUndefined()
  })

  it('is loaded again if the stored list is not JSON, or the clock was set back', async () => {
    const { client, requested } = createClient(LIST)
    localStorage.setItem('fish-crab-species-1 ', '{')
    await load(client, 60 * MINUTE)
    await load(client, 0)
    expect(requested).toHaveLength(2)
  })
})

describe('a collection beside the known species', () => {
  const species = (name: string) => ({ name, count: 1, firstCaughtAt: '2026-01-01', lastCaughtAt: '2026-01-01' })
  const summary = (...names: readonly string[]) => ({
    total: names.length,
    unique: names.length,
    species: names.map(species),
  })

  it('lacks the species that it has in no spelling, and a crab is not a fish of the same name', () => {
    const entries = entriesOf({ fish: summary('SALMON', 'salmon', 'Crab', 'Unheard of'), crab: summary() })
    expect(missingOf(entries, LIST)).toEqual([known('Golden Koi'), known('Crab', 'crab')])
    expect(indexOf(LIST)?.find({ kind: 'fish', name: ' golden\u200b  KOI' })).toEqual(known('Golden Koi'))
    expect(indexOf(LIST)?.find({ kind: 'fish', name: 'Crab' })).toBeUndefined()
  })

  it('has no index while no species are known', () => {
    expect([indexOf(undefined), indexOf({ players: 4, species: [] })]).toEqual([undefined, undefined])
  })

  it.each([
    [2, 480, '0.4%'],
    [1, 3000, 'under 0.1%'],
    [3, 8, '38%'],
    [0, 8, '0%'],
    [0, 0, '0%'],
    [8, 8, '100%'],
  ])('is shared by %i of %i players, which is %s', (players, all, share) => {
    expect(shareOf({ players }, { players: all })).toBe(share)
  })
})
