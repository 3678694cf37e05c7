import {
  type CreatedUser,
  type FishCollection,
  type FishSummary,
  HEADERS,
  type Leaderboard,
  MEDIA_TYPES,
  ROUTES,
  routePath,
  type Saved,
  type Stats,
} from '@fish-crab/sdk/contract'
import { expect, test } from 'vitest'
import { type Answer, type Asked, ask, postToken, tokenOf } from './requests.ts'
import type { Shared } from './shared.ts'

const WORKERS = 8
const STEPS = 20
const KILLS = 2
const GAMEMODES = ['earth', 'survival'] as const
type Place = (typeof GAMEMODES)[number]

/** The expected state of a catch. Every catch has a unique name. */
interface Known {
  readonly name: string
  readonly token: string
  readonly id: string
  /** The gamemode of the catch, or `undefined` after its removal. */
  place: Place | undefined
}

/** Tests concurrent posts, moves and removals by a player while a process is killed. */
export function describeSharedMoves({ fleet, chief, everywhere, newUser, size }: Shared): void {
  test('each catch is stored once, in the gamemode of its last move, and counts are correct, even if processes are killed', async () => {
    const [user, other] = [await newUser(), await newUser()]
    const known: Known[] = []
    let isKilling = true

    /** Repeats a request until a server responds without a server error, as clients do. */
    async function until<Body>(send: (server: number) => Promise<Answer<Body>>): Promise<Answer<Body>> {
      for (let server = Math.floor(Math.random() * size); ; server += 1) {
        const answer = await send(server).catch(() => undefined)
        if (answer && answer.status < 500) return answer
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const change = (player: CreatedUser, path: string, place: Place, init: Asked) =>
      until((server) =>
        ask(fleet().at(server), `${path}?gamemode=${place}`, {
          ...init,
          headers: {
            ...init.headers,
            authorization: `Basic ${btoa(`${player.name}:${player.password}`)}`,
            [HEADERS.apiKey]: player.apiKey,
          },
        }),
      )
    const remove = (player: CreatedUser, id: string, place: Place) =>
      change(player, routePath('deleteOwnFish', { id }), place, { method: 'DELETE' })
    const move = (player: CreatedUser, id: string, place: Place, to: Place) =>
      change(player, routePath('moveOwnFish', { id }), place, {
        method: 'POST',
        headers: { 'content-type': MEDIA_TYPES.json },
        body: JSON.stringify({ gamemode: to }),
      })

    async function work(worker: number) {
      const own: Known[] = []
      for (let step = 0; step < STEPS || isKilling; step += 1) {
        const one = own[Math.floor(Math.random() * own.length)]
        const chance = Math.random()
        if (!one || chance < 0.5) {
          const name = `${worker} ${step}`
          const token = await tokenOf(user, name)
          const { status, body } = await until<Saved>((server) => postToken(fleet().at(server), user, token))
          expect([200, 201]).toContain(status)
          own.push({ name, token, id: body.id, place: 'earth' })
        } else if (one.place === undefined) {
          expect((await move(user, one.id, 'earth', 'survival')).status).toBe(404)
        } else if (chance < 0.85) {
          const to = one.place === 'earth' ? 'survival' : 'earth'
          expect((await move(user, one.id, one.place, to)).status).toBe(204)
          one.place = to
        } else {
          // If the first response was lost, the repeated removal gets status 404.
          expect([204, 404]).toContain((await remove(user, one.id, one.place)).status)
          one.place = undefined
        }
      }
      known.push(...own)
    }
    async function kill() {
      for (let round = 0; round < KILLS; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        await fleet().replace(size - 1)
      }
      isKilling = false
    }
    await Promise.all([kill(), ...Array.from({ length: WORKERS }, (_, worker) => work(worker))])

    const namesIn = (place: Place) => known.filter((one) => one.place === place).map(({ name }) => name)
    const expectAll = async () => {
      const found = await everywhere(async (server) => {
        const headers = { [HEADERS.apiKey]: user.apiKey }
        const read = <Body>(place: Place, query: string) =>
          ask<Body>(server, `${ROUTES.getFish.path}?name=${user.name}&gamemode=${place}${query}`, { headers })
        return Promise.all(
          GAMEMODES.map(async (place) => ({
            names: (await read<FishCollection>(place, '')).body.fish.map(({ name }) => name).toSorted(),
            species: (await read<FishSummary>(place, '&summary=species')).body.species.map(({ name, count }) => [
              name,
              count,
            ]),
          })),
        )
      })
      for (const places of found) {
        for (const [index, { names, species }] of places.entries()) {
          const expected = namesIn(GAMEMODES[index] ?? 'earth').toSorted()
          expect(names).toEqual(expected)
          expect(species.toSorted()).toEqual(expected.map((name) => [name, 1]).toSorted())
        }
      }
    }
    await expectAll()
    const leaders = async (place: Place) => {
      const query = `?type=fish&gamemode=${place}&limit=1000`
      const { body } = await chief().ask<Leaderboard>(fleet().at(0), 'GET', `${ROUTES.leaderboard.path}${query}`)
      return body.leaderboard
    }
    const { fish } = (await chief().ask<Stats>(fleet().at(0), 'GET', ROUTES.stats.path)).body
    for (const place of GAMEMODES) {
      const board = await leaders(place)
      expect(board.find(({ name }) => name === user.name)?.count).toBe(namesIn(place).length)
      expect(board.reduce((sum, { count }) => sum + count, 0)).toBe(fish.byGamemode[place])
    }

    const checkOne = async ({ id, token, place }: Known) => {
      if (place !== undefined) {
        expect((await remove(other, id, place)).status).toBe(404)
        expect((await move(other, id, place, place === 'earth' ? 'survival' : 'earth')).status).toBe(404)
      }
      const replay = await postToken(fleet().at(0), user, token)
      expect([replay.status, replay.body.id, replay.headers.get(HEADERS.replayed)]).toEqual([200, id, 'true'])
    }
    await Promise.all(known.map(checkOne))
    await expectAll()
    const [moved, removed] = [namesIn('survival').length, known.filter(({ place }) => place === undefined).length]
    expect(Math.min(moved, removed)).toBeGreaterThan(5)
  })
}
