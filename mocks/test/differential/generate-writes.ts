import { HEADERS, LIMITS, MEDIA_TYPES, ROUTES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { Dice } from './dice.ts'
import { gamemode, query, userName } from './generate-reads.ts'
import { HOSTILE_TEXTS } from './hostile.ts'
import type { PlainBody, PlainRequest } from './plain-request.ts'
import type { Sequence } from './sequence.ts'
import { ALEX, BEA, TOKEN_TTL_SECONDS, USERS } from './setup.ts'

type Pair = readonly [string, string]

/** `POST /post/fish` and `POST /post/crab`, some of them for the second time. */
export async function writeRequest(sequence: Sequence): Promise<PlainRequest> {
  const { dice, writes } = sequence
  if (writes.length > 0 && dice.chance(0.15)) return dice.pick(writes)
  const kind = dice.chance(0.6) ? 'fish' : 'crab'
  const user = dice.pick(USERS)
  const pairs: Pair[] = []
  const headers: Pair[] = []
  if (dice.chance(0.85)) pairs.push(['name', dice.chance(0.9) ? user.name : userName(dice)])
  else headers.push([HEADERS.apiKey, user.apiKey])
  if (dice.chance(0.75)) headers.push([HEADERS.gamemode, dice.chance(0.9) ? 'earth' : gamemode(dice)])
  if (dice.chance(0.15)) pairs.push(['gamemode', gamemode(dice)])
  // Twice only where servers join what came twice; of others, HTTP servers drop the second.
  if (dice.chance(0.02)) headers.push([HEADERS.gamemode, 'survival'])
  if (dice.chance(0.85)) headers.push(['content-type', mediaType(dice)])
  if (dice.chance(0.02)) headers.push(['content-encoding', dice.pick(['gzip', 'identity', 'br'])])
  const path = (dice.chance(0.95) ? kind : 'fish') === 'fish' ? ROUTES.postFish.path : ROUTES.postCrab.path
  const token = await tokenFor(sequence, user.fernetKey, JSON.stringify(payload(dice, kind, user.name)))
  const body = dice.chance(0.05) ? oddBody(dice) : { latin1: dress(dice, token) }
  const request = {
    method: 'POST',
    target: path + query(pairs),
    headers,
    body: dice.chance(0.05) ? { ...body, chunked: true } : body,
  }
  writes.push(request)
  return request
}

/** What a token may hold, and what it must not. */
export function payload(dice: Dice, kind: 'fish' | 'crab', name: string): unknown {
  const entries = (most: number) => Array.from({ length: dice.below(most) + 1 }, () => entry(dice, kind))
  const one = () => (kind === 'fish' ? { fish: catchName(dice), rarity: rarity(dice) } : { crab: 'crab', fish: 'crab' })
  const batch = () => ({
    ...(dice.chance(0.8) ? { user: dice.chance(0.9) ? name : 'Someone' } : {}),
    ...(dice.chance(0.8) ? { gamemode: dice.chance(0.9) ? 'earth' : 'factions' } : {}),
    [kind]: entries(dice.chance(0.03) ? LIMITS.entriesPerWrite + 1 : 6),
  })
  return dice.weighted<() => unknown>([
    [10, one],
    [10, batch],
    [1, () => ({})],
    [1, () => dice.pick([null, 1, 'text', [], [{}], true])],
    [1, () => ({ [kind]: [] })],
    [1, () => ({ ...batch(), extra: { deep: [1, 2, 3] }, __proto__: 1 })],
  ])()
}

function entry(dice: Dice, kind: 'fish' | 'crab'): object {
  const caughtAt = dice.chance(0.2)
    ? { caughtAt: dice.pick(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00', '2026-13-01', 'soon', 1, null]) }
    : {}
  if (kind === 'crab') return { ...(dice.chance(0.4) ? { name: catchName(dice) } : {}), ...caughtAt }
  return { name: catchName(dice), rarity: rarity(dice), ...caughtAt }
}

function catchName(dice: Dice): unknown {
  return dice.weighted([
    [30, dice.pick(['Salmon', 'Cod', 'Koi', 'Bronze Koi', 'Pike'])],
    [2, dice.pick(HOSTILE_TEXTS)],
    [1, '🐟'.repeat(100)],
    [1, 'x'.repeat(101)],
    [0.5, dice.pick([null, 7, {}])],
  ])
}

function rarity(dice: Dice): unknown {
  return dice.weighted([
    [30, 1 + dice.below(7)],
    [2, dice.pick([0, 8, 1.5, '3', null, -1, 1e9])],
  ])
}

/** Encrypted for its user, for another, with an old or a future time, tampered with, cut short. */
async function tokenFor({ dice, now }: Sequence, key: string, message: string): Promise<string> {
  const age = dice.weighted([
    [20, 0],
    [1, TOKEN_TTL_SECONDS * 1000],
    [1, (TOKEN_TTL_SECONDS + 1) * 1000],
    [1, 400 * 86_400_000],
    [1, -60_000],
    [1, -62_000],
  ])
  const whose = dice.chance(0.96) ? key : dice.pick([ALEX, BEA]).fernetKey
  const text = dice.chance(0.97)
    ? message
    : dice.pick(['', '{', 'null', '\ufeff{}', message.slice(0, -1), `${message} `])
  const token = await createFernet(whose).encrypt(text, { now: now - age, iv: dice.bytes(16) })
  if (!dice.chance(0.05)) return token
  const at = dice.below(token.length)
  return dice.pick([
    token.slice(0, at),
    `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`,
    `${token.slice(0, at)} ${token.slice(at)}`,
    token.replaceAll('-', '+').replaceAll('_', '/'),
    `${token}A`,
  ])
}

/** The forms in which clients send a token. */
function dress(dice: Dice, token: string): string {
  const bare = token.replace(/=+$/, '')
  return dice.weighted([
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

function oddBody(dice: Dice): PlainBody {
  return dice.weighted<PlainBody>([
    [3, { latin1: '' }],
    [3, { latin1: Buffer.from(dice.bytes(dice.below(300))).toString('latin1') }],
    [2, { latin1: '\x80'.repeat(1 + dice.below(90)) }],
    [2, { latin1: '{"fish":"Salmon","rarity":3}' }],
    [0.7, { latin1: 'A', times: LIMITS.bodyBytes }],
    [3, { latin1: 'A', times: LIMITS.bodyBytes + 1 + dice.below(3) * 100_000 }],
  ])
}

function mediaType(dice: Dice): string {
  return dice.weighted([
    [20, MEDIA_TYPES.token],
    [1, `${MEDIA_TYPES.token.toUpperCase()}; charset=x`],
    [1, MEDIA_TYPES.json],
    [1, dice.pick(['text/plain', '', ';', 'application/x-www-form-urlencoded', '*/*'])],
  ])
}
