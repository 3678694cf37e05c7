// One module for all code that most pages never need: each further one would split the rest into more files.
export { moveRecord, removeRecord } from './change-catches.ts'
export { getKey } from './keys.ts'
export { getLeaderboard } from './leaderboard.ts'
export { watchCatches } from './watch.ts'
export { addCatches, encryptInput, sendCatches } from './write-catches.ts'
