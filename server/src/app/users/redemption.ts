import { ACCOUNT_LIMITS, type LoginFile, type User } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { sha256Hex, toBase64Url } from '../core/bytes.ts'
import type { RandomSource } from '../core/ids.ts'
import type { StoredRedemption } from './logins.ts'
import type { PlainSecrets } from './user-secrets.ts'
import type { Users } from './users.ts'

/** The request to redeem a link. */
export interface RedemptionRequest {
  readonly nonce: string
  /** @default a generated password */
  readonly password: string | undefined
  /** The name of the new player, only for an invitation. */
  readonly name: string | undefined
  /** Address of the service in the login file. */
  readonly service: string
  /** Records the redemption before it changes anything. */
  readonly record: (subject: string) => Promise<unknown>
}

/** The kind of a link: `u` is for a user, and `i` is an invitation. */
type LinkKind = 'u' | 'i'

const SECRET_BYTES = 32
const TOKEN = /^([ui])([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/
/** How long a repeated request gets the same response. */
export const REPEAT_MS = ACCOUNT_LIMITS.linkRepeatSeconds * 1000

/**
 * Creates the token of a link, which contains the id of its user or invitation and 256 random bits. The storage has only
 * a hash of these bits.
 */
export async function newToken(kind: LinkKind, id: string, random: RandomSource) {
  const secret = toBase64Url(random(new Uint8Array(SECRET_BYTES))).replace('=', '')
  return { token: `${kind}${id}.${secret}`, hash: await sha256Hex(secret) }
}

export function parseToken(token: string) {
  const [, kind, id = '', secret = ''] = TOKEN.exec(token) ?? []
  return kind === undefined ? undefined : { kind: kind as LinkKind, id, secret }
}

/** Creates the functions of one redemption, which store and repeat its response. */
export async function createRedemption(
  { nonce, service }: RedemptionRequest,
  secret: string,
  { users, clock }: { readonly users: Users; readonly clock: () => number },
) {
  const [token, nonceHash] = await Promise.all([sha256Hex(secret), sha256Hex(nonce)])
  // The key includes the nonce, which only the client has, so that an old link does not decrypt a backup.
  const key = await sha256Hex(`${secret} ${nonce}`)
  const fernet = createFernet(toBase64Url(Uint8Array.from(key.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))))
  const fileOf = (name: string, secrets: PlainSecrets): LoginFile => ({ version: 1, service, name, ...secrets })
  return {
    token,
    nonce: nonceHash,
    fileOf,
    async stored(name: string, secrets: PlainSecrets): Promise<StoredRedemption> {
      const now = clock()
      const response = await fernet.encrypt(JSON.stringify(fileOf(name, secrets)), { now })
      return { token, nonce: nonceHash, until: now + REPEAT_MS, response }
    },
    /** Returns the response to an earlier request with the same token and nonce. */
    async repeated(user: User | undefined): Promise<LoginFile | undefined> {
      const { redeemed } = (user && (await users.findLogin(user))) ?? {}
      if (!user || redeemed?.token !== token || redeemed.nonce !== nonceHash || redeemed.until <= clock())
        return undefined
      const { message } = await fernet.decrypt(redeemed.response)
      await users.repeatOwners(user)
      return JSON.parse(new TextDecoder().decode(message)) as LoginFile
    },
  }
}
