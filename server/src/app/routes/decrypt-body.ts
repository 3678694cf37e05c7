import { HEADERS, type User } from '@fish-crab/sdk/contract'
import { decryptToken, tokenText } from '../catches/payload.ts'
import { sha256Hex } from '../core/bytes.ts'
import type { DecryptedBody, RequestContext } from '../http/context.ts'
import { readBody } from '../http/request.ts'
import { requestedUser } from './parameters.ts'
import type { Services } from './services.ts'

export async function decryptBody(
  users: Services['users'],
  context: RequestContext,
  user: User,
): Promise<DecryptedBody> {
  const text = tokenText(await readBody(context))
  return { text, token: await decryptToken(await users.fernet(user, await context.namedKey), text) }
}

/** Returns the decrypted payload of a write, even if the app responded before it identified the user. */
export async function payloadOf(users: Services['users'], context: RequestContext): Promise<Uint8Array | undefined> {
  context.body ??= (async () => {
    const apiKey = context.request.headers.get(HEADERS.apiKey)
    const owner = apiKey && !context.apiKeyUser ? await users.findByApiKeyHash(await sha256Hex(apiKey)) : undefined
    if (owner) context.apiKeyUser = owner
    return decryptBody(users, context, await requestedUser({ users }, context))
  })()
  return (await context.body).token?.message
}
