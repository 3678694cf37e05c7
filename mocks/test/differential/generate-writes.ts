import { HEADERS, LIMITS, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { HOSTILE_TEXTS } from '../../../scripts/test-support/hostile-texts.ts'
import { gamemode, query, userName } from './generate-reads.ts'
import type { PlainBody, PlainRequest } from './plain-request.ts'
import type { Random } from './random.ts'
import type { Sequence } from './sequence.ts'
import { ALEX, BEA, TOKEN_TTL_SECONDS, USERS } from './setup.ts'

type Pair = readonly [string, string]

/** Generates a request to `/post/fish` or `/post/crab`, or repeats an earlier write. */
export async function writeRequest(sequence: Sequence): Promise<PlainRequest> {
  const { random, writes } = sequence
  if (writes.length > 0 && random.chance(0.15)) return random.pick(writes)
  const kind = random.chance(0.6) ? 'fish' : 'crab'
  const user = random.pick(USERS)
  const pairs: Pair[] = []
  const headers: Pair[] = []
  if (random.chance(0.85)) pairs.push(['name', random.chance(0.9) ? user.name : userName(random)])
  else headers.push([HEADERS.apiKey, user.apiKey])
  if (random.chance(0.75)) headers.push([HEADERS.gamemode, random.chance(0.9) ? 'earth' : gamemode(random)])
  if (random.chance(0.15)) pairs.push(['gamemode', gamemode(random)])
  // Only the gamemode header is sent twice, since servers join both values. Of other repeated headers, HTTP servers may
  // drop the second.
  if (random.chance(0.02)) headers.push([HEADERS.gamemode, 'survival'])
  if (random.chance(0.85)) headers.push(['content-type', mediaType(random)])
  if (random.chance(0.02)) headers.push(['content-encoding', random.pick(['gzip', 'identity', 'br'])])
  const path = (random.chance(0.95) ? kind : 'fish') === 'fish' ? ROUTES.postFish.path : ROUTES.postCrab.path
  const token = await tokenFor(sequence, user.fernetKey, JSON.stringify(payload(random, kind, user.name)))
  const body = random.chance(0.05) ? oddBody(random) : { latin1: dress(random, token) }
  const request = {
    method: 'POST',
    target: path + query(pairs),
    headers,
    body: random.chance(0.05) ? { ...body, chunked: true } : body,
  }
  writes.push(request)
  return request
}

/** Generates a valid or invalid payload. */
export function payload(random: Random, kind: 'fish' | 'crab', name: string): unknown {
  const entries = (most: number) => Array.from({ length: random.below(most) + 1 }, () => entry(random, kind))
  const one = () =>
    kind === 'fish' ? { fish: catchName(random), rarity: rarity(random) } : { crab: 'crab', fish: 'crab' }
  const batch = () => ({
    ...(random.chance(0.8) ? { user: random.chance(0.9) ? name : 'Someone' } : {}),
    ...(random.chance(0.8) ? { gamemode: random.chance(0.9) ? 'earth' : 'factions' } : {}),
    [kind]: entries(random.chance(0.03) ? LIMITS.entriesPerWrite + 1 : 6),
  })
  return random.weighted<() => unknown>([
    [10, one],
    [10, batch],
    [1, () => ({})],
    [1, () => random.pick([null, 1, 'text', [], [{}], true])],
    [1, () => ({ [kind]: [] })],
    [1, () => ({ ...batch(), extra: { deep: [1, 2, 3] }, __proto__: 1 })],
  ])()
}

function entry(random: Random, kind: 'fish' | 'crab'): object {
  const caughtAt = random.chance(0.2)
    ? { caughtAt: random.pick(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00', '2026-13-01', 'soon', 1, null]) }
    : {}
  if (kind === 'crab') return { ...(random.chance(0.4) ? { name: catchName(random) } : {}), ...caughtAt }
  return { name: catchName(random), rarity: rarity(random), ...caughtAt }
}

function catchName(random: Random): unknown {
  return random.weighted([
    [30, random.pick(['Salmon', 'Cod', 'Koi', 'Bronze Koi', 'Pike'])],
    [2, random.pick(HOSTILE_TEXTS)],
    [1, '🐟'.repeat(100)],
    [1, 'x'.repeat(101)],
    [0.5, random.pick([null, 7, {}])],
  ])
}

function rarity(random: Random): unknown {
  return random.weighted([
    [30, 1 + random.below(7)],
    [2, random.pick([0, 8, 1.5, '3', null, -1, 1e9])],
  ])
}

/**
 * Generates a token that is valid, encrypted for a different user, too old, from the future, tampered with or
 * truncated.
 */
async function tokenFor({ random, now }: Sequence, key: string, message: string): Promise<string> {
  const age = random.weighted([
    [20, 0],
    [1, TOKEN_TTL_SECONDS * 1000],
    [1, (TOKEN_TTL_SECONDS + 1) * 1000],
    [1, 400 * 86_400_000],
    [1, -60_000],
    [1, -62_000],
  ])
  const whose = random.chance(0.96) ? key : random.pick([ALEX, BEA]).fernetKey
  const text = random.chance(0.97)
    ? message
    : random.pick(['', '{', 'null', '\ufeff{}', message.slice(0, -1), `${message} `])
  const token = await createFernet(whose).encrypt(text, { now: now - age, iv: random.bytes(16) })
  if (!random.chance(0.05)) return token
  const at = random.below(token.length)
  return random.pick([
    token.slice(0, at),
    `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`,
    `${token.slice(0, at)} ${token.slice(at)}`,
    token.replaceAll('-', '+').replaceAll('_', '/'),
    `${token}A`,
  ])
}

/** Returns a token in one of the forms that clients send, or in a malformed form. */
function dress(random: Random, token: string): string {
  const bare = token.replace(/=+$/, '')
  return random.weighted([
    [6, token],
    [6, bare],
    [1, `${token}\n`],
    [1, `${bare}\r\n`],
    [3, Buffer.from(token, 'base64url').toString('latin1')],
    [0.5, `${token}=`],
    [0.5, ` ${token}`],
    [0.5, `"${token}"`],
  ])
}

function oddBody(random: Random): PlainBody {
  return random.weighted<PlainBody>([
    [3, { latin1: '' }],
    [3, { latin1: Buffer.from(random.bytes(random.below(300))).toString('latin1') }],
    [2, { latin1: '\x80'.repeat(1 + random.below(90)) }],
    [2, { latin1: '{"fish":"Salmon","rarity":3}' }],
    [0.7, { latin1: 'A', times: LIMITS.bodyBytes }],
    [3, { latin1: 'A', times: LIMITS.bodyBytes + 1 + random.below(3) * 100_000 }],
  ])
}

function mediaType(random: Random): string {
  return random.weighted([
    [20, MEDIA_TYPES.token],
    [1, `${MEDIA_TYPES.token.toUpperCase()}; charset=x`],
    [1, MEDIA_TYPES.json],
    [1, random.pick(['text/plain', '', ';', 'application/x-www-form-urlencoded', '*/*'])],
  ])
}
