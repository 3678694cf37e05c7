import { type Kind, rarityValue } from '@fish-crab/sdk/contract'
import type { App } from '@fish-crab/server/app'
import { decryptToken, parsePayload, readBody, tokenText } from '@fish-crab/server/internal'
import type { SentPayload } from './entry.ts'

/** Decrypts and parses the body of a write as the service does, also of a write that the service refused. */
export async function readPayload(
  { users }: Pick<App, 'users'>,
  kind: Kind,
  userName: string | undefined,
  request: Request,
): Promise<SentPayload> {
  const body = await readBody(request).catch(() => undefined)
  if (!body) return { kind: 'unread' }
  const user = userName === undefined ? undefined : await users.find(userName)
  if (!user) return { kind: 'undecipherable', reason: 'unknown user' }
  const token = await decryptToken(await users.fernet(user), tokenText(body))
  if (!token) return { kind: 'undecipherable', reason: 'not a token of this user' }
  const text = new TextDecoder().decode(token.message)
  let content: unknown = text
  try {
    content = JSON.parse(text)
    const { user, gamemode, entries } = parsePayload[kind](content)
    const sent = entries.map(({ rarity, ...rest }) => (rarity ? { ...rest, rarity: rarityValue(rarity) } : rest))
    return {
      kind,
      ...(user === undefined ? {} : { user }),
      ...(gamemode === undefined ? {} : { gamemode }),
      entries: sent,
    } as SentPayload
  } catch {
    return { kind: 'invalid', content }
  }
}
