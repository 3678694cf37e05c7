// All handlers that mocks in a page rarely need, except event streams, are in this one module. With more modules,
// bundlers would split the code that the modules share into more files.
export { adminHandlers } from './admin.ts'
export { leaderboardHandlers } from './leaderboard.ts'
export { redeemHandler } from './login-links.ts'
export { ownAccountHandlers } from './own-account.ts'
export { ownCatchesHandlers } from './own-catches.ts'
export { notFoundHandler, pageHandlers } from './pages.ts'
export { profileHandlers } from './profile.ts'
export { speciesHandlers } from './species.ts'
