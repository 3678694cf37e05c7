import type { Client } from '@fish-crab/sdk'
import type { PageContext } from '../data/follow.ts'

/** The parts of a page that tests replace. */
export interface Services {
  readonly client: Client
  readonly context: PageContext
}
