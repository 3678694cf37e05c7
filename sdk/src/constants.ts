// The names and limits of the service, for programs that need neither the client nor the schemas: forms, completion,
// input validation. The main entry exports the same values.
export { DEFAULT_BASE_URL } from './client/core/service-url.ts'
export { ERROR_CODES, type ErrorCode } from './contract/error-codes.ts'
export { GAMEMODE_RULE, GAMEMODES, type Gamemode, isGamemode } from './contract/gamemodes.ts'
export {
  ALL_TIME,
  LEADERBOARD_FIGURES,
  type LeaderboardFigure,
  leaderboardIssue,
  leaderboardSearch,
  MONTH_PATTERN,
  rarityOfFigure,
} from './contract/leaderboards.ts'
export { ACCOUNT_LIMITS, LIMITS } from './contract/limits.ts'
export { foldSpeciesName, isUserName, USER_NAME_RULE, userNameKey } from './contract/names.ts'
export { RARITIES, type RarityLabel, type RarityValue, rarityLabel, rarityValue } from './contract/rarities.ts'
