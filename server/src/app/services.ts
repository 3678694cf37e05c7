import type { FishStorage } from '../storage/types.ts'
import type { Admins } from './auth/admins.ts'
import type { Audit } from './auth/audit.ts'
import type { Credentials } from './auth/credentials.ts'
import type { Sessions } from './auth/sessions.ts'
import type { CollectionAnswerer } from './catches/collection-answer.ts'
import type { Docs } from './docs.ts'
import type { Answer } from './http/answer.ts'
import type { ContentEncoder } from './http/encoding.ts'
import type { Exchange } from './http/exchange.ts'
import type { RateLimit } from './limits/rate-limit.ts'
import type { Metrics } from './metrics.ts'
import type { Logger } from './options.ts'
import type { StoreIdentity } from './store-identity.ts'
import type { Users } from './users/users.ts'

/** What handlers work with. */
export interface Services {
  readonly storage: FishStorage
  readonly identity: StoreIdentity
  readonly users: Users
  readonly admins: Admins
  readonly credentials: Credentials
  readonly sessions: Sessions
  readonly audit: Audit
  readonly answerCollection: CollectionAnswerer
  readonly contentEncoder: ContentEncoder
  readonly logger: Logger
  readonly clock: () => number
  readonly createId: () => string
  readonly version: string
  readonly adminRateLimit: RateLimit
  readonly tokenTtlSeconds: number | undefined
  readonly isAccepting: () => boolean
  readonly metrics: Metrics | undefined
  readonly docs: Docs | undefined
}

/** Answers one request, or throws a `Failure`. */
export type Handler = (exchange: Exchange) => Promise<Answer> | Answer
