import type { RandomSource } from '../ids.ts'
import { lazy } from '../lazy.ts'
import { decryptSealed, deriveSealKey, encryptSealed, type SealKey } from './seal-cipher.ts'

const VERSION = 'v2'
/** The form of the first release: it does not say which secret it was sealed under. */
const VERSION_WITHOUT_ID = 'v1'

/** An IV of 12 bytes, and at least the 16 bytes of a tag, as base64 (RFC 4648, section 4). */
const SEALED =
  /^(?:v2\.[A-Za-z0-9_-]{8}|v1)\.[A-Za-z0-9+/]{16}\.(?=.{24})(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Whether a text has the form of a sealed one. Whether it can be opened is another question. */
export function isSealed(text: string): boolean {
  return SEALED.test(text)
}

/** The short id of the secret that a text was sealed under; `undefined` for one of the first release. */
export function secretIdOf(sealed: string): string | undefined {
  const [version, id] = sealed.split('.')
  return version === VERSION ? id : undefined
}

/** Thrown when a sealed secret cannot be opened: another `FISH_SECRET`, another owner, or tampering. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/**
 * Seals secrets at rest with AES-256-GCM, each bound to its owner. A sealed text is `v2.KEY-ID.IV.SEALED`, or
 * `v1.IV.SEALED` where it is older.
 */
export interface Vault {
  /** Seals a secret under the first key. The owner is authenticated, not stored: only the same owner opens it. */
  seal(secret: string, owner: string): Promise<string>
  /** Opens what was sealed under any of the keys, or throws {@link SealError}. */
  open(sealed: string, owner: string): Promise<string>
  /** Whether a sealed secret is one of the first key. Throws {@link SealError} when it cannot be opened at all. */
  isOfFirst(sealed: string, owner: string): Promise<boolean>
  /** The same secret in today's form under the first key: the very text when it is that already. Throws as `open`. */
  reseal(sealed: string, owner: string): Promise<string>
}

interface Opened {
  readonly plain: string
  readonly key: SealKey
  readonly version: string
}

/**
 * Makes the vault of a service's secrets. The first one seals, any opens: the id of the right key stands in the sealed
 * text, so further secrets cost nothing.
 * @param secrets at least one, the one to seal with first
 */
export function createVault(secrets: readonly string[], random: RandomSource): Vault {
  const keys = lazy(() => Promise.all(secrets.map(deriveSealKey)))
  const byId = lazy(async () => new Map((await keys()).map((key) => [key.id, key])))
  const firstKey = async () => {
    const [first] = await keys()
    if (!first) throw new TypeError('A vault needs a secret.')
    return first
  }

  async function seal(plain: string, owner: string): Promise<string> {
    const key = await firstKey()
    return [VERSION, key.id, ...(await encryptSealed(key, plain, owner, random))].join('.')
  }

  async function open(text: string, owner: string): Promise<Opened> {
    const [version = '', ...parts] = text.split('.')
    if (version === VERSION && parts.length === 3) {
      const [id = '', iv = '', sealed = ''] = parts
      const key = (await byId()).get(id)
      if (!key) throw new SealError(`What is sealed for ${owner} needs a secret that was not given: ${SECRETS_HINT}`)
      return { plain: await decryptSealed(key, { iv, sealed, owner }).catch(refuse(owner)), key, version }
    }
    if (version !== VERSION_WITHOUT_ID || parts.length !== 2) return refuse(owner)(undefined)
    const [iv = '', sealed = ''] = parts
    // Authenticated encryption: no other key than the right one opens it.
    const tries = (await keys()).map(async (key) => ({
      plain: await decryptSealed(key, { iv, sealed, owner }),
      key,
      version,
    }))
    return Promise.any(tries).catch(({ errors }: AggregateError) => refuse(owner)(errors[0]))
  }

  return {
    seal,
    open: async (text, owner) => (await open(text, owner)).plain,
    isOfFirst: async (text, owner) => (await open(text, owner)).key.id === (await firstKey()).id,
    async reseal(text, owner) {
      const { plain, key, version } = await open(text, owner)
      return version === VERSION && key.id === (await firstKey()).id ? text : seal(plain, owner)
    },
  }
}

const SECRETS_HINT = 'FISH_SECRET is another one, and so are those of FISH_SECRET_PREVIOUS.'

function refuse(owner: string): (cause: unknown) => never {
  return (cause) => {
    throw new SealError(
      `What is sealed for ${owner} cannot be opened: it was changed, belongs to another owner, or FISH_SECRET is not the one it was sealed with.`,
      { cause },
    )
  }
}
