import type { RouteName } from '@fish-crab/sdk/contract'
import type { FishStorage } from '../../storage/core/types.ts'
import type { Admin, Admins } from '../auth/admins.ts'
import type { Audit } from '../auth/audit.ts'
import type { Credentials } from '../auth/credentials.ts'
import type { LoginLimiter } from '../auth/login-limiter.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { EncodedResponses } from '../catches/encoded-response.ts'
import type { Gamemodes } from '../catches/gamemodes.ts'
import type { CollectionReader } from '../catches/read-collection.ts'
import type { SpeciesPolicy } from '../catches/species-census.ts'
import type { FairQueue } from '../core/fair-queue.ts'
import type { CardRenderer, Logger, Metrics } from '../core/host.ts'
import type { Schedule } from '../core/schedule.ts'
import type { RequestContext } from '../http/context.ts'
import type { ContentEncoder } from '../http/encoding.ts'
import type { PublicRateLimit, RateLimit } from '../http/rate-limit.ts'
import type { Docs, HandlerResponse, Pages } from '../http/response.ts'
import type { StreamOptions } from '../live/streams.ts'
import type { StoreId } from '../store/store-id.ts'
import type { Links } from '../users/links.ts'
import type { Users } from '../users/users.ts'

export interface Services {
  readonly storage: FishStorage
  readonly storeId: StoreId
  readonly users: Users
  readonly admins: Admins
  readonly credentials: Credentials
  readonly loginLimiter: LoginLimiter
  readonly links: Links
  readonly sessions: Sessions
  readonly audit: Audit
  readonly readCollection: CollectionReader
  /** Counts a request of a route whose access is not `public`, which the pipeline does not count. */
  readonly limitRate: PublicRateLimit
  readonly responses: EncodedResponses
  readonly schedule: Schedule
  readonly readQueue: FairQueue
  readonly streams: StreamOptions
  readonly contentEncoder: ContentEncoder
  readonly logger: Logger
  readonly clock: () => number
  readonly createId: () => string
  readonly version: string
  readonly gamemodes: Gamemodes
  readonly publicUrl: string | undefined
  readonly adminRateLimit: RateLimit
  readonly tokenTtlSeconds: number | undefined
  readonly publicLeaderboard: boolean
  readonly species: SpeciesPolicy
  readonly isAccepting: () => boolean
  readonly metrics: Metrics | undefined
  readonly docs: Docs | undefined
  readonly pages: Pages | undefined
  readonly renderCard: CardRenderer | undefined
}

export type AdminHandler = (context: RequestContext, admin: Admin) => Promise<HandlerResponse> | HandlerResponse

export type AdminHandlers = Partial<Record<RouteName, AdminHandler>>
