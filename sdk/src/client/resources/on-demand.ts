import { createAccount } from './account.ts'
import { getKey } from './keys.ts'
import { getLeaderboard } from './leaderboard.ts'
import { getProfile } from './profile.ts'
import { getSpecies } from './species.ts'
import { watchCatches } from './watch.ts'
import { addCatches, encryptInput, moveRecord, removeRecord, sendCatches } from './write-catches.ts'

/**
 * All code that most pages never need, in one module: with more modules, bundlers would split the code into more files.
 */
export const onDemand = {
  addCatches,
  createAccount,
  encryptInput,
  getKey,
  getLeaderboard,
  getProfile,
  getSpecies,
  moveRecord,
  removeRecord,
  sendCatches,
  watchCatches,
}

export type OnDemand = typeof onDemand
