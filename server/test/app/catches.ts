import { HEADERS, type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createFernet, type EncryptOptions } from '@fish-crab/sdk/fernet'
import { expect } from 'vitest'
import type { World } from './lane.ts'

/** One fish, as the short payload form has it. */
export const SALMON = { fish: 'Salmon', rarity: 3 } as const

/** A token of Alex's that holds this payload; texts and bytes as they are, all else as JSON. */
export async function seal(world: World, payload: unknown, options?: EncryptOptions): Promise<string> {
  const message = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  return createFernet(world.alex.fernetKey).encrypt(message, { now: world.now(), ...options })
}

/** What of a write may differ from the usual. */
export interface PostOptions {
  /** @default `?name=Alex` */
  readonly query?: string
  /** The header; `null` leaves it out. @default earth */
  readonly gamemode?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a body to a write endpoint, as the game's clients do. */
export function post(world: World, kind: Kind, body: BodyInit, options: PostOptions = {}): Promise<Response> {
  const { query = '?name=Alex', gamemode = 'earth', headers } = options
  return world.request(`/post/${kind}${query}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': MEDIA_TYPES.token,
      ...(gamemode === null ? {} : { [HEADERS.gamemode]: gamemode }),
      ...headers,
    },
  })
}

/** Encrypts a payload and sends it. */
export async function write(world: World, kind: Kind, payload: unknown, options?: PostOptions): Promise<Response> {
  return post(world, kind, await seal(world, payload), options)
}

/** An entry as reads answer it. */
export interface Listed {
  readonly name: string
  readonly rarity?: string
  readonly id?: string
  readonly caughtAt?: string
}

/** The entries of Alex's collection. */
export async function listed(world: World, kind: Kind = 'fish', query = '&gamemode=earth'): Promise<Listed[]> {
  const response = await world.request(`/get/${kind}?name=Alex${query}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as Record<Kind, Listed[]>)[kind]
}

/** How many entries of both kinds Alex has in all gamemodes. */
export async function countAll(world: World): Promise<number> {
  let count = 0
  for (const kind of ['fish', 'crab'] as const) {
    for (const gamemode of ['oneblock', 'earth', 'survival', 'factions']) {
      count += (await listed(world, kind, `&gamemode=${gamemode}`)).length
    }
  }
  return count
}
