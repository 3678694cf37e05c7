// Generated from contract/schemas.ts by `npm run generate`; `npm run check` fails if it is out of date.
import type { AccountVisibility, KnownSpecies, Profile, PublicLeaderboard, Saved, UserKey, UserName } from '../../contract/schemas.ts'
import { responseShape } from './shape.ts'

/** Shape of {@link Profile}, for checking responses. */
export const profileShape = /* @__PURE__ */ responseShape<Profile>({"type":"object","required":{"user":{"type":"string"},"total":{"type":"count"},"unique":{"type":"count"},"byRarity":{"type":"record","keys":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"],"values":{"type":"count"}},"gamemodes":{"type":"array","items":{"type":"object","required":{"gamemode":{"type":"string"},"fish":{"type":"object","required":{"total":{"type":"count"}},"optional":{"unique":{"type":"count"},"lastCaughtAt":{"type":"date-time"},"complete":{"type":"enum","values":[false]},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}},"crab":{"type":"object","required":{"total":{"type":"count"}},"optional":{"unique":{"type":"count"},"lastCaughtAt":{"type":"date-time"},"complete":{"type":"enum","values":[false]},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}}}}},"rarest":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}},"latest":{"type":"array","items":{"type":"object","required":{"kind":{"type":"enum","values":["fish","crab"]},"gamemode":{"type":"string"},"name":{"type":"string"},"id":{"type":"string"},"caughtAt":{"type":"date-time"}},"optional":{"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]}}}},"days":{"type":"array","items":{"type":"object","required":{"day":{"type":"string"},"count":{"type":"count"}}}},"streak":{"type":"object","required":{"current":{"type":"count"},"longest":{"type":"count"}}}},"optional":{"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"},"bestDay":{"type":"object","required":{"day":{"type":"string"},"count":{"type":"count"}}},"knownSpecies":{"type":"object","required":{"total":{"type":"count"},"caught":{"type":"count"}}}}})

/** Shape of {@link PublicLeaderboard}, for checking responses. */
export const publicLeaderboardShape = /* @__PURE__ */ responseShape<PublicLeaderboard>({"type":"object","required":{"leaderboard":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"}}}}},"optional":{"you":{"type":"object","required":{"rank":{"type":"count"},"count":{"type":"count"}}}}})

/** Shape of {@link KnownSpecies}, for checking responses. */
export const knownSpeciesShape = /* @__PURE__ */ responseShape<KnownSpecies>({"type":"object","required":{"players":{"type":"count"},"species":{"type":"array","items":{"type":"object","required":{"kind":{"type":"enum","values":["fish","crab"]},"name":{"type":"string"},"rarities":{"type":"array","items":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]}},"players":{"type":"count"},"catches":{"type":"count"}},"optional":{"firstCaughtAt":{"type":"date-time"},"listed":{"type":"enum","values":[true]},"hint":{"type":"string"}}}}}})

/** Shape of {@link Saved}, for checking responses. */
export const savedShape = /* @__PURE__ */ responseShape<Saved>({"type":"object","required":{"message":{"type":"string"},"id":{"type":"string"}}})

/** Shape of {@link UserKey}, for checking responses. */
export const userKeyShape = /* @__PURE__ */ responseShape<UserKey>({"type":"object","required":{"fernetKey":{"type":"string"}}})

/** Shape of {@link AccountVisibility}, for checking responses. */
export const accountVisibilityShape = /* @__PURE__ */ responseShape<AccountVisibility>({"type":"object","required":{"name":{"type":"string"},"public":{"type":"enum","values":[true,false]}}})

/** Shape of {@link UserName}, for checking responses. */
export const userNameShape = /* @__PURE__ */ responseShape<UserName>({"type":"object","required":{"name":{"type":"string"}}})
