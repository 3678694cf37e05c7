import { FURTHER_ROUTES } from '../../contract/routes.ts'
import type { Profile } from '../../contract/schemas.ts'
import { CALL_OPTIONS, type CallOptions, type Settings } from '../core/options.ts'
import { profileShape } from '../shapes/on-demand.generated.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { resolveUser } from './target.ts'

/** Options of `profile`. */
interface ProfileOptions extends CallOptions {
  /** @default the user of the client */
  readonly user?: string | undefined
  /** Adds all species of each gamemode. @default false */
  readonly species?: boolean | undefined
}

/** Reads the statistics of a player's catches. */
export type GetProfile = (options?: ProfileOptions) => ApiPromise<Profile & ResponseMeta>

export function getProfile(
  transport: Transport,
  settings: Pick<Settings, 'user'>,
  options: ProfileOptions = {},
): ApiPromise<Profile & ResponseMeta> {
  return call(transport, {
    options,
    known: { ...CALL_OPTIONS, user: 1, species: 1 },
    shape: profileShape,
    prepare: () => {
      const { user: name, issue } = resolveUser(options, settings)
      const species = options.species ? 'true' : undefined
      return { route: FURTHER_ROUTES.getProfile, query: { name, species }, issues: [issue] }
    },
  })
}
