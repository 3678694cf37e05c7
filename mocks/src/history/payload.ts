import {
  crabBatchPayloadSchema,
  fishBatchPayloadSchema,
  type Kind,
  LIMITS,
  oneCrabPayloadSchema,
  oneFishPayloadSchema,
} from '@fish-crab/sdk/contract'
import type { Fernet } from '@fish-crab/sdk/fernet'
import type { SentPayload } from './entry.ts'

const RAW_TOKEN = 0x80

/** Decrypts and reads what a write wanted to store. */
export async function readPayload(kind: Kind, token: Uint8Array, fernet: Fernet | undefined): Promise<SentPayload> {
  if (!fernet) return { kind: 'undecipherable', reason: 'unknown user' }
  const text = token[0] === RAW_TOKEN ? token : new TextDecoder('latin1').decode(token).replace(/\r?\n$/, '')
  const decrypted = await fernet.decrypt(text).catch(() => undefined)
  if (!decrypted) return { kind: 'undecipherable', reason: 'not a token of this user' }
  const content = new TextDecoder().decode(decrypted.message)
  try {
    return parsed(kind, JSON.parse(content))
  } catch {
    return { kind: 'invalid', content }
  }
}

function parsed(kind: Kind, content: unknown): SentPayload {
  if (kind === 'fish') {
    const one = oneFishPayloadSchema.safeParse(content)
    if (one.success) {
      const { fish: name, rarity, ...said } = one.data
      return { kind, ...definedOf(said), entries: [{ name, rarity }] }
    }
    const many = fishBatchPayloadSchema.safeParse(content)
    if (!many.success) return { kind: 'invalid', content }
    const { fish: entries, ...said } = many.data
    return { kind, ...definedOf(said), entries }
  }
  const one = oneCrabPayloadSchema.safeParse(content)
  if (one.success) {
    const { fish: name, ...said } = one.data
    return { kind, ...definedOf(said), entries: [{ name }] }
  }
  const many = crabBatchPayloadSchema.safeParse(content)
  if (!many.success) return { kind: 'invalid', content }
  const { crab: entries, ...said } = many.data
  return { kind, ...definedOf(said), entries }
}

function definedOf({ user, gamemode }: { user?: string | undefined; gamemode?: string | undefined }) {
  return { ...(user === undefined ? {} : { user }), ...(gamemode === undefined ? {} : { gamemode }) }
}

/** Reads a body, up to what the service would read. */
export async function readBounded(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  while (reader && size <= LIMITS.bodyBytes) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.byteLength
  }
  void reader?.cancel().catch(() => {})
  const body = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}
