// Generated from contract/schemas.ts by `npm run generate`; `npm run check` fails if it is out of date.
import type { CrabCollection, CrabSummary, FishCollection, FishSummary, Status } from '../../contract/schemas.ts'
import { responseShape } from './shape.ts'

/** Shape of {@link FishCollection}, for checking responses. */
export const fishCollectionShape = /* @__PURE__ */ responseShape<FishCollection>({"type":"object","required":{"user":{"type":"string"},"fish":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]}},"optional":{"id":{"type":"string"},"entry":{"type":"count"},"caughtAt":{"type":"date-time"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link CrabCollection}, for checking responses. */
export const crabCollectionShape = /* @__PURE__ */ responseShape<CrabCollection>({"type":"object","required":{"user":{"type":"string"},"crab":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"}},"optional":{"id":{"type":"string"},"entry":{"type":"count"},"caughtAt":{"type":"date-time"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link FishSummary}, for checking responses. */
export const fishSummaryShape = /* @__PURE__ */ responseShape<FishSummary>({"type":"object","required":{"user":{"type":"string"},"gamemode":{"type":"string"},"total":{"type":"count"},"unique":{"type":"count"},"byRarity":{"type":"record","keys":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"],"values":{"type":"count"}},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Unknown/Other","Bronze","Silver","Gold","Diamond","Platinum","Mythical"]},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}})

/** Shape of {@link CrabSummary}, for checking responses. */
export const crabSummaryShape = /* @__PURE__ */ responseShape<CrabSummary>({"type":"object","required":{"user":{"type":"string"},"gamemode":{"type":"string"},"total":{"type":"count"},"unique":{"type":"count"},"species":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"count":{"type":"count"},"firstCaughtAt":{"type":"date-time"},"lastCaughtAt":{"type":"date-time"}}}}}})

/** Shape of {@link Status}, for checking responses. */
export const statusShape = /* @__PURE__ */ responseShape<Status>({"type":"object","required":{"status":{"type":"enum","values":["ok"]},"timestamp":{"type":"date-time"},"version":{"type":"string"}},"optional":{"gamemodes":{"type":"array","items":{"type":"string"}},"publicUrl":{"type":"string"}}})
