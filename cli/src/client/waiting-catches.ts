import { userNameKey } from '@fish-crab/sdk/constants'
import type { Outbox } from '@fish-crab/sdk/outbox'

/** How many catches wait to be sent. */
export interface WaitingCatches {
  /** Those of one player. */
  readonly own: number
  readonly others: number
}

/** Counts what waits, with and without a token; what was set aside does not. */
export async function waitingCatches(outbox: Pick<Outbox, 'status'>, user: string): Promise<WaitingCatches> {
  const { collections } = await outbox.status()
  const count = (isOwn: boolean) =>
    collections
      .filter((one) => (userNameKey(one.user) === userNameKey(user)) === isOwn)
      .reduce((sum, { queued, sealed }) => sum + queued + sealed, 0)
  return { own: count(true), others: count(false) }
}
