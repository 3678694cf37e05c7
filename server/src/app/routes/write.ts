import { HEADERS, type Kind, MEDIA_TYPES, type Saved, type User, userNameKey } from '@fish-crab/sdk/contract'
import { type DecryptedToken, isWithinTtl } from '@fish-crab/sdk/fernet'
import { agreedGamemode, requireGamemode } from '../catches/gamemode.ts'
import { parsePayload } from '../catches/payload.ts'
import { tokenMoment, toRecord } from '../catches/record.ts'
import { savedMessage } from '../catches/saved-message.ts'
import { decryptToken, tokenText } from '../catches/token.ts'
import { json } from '../http/answer.ts'
import { parseJson, readBody, requireMediaType } from '../http/body.ts'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import type { Handler, Services } from '../services.ts'
import { agreedName } from '../users/agreed-name.ts'
import { sha256Hex } from '../users/digest.ts'

/** `POST /post/fish` and `POST /post/crab`: stores what a token holds, once. */
export function writeHandler(services: Services, kind: Kind): Handler {
  const { storage, identity, users, clock, createId, tokenTtlSeconds } = services

  return async (exchange) => {
    requireMediaType(exchange.request, MEDIA_TYPES.token)
    const user = await users.require(userNameOf(exchange))
    const said = [exchange.request.headers.get(HEADERS.gamemode), ...exchange.query.getAll('gamemode')]
    agreedGamemode(said)
    const text = tokenText(await readBody(exchange.request))
    const dedupeKey = await sha256Hex(withoutPadding(text))
    const token = await decryptToken(await users.fernet(user), text)
    if (!token) return replayOr('invalid_token', user, dedupeKey, 1)

    const payload = parsePayload[kind](parseJson(token.message))
    if (payload.user !== undefined && userNameKey(payload.user) !== userNameKey(user.name)) {
      throw new Failure('user_mismatch')
    }
    const gamemode = requireGamemode([...said, payload.gamemode])
    const count = payload.entries.length
    if (isExpired(token)) return replayOr('token_expired', user, dedupeKey, count)

    const record = toRecord(payload.entries, {
      id: createId(),
      dedupeKey,
      caughtAt: tokenMoment(token.timestamp, exchange.receivedAt),
    })
    const result = await storage.append({ owner: user.id, kind, gamemode }, record)
    if (result.outcome === 'owner_removed') throw new Failure('user_not_found')
    return result.outcome === 'replayed' ? replayed(user, count, result.id) : json(201, saved(user, count, result.id))
  }

  function isExpired({ timestamp }: DecryptedToken): boolean {
    return tokenTtlSeconds !== undefined && !isWithinTtl(timestamp, { ttlSeconds: tokenTtlSeconds, now: clock() })
  }

  /**
   * The answer to a token that would be refused now. One that was stored before, while it was young or under a key
   * that has been replaced since, is answered as stored: its sender would otherwise encrypt the catch anew, and have
   * it twice.
   */
  async function replayOr(code: 'invalid_token' | 'token_expired', user: User, dedupeKey: string, count: number) {
    const id = await storage.findRecord(user.id, dedupeKey)
    if (id !== undefined) return replayed(user, count, id)
    await identity.verify()
    throw new Failure(code)
  }

  function saved({ name }: User, count: number, id: string): Saved {
    return { message: savedMessage(kind, count, name), id }
  }

  function replayed(user: User, count: number, id: string) {
    return json(200, saved(user, count, id), { [HEADERS.replayed]: 'true' })
  }
}

/** Whose token it is: the user that the query names, else the owner of the personal API key. */
function userNameOf({ query, apiKeyUser }: Exchange): string {
  const name = agreedName(query) ?? apiKeyUser?.name
  if (!name) throw new Failure('missing_name')
  return name
}

/** The one spelling of a token: padding is there exactly or not at all. */
function withoutPadding(text: string): string {
  return text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text
}
