// One module for all code that most pages never need: each further one would split the rest into more files.
export { getKey } from './keys.ts'
export { getLeaderboard } from './leaderboard.ts'
export { getProfile } from './profile.ts'
export { watchCatches } from './watch.ts'
export { addCatches, encryptInput, moveRecord, removeRecord, sendCatches } from './write-catches.ts'
