// Generated from contract/schemas.ts by `npm run generate`; `npm run check` fails if it is out of date.
import type { CrabCollection, CrabSummary, FishCollection, FishSummary, Profile, PublicLeaderboard, Saved, Status, UserKey } from '../../contract/schemas.ts'
import { responseShape } from './shape.ts'

/** Shape of {@link FishCollection}, for checking responses. */
export const fishCollectionShape = /* @__PURE__ */ responseShape<FishCollection>({"type":"object","required":{"user":{"type":"string"},"fish":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]}},"optional":{"id":{"type":"string"},"caughtAt":{"type":"date-time"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link CrabCollection}, for checking responses. */
export const crabCollectionShape = /* @__PURE__ */ responseShape<CrabCollection>({"type":"object","required":{"user":{"type":"string"},"crab":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"}},"optional":{"id":{"type":"string"},"caughtAt":{"type":"date-time"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link FishSummary}, for checking responses. */
export const fishSummaryShape = /* @__PURE__ */ responseShape<FishSummary>({"type":"object","required":{"user":{"type":"string"},"gamemode":{"type":"string"},"total":{"type":"count"},"unique":{"type":"count"},"byRarity":{"type":"record","keys":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"],"values":{"type":"count"}},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}})

/** Shape of {@link CrabSummary}, for checking responses. */
export const crabSummaryShape = /* @__PURE__ */ responseShape<CrabSummary>({"type":"object","required":{"user":{"type":"string"},"gamemode":{"type":"string"},"total":{"type":"count"},"unique":{"type":"count"},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}})

/** Shape of {@link Profile}, for checking responses. */
export const profileShape = /* @__PURE__ */ responseShape<Profile>({"type":"object","required":{"user":{"type":"string"},"total":{"type":"count"},"unique":{"type":"count"},"byRarity":{"type":"record","keys":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"],"values":{"type":"count"}},"gamemodes":{"type":"array","items":{"type":"object","required":{"gamemode":{"type":"string"},"fish":{"type":"object","required":{"total":{"type":"count"},"unique":{"type":"count"}},"optional":{"lastCaughtAt":{"type":"date-time"},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}},"crab":{"type":"object","required":{"total":{"type":"count"},"unique":{"type":"count"}},"optional":{"lastCaughtAt":{"type":"date-time"},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}}}}},"rarest":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}},"latest":{"type":"array","items":{"type":"object","required":{"kind":{"type":"enum","values":["fish","crab"]},"gamemode":{"type":"string"},"name":{"type":"string"},"id":{"type":"string"},"caughtAt":{"type":"date-time"}},"optional":{"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]}}}},"days":{"type":"array","items":{"type":"object","required":{"day":{"type":"string"},"count":{"type":"count"}}}},"streak":{"type":"object","required":{"current":{"type":"count"},"longest":{"type":"count"}}}},"optional":{"lastCaughtAt":{"type":"date-time"},"firstCaughtAt":{"type":"date-time"},"bestDay":{"type":"object","required":{"day":{"type":"string"},"count":{"type":"count"}}}}})

/** Shape of {@link PublicLeaderboard}, for checking responses. */
export const publicLeaderboardShape = /* @__PURE__ */ responseShape<PublicLeaderboard>({"type":"object","required":{"leaderboard":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"}}}}}})

/** Shape of {@link Saved}, for checking responses. */
export const savedShape = /* @__PURE__ */ responseShape<Saved>({"type":"object","required":{"message":{"type":"string"},"id":{"type":"string"}}})

/** Shape of {@link Status}, for checking responses. */
export const statusShape = /* @__PURE__ */ responseShape<Status>({"type":"object","required":{"status":{"type":"enum","values":["ok"]},"timestamp":{"type":"date-time"},"version":{"type":"string"}},"optional":{"gamemodes":{"type":"array","items":{"type":"string"}},"publicUrl":{"type":"string"}}})

/** Shape of {@link UserKey}, for checking responses. */
export const userKeyShape = /* @__PURE__ */ responseShape<UserKey>({"type":"object","required":{"fernetKey":{"type":"string"}}})
