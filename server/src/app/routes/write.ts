import { HEADERS, type Kind, MEDIA_TYPES, type Saved, type User, userNameKey } from '@fish-crab/sdk/contract'
import { type DecryptedToken, FernetError, isWithinTtl } from '@fish-crab/sdk/fernet'
import { agreedGamemode, requireGamemode } from '../catches/gamemode.ts'
import { parsePayload } from '../catches/payload.ts'
import { tokenMoment, toRecord } from '../catches/record.ts'
import { savedMessage } from '../catches/saved-message.ts'
import { json } from '../http/answer.ts'
import { parseJson, readBody, requireMediaType } from '../http/body.ts'
import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import type { Handler, Services } from '../services.ts'

const RAW_TOKEN = 0x80

/** `POST /post/fish` and `POST /post/crab`: stores what a token holds, once. */
export function writeHandler(services: Services, kind: Kind): Handler {
  const { storage, users, clock, createId, tokenTtlSeconds } = services

  return async (exchange) => {
    requireMediaType(exchange.request, MEDIA_TYPES.token)
    const user = await users.require(userNameOf(exchange))
    const said = [exchange.request.headers.get(HEADERS.gamemode), exchange.query.get('gamemode')]
    agreedGamemode(said)
    const token = await decrypt(user, await readBody(exchange.request))
    const payload = parsePayload[kind](parseJson(token.message))
    if (payload.user !== undefined && userNameKey(payload.user) !== userNameKey(user.name)) {
      throw new Failure('user_mismatch')
    }
    const gamemode = requireGamemode([...said, payload.gamemode])

    const dedupeKey = hex(token.mac)
    const count = payload.entries.length
    if (tokenTtlSeconds !== undefined) {
      if (!isWithinTtl(token.timestamp, { ttlSeconds: tokenTtlSeconds, now: clock() })) {
        const id = await storage.findRecord(user.id, dedupeKey)
        if (id === undefined) throw new Failure('token_expired')
        return replayed(user, count, id)
      }
    }
    const record = toRecord(payload.entries, {
      id: createId(),
      dedupeKey,
      caughtAt: tokenMoment(token.timestamp, exchange.receivedAt),
    })
    const result = await storage.append({ owner: user.id, kind, gamemode }, record)
    if (result.outcome === 'owner_removed') throw new Failure('user_not_found')
    return result.outcome === 'replayed' ? replayed(user, count, result.id) : json(201, saved(user, count, result.id))
  }

  async function decrypt(user: User, body: Uint8Array): Promise<DecryptedToken> {
    const fernet = await users.fernet(user)
    const token = body[0] === RAW_TOKEN ? body : new TextDecoder('latin1').decode(body).replace(/\r?\n$/, '')
    try {
      return await fernet.decrypt(token)
    } catch (cause) {
      if (cause instanceof FernetError) throw new Failure('invalid_token')
      throw cause
    }
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
  const name = query.get('name') || apiKeyUser?.name
  if (!name) throw new Failure('missing_name')
  return name
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
