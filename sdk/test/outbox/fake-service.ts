import { ApiError, ConnectionError, type FishCrabError, RateLimitError } from '@fish-crab/sdk'
import { ERROR_CODES, type ErrorCode, type Kind } from '@fish-crab/sdk/contract'
import type { OutboxClient } from '@fish-crab/sdk/outbox'

interface Entry {
  readonly name?: string
  readonly rarity?: unknown
  readonly caughtAt?: unknown
}

/** One request that arrived. */
export interface Sent {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: string
  readonly token: string
  readonly names: readonly string[]
}

type Trouble = (sent: Sent) => Promise<void> | void

/** What a test sees and sets of the service. */
export interface FakeService {
  /** The key that tokens have to be made with. */
  key: string
  readonly requests: readonly Sent[]
  /** Called before a request is stored; throws what the client would throw. */
  before: Trouble
  /** Called after it, before the response is sent. */
  after: Trouble
  /** What a collection such as `fish/Alex/earth` holds. */
  entries(collection: string): readonly Entry[]
  names(collection: string): (string | undefined)[]
  client(key?: string): OutboxClient
}

/** A service that stores a token once, and clients of it, without network or cryptography. */
export function fakeService(): FakeService {
  const ids = new Map<string, string>()
  const collections = new Map<string, Entry[]>()
  const requests: Sent[] = []
  let encrypted = 0
  const stored = (collection: string): readonly Entry[] => collections.get(collection) ?? []
  const service: FakeService = {
    key: 'key-1',
    requests,
    before: () => {},
    after: () => {},
    entries: stored,
    names: (collection: string) => stored(collection).map(({ name }) => name),
    client: (key = service.key): OutboxClient =>
      ({ fish: resource('fish', key), crabs: resource('crab', key) }) as never,
  }

  function resource(kind: Kind, key: string) {
    return {
      encrypt: async (entries: readonly Entry[], { user, gamemode }: { user: string; gamemode: string }) => {
        encrypted += 1
        return { kind, user, gamemode, token: JSON.stringify({ encrypted, key, entries }) }
      },
      send: async ({ user, gamemode, token }: Sent, { signal }: { signal?: AbortSignal } = {}) => {
        const { entries, key: usedKey } = JSON.parse(token) as { entries: readonly Entry[]; key: string }
        const sent = { kind, user, gamemode, token, names: entries.map(({ name }) => name ?? 'crab') }
        requests.push(sent)
        await service.before(sent)
        signal?.throwIfAborted()
        const replayedId = ids.get(token)
        if (replayedId === undefined && usedKey !== service.key) throw refusal('invalid_token')
        const id = replayedId ?? `record-${ids.size + 1}`
        if (replayedId === undefined) {
          ids.set(token, id)
          const collection = `${kind}/${user}/${gamemode}`
          collections.set(collection, [...stored(collection), ...entries])
        }
        await service.after(sent)
        return { id, message: 'Saved', replayed: replayedId !== undefined }
      },
    }
  }
  return service
}

/** What the client throws when the service refuses. */
export function refusal(code: ErrorCode): FishCrabError {
  return new ApiError(`It failed with ${code}.`, { code, status: ERROR_CODES[code].status, headers: {} })
}

/** What the client throws when the limit is reached. */
export function limited(resetAt: number): RateLimitError {
  const fields = { code: 'rate_limited', status: 429, headers: {} }
  return new RateLimitError('Too many requests.', fields, { resetAt: new Date(resetAt), retryAfterMs: 1000 })
}

/** What the client throws without a response. */
export function lost(): ConnectionError {
  return new ConnectionError('The connection broke.', { systemCode: 'ECONNRESET' })
}

/** Fish with numbers for names. */
export function fish(from: number, to = from) {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    return { kind: 'fish', name: `${from + index}`, rarity: 1 } as const
  })
}

/** The names of such fish. */
export function numbers(from: number, to: number): string[] {
  return fish(from, to).map(({ name }) => name)
}
