import { HEADERS, type Kind, MEDIA_TYPES, type Saved, type User } from '@fish-crab/sdk/contract'
import { type DecryptedToken, isWithinTtl } from '@fish-crab/sdk/fernet'
import { parsePayload } from '../catches/payload.ts'
import { dedupeKeyOf, savedMessage, tokenTime, toRecord } from '../catches/record.ts'
import { HttpError } from '../http/http-error.ts'
import { parseJson, requireMediaType } from '../http/request.ts'
import { json } from '../http/response.ts'
import type { Handler } from '../http/router.ts'
import { decryptBody } from './decrypt-body.ts'
import { requestedUser } from './parameters.ts'
import type { Services } from './services.ts'

/** How long a user that was found for a request counts as current, in milliseconds. */
const CURRENT_MS = 1000

export function writeHandler(services: Services, kind: Kind): Handler {
  const { storage, users, gamemodes, clock, createId, tokenTtlSeconds } = services

  return async (context) => {
    requireMediaType(context.request, MEDIA_TYPES.token)
    const user = await requestedUser(services, context)
    const outside = [context.request.headers.get(HEADERS.gamemode), ...context.query.getAll('gamemode')]
    context.gamemode = gamemodes.named(outside)
    context.body ??= decryptBody(users, context, user)
    const { text, token } = await context.body
    const dedupeKey = await dedupeKeyOf(withoutPadding(text))
    if (!token) return replayedOrError('invalid_token', user, dedupeKey, 1)

    const payload = parsePayload[kind](parseJson(token.message))
    if (payload.user !== undefined && !(await users.isNameOf(user, payload.user))) {
      throw new HttpError('user_mismatch')
    }
    const gamemode = gamemodes.require([...outside, payload.gamemode])
    context.gamemode = gamemode
    const count = payload.entries.length
    if (isExpired(token)) return replayedOrError('token_expired', user, dedupeKey, count)

    // A slow client can delay the body, and the user may be suspended meanwhile.
    const isCurrent = clock() - context.receivedAt < CURRENT_MS
    const { suspended } = (isCurrent ? undefined : await users.findById(user.id)) ?? user
    if (suspended) return replayedOrError('user_suspended', user, dedupeKey, count)

    const record = toRecord(payload.entries, {
      id: createId(),
      dedupeKey,
      caughtAt: tokenTime(token.timestamp, context.receivedAt),
      receivedAt: context.receivedAt,
    })
    const result = await storage.append({ owner: user.id, kind, gamemode }, record)
    if (result.outcome === 'owner_removed') throw new HttpError('user_not_found')
    return result.outcome === 'replayed' ? replayed(user, count, result.id) : json(201, saved(user, count, result.id))
  }

  function isExpired({ timestamp }: DecryptedToken): boolean {
    return tokenTtlSeconds !== undefined && !isWithinTtl(timestamp, { ttlSeconds: tokenTtlSeconds, now: clock() })
  }

  /**
   * Responds to a token that is refused. If the token was stored while it was valid, the request is a replay.
   * An error would make the sender encrypt the catch again, and the catch would be stored twice.
   */
  async function replayedOrError(
    code: 'invalid_token' | 'token_expired' | 'user_suspended',
    user: User,
    dedupeKey: string,
    count: number,
  ) {
    const id = await storage.findRecord(user.id, dedupeKey)
    if (id !== undefined) return replayed(user, count, id)
    throw new HttpError(code)
  }

  function saved({ name }: User, count: number, id: string): Saved {
    return { message: savedMessage(kind, count, name), id }
  }

  function replayed(user: User, count: number, id: string) {
    return json(200, saved(user, count, id), { [HEADERS.replayed]: 'true' })
  }
}

/**
 * Removes the padding of a token, so that both forms of a token, with and without padding, have the same `dedupeKey`.
 */
function withoutPadding(text: string): string {
  return text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text
}
