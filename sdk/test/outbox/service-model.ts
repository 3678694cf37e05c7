import type { Clock } from '@fish-crab/sdk'
import { settle } from './clocks.ts'
import { fakeService, limited, lost, refusal, type Sent } from './fake-service.ts'

export const COLLECTIONS = ['fish/Alex/earth', 'fish/Sam/earth', 'crab/Alex/earth'] as const
/** The possible outcomes of a request. */
export const TREATMENTS = [
  ...['ok', 'ok', 'ok', 'request lost', 'response lost', 'unavailable', 'limited', 'no such user', 'aborted'],
] as const

export interface Catch {
  readonly name: string
  readonly collection: string
  readonly key: string | undefined
  state: 'waiting' | 'dead' | 'acknowledged' | 'cancelled' | 'dropped'
  wasDead: boolean
}

/** The expected content of an outbox, after the responses of its service. */
export class ServiceModel {
  readonly service = fakeService()
  readonly catches: Catch[] = []
  /** The catch names in the batch that got no response, by collection. */
  private readonly frozen = new Map<string, readonly string[]>()
  private readonly storedTokens = new Set<string>()
  private now = Date.UTC(2026, 0, 1)
  /** The outcomes of the next requests. Later requests succeed. */
  treatments: readonly (typeof TREATMENTS)[number][] = []
  /** Whether the service refuses catches whose names end with an exclamation mark. */
  isStrict = false
  abort = new AbortController()

  readonly clock: Clock = {
    now: () => this.now,
    // All requests in flight get their responses before a wait ends.
    sleep: async (ms) => {
      await settle()
      this.now += ms
    },
  }

  constructor() {
    this.service.before = (sent) => this.receive(sent)
    this.service.after = (sent) => this.respond(sent)
  }

  frozenNames(): string[] {
    return [...this.frozen.values()].flat()
  }

  namesIn(state: Catch['state']): string[] {
    return this.catches.filter((one) => one.state === state).map(({ name }) => name)
  }

  mark(names: readonly string[], state: Catch['state']): void {
    for (const one of this.catches) {
      if (!names.includes(one.name)) continue
      one.state = state
      if (state === 'dead') one.wasDead = true
    }
  }

  private receive({ kind, user, gamemode, token, names }: Sent): void {
    const collection = `${kind}/${user}/${gamemode}`
    this.frozen.set(collection, names)
    const [treatment = 'ok', ...others] = this.treatments
    if (treatment === 'request lost') this.treatments = others
    if (treatment === 'request lost') throw lost()
    const isStored = this.storedTokens.has(token)
    if (treatment === 'unavailable' || treatment === 'limited') {
      this.treatments = others
      throw treatment === 'limited' ? limited(this.now + 100_000) : refusal('storage_error')
    }
    if (isStored) return
    if (JSON.parse(token).key !== this.service.key) return void this.frozen.delete(collection)
    if (treatment === 'no such user') {
      this.treatments = others
      this.frozen.delete(collection)
      const isWaiting = (one: Catch) => one.collection === collection && one.state === 'waiting'
      this.mark(
        this.catches.filter(isWaiting).map(({ name }) => name),
        'dead',
      )
      throw refusal('user_not_found')
    }
    if (this.isStrict && names.some((name) => name.endsWith('!'))) {
      this.frozen.delete(collection)
      if (names.length === 1) this.mark(names, 'dead')
      throw refusal('invalid_payload')
    }
  }

  private async respond({ kind, user, gamemode, token, names }: Sent): Promise<void> {
    this.storedTokens.add(token)
    const [treatment = 'ok', ...others] = this.treatments
    this.treatments = others
    if (treatment === 'response lost') throw lost()
    if (treatment === 'aborted') {
      this.abort.abort(new Error('aborted'))
      return new Promise(() => {})
    }
    await new Promise(setImmediate)
    this.frozen.delete(`${kind}/${user}/${gamemode}`)
    this.mark(names, 'acknowledged')
  }
}
