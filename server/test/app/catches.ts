import { HEADERS, type Kind, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createFernet, type EncryptOptions } from '@fish-crab/sdk/fernet'
import { expect } from 'vitest'
import type { TestService } from './test-service.ts'

/** One fish in the short payload form. */
export const SALMON = { fish: 'Salmon', rarity: 3 } as const

/** A token of Alex with this payload. Texts and bytes are encrypted unchanged, other values as JSON. */
export async function encryptToken(service: TestService, payload: unknown, options?: EncryptOptions): Promise<string> {
  const message = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload)
  return createFernet(service.alex.fernetKey).encrypt(message, { now: service.now(), ...options })
}

/** The options of a write. */
export interface PostOptions {
  /** @default `?name=Alex` */
  readonly query?: string
  /** The gamemode header; `null` omits the header. @default earth */
  readonly gamemode?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a body to a write endpoint, as a client of the game does. */
export function post(service: TestService, kind: Kind, body: BodyInit, options: PostOptions = {}): Promise<Response> {
  const { query = '?name=Alex', gamemode = 'earth', headers } = options
  return service.request(`/post/${kind}${query}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': MEDIA_TYPES.token,
      ...(gamemode === null ? {} : { [HEADERS.gamemode]: gamemode }),
      ...headers,
    },
  })
}

/** Encrypts a payload, and sends the token. */
export async function write(
  service: TestService,
  kind: Kind,
  payload: unknown,
  options?: PostOptions,
): Promise<Response> {
  return post(service, kind, await encryptToken(service, payload), options)
}

/** An entry in the response of a read. */
export interface Listed {
  readonly name: string
  readonly rarity?: string
  readonly id?: string
  readonly entry?: number
  readonly caughtAt?: string
}

/** The entries of Alex's collection. */
export async function listed(service: TestService, kind: Kind = 'fish', query = '&gamemode=earth'): Promise<Listed[]> {
  const response = await service.request(`/get/${kind}?name=Alex${query}`)
  expect(response.status).toBe(200)
  return ((await response.json()) as Record<Kind, Listed[]>)[kind]
}

/** The number of Alex's entries of both kinds in all gamemodes. */
export async function countAll(service: TestService): Promise<number> {
  let count = 0
  for (const kind of ['fish', 'crab'] as const) {
    for (const gamemode of ['oneblock', 'earth', 'survival', 'factions']) {
      count += (await listed(service, kind, `&gamemode=${gamemode}`)).length
    }
  }
  return count
}
