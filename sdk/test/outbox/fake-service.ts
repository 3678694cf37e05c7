import { ApiError, ConnectionError, type FishCrabError, RateLimitError } from '@fish-crab/sdk'
import { ERROR_CODES, type ErrorCode, type Kind } from '@fish-crab/sdk/contract'
import type { OutboxClient } from '@fish-crab/sdk/outbox'

interface Entry {
  readonly name?: string
  readonly rarity?: unknown
  readonly caughtAt?: unknown
}

/** A request that the service received. */
export interface Sent {
  readonly kind: Kind
  readonly user: string
  readonly gamemode: string
  readonly token: string
  readonly names: readonly string[]
}

type Trouble = (sent: Sent) => Promise<void> | void

/** A fake service, with the state that tests read and the hooks that tests set. */
export interface FakeService {
  /** The only key whose tokens the service accepts. */
  key: string
  readonly requests: readonly Sent[]
  /** Called before a request is stored. A thrown error becomes the error of the client. */
  before: Trouble
  /** Called after a request is stored and before the response is sent. */
  after: Trouble
  /** Returns the entries of a collection such as `fish/Alex/earth`. */
  entries(collection: string): readonly Entry[]
  names(collection: string): (string | undefined)[]
  client(key?: string): OutboxClient
}

/** Creates a service that stores each token once, and whose clients use neither a network nor cryptography. */
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

/** The error that the client throws if the service refuses a request. */
export function refusal(code: ErrorCode): FishCrabError {
  return new ApiError(`It failed with ${code}.`, { code, status: ERROR_CODES[code].status, headers: {} })
}

/** The error that the client throws at the rate limit. */
export function limited(resetAt: number): RateLimitError {
  const fields = { code: 'rate_limited', status: 429, headers: {} }
  return new RateLimitError('Too many requests.', fields, { resetAt: new Date(resetAt), retryAfterMs: 1000 })
}

/** The error that the client throws if a request gets no response. */
export function lost(): ConnectionError {
  return new ConnectionError('The connection broke.', { systemCode: 'ECONNRESET' })
}

/** Fish with the numbers `from` to `to` as names. */
export function fish(from: number, to = from) {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    return { kind: 'fish', name: `${from + index}`, rarity: 1 } as const
  })
}

/** The names of the fish that `fish(from, to)` returns. */
export function numbers(from: number, to: number): string[] {
  return fish(from, to).map(({ name }) => name)
}
