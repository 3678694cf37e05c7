import type { User } from '@fish-crab/sdk/contract'
import type { Versus } from '../../page-data.ts'
import { createSlices } from '../core/slices.ts'
import type { Profiles } from './read-profile.ts'
import { versusOf } from './versus.ts'

interface ComparisonRequest {
  readonly users: readonly [User, User]
  /** Key of the site of the client, for its turns in the read queue. */
  readonly client: string
}

/** A comparison that is read on demand. */
interface VersionedComparison {
  /** Text that changes whenever the content changes. */
  readonly version: string
  read(signal: AbortSignal): Promise<Versus>
}

export type Comparisons = (request: ComparisonRequest) => Promise<VersionedComparison>

export function createComparisons(profiles: Profiles): Comparisons {
  return async ({ users: [one, other], client }) => {
    const [first, second] = await Promise.all([
      profiles({ user: one, withSpecies: true, client }),
      profiles({ user: other, withSpecies: true, client }),
    ])
    return {
      version: `${first.version} ${second.version}`,
      // One after the other, because a client has one turn at a time.
      read: async (signal) => versusOf([await first.read(signal), await second.read(signal)], createSlices(signal)),
    }
  }
}
