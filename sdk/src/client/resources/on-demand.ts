// All code that most pages never need is in this one module. With more modules, bundlers would split the code into more
// files.
export { getKey } from './keys.ts'
export { getLeaderboard } from './leaderboard.ts'
export { getProfile } from './profile.ts'
export { watchCatches } from './watch.ts'
export { addCatches, encryptInput, moveRecord, removeRecord, sendCatches } from './write-catches.ts'
