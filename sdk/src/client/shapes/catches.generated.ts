// Generated from contract/schemas/catches.ts by `npm run generate`; a test fails while it is not what that file says.
import type { CrabCollection, FishCollection, Saved } from '../../contract/schemas/catches.ts'
import { schemaOf } from './shape.ts'

/** What {@link FishCollection} looks like. */
export const fishCollectionShape = /* @__PURE__ */ schemaOf<FishCollection>({"type":"object","required":{"user":{"type":"string"},"fish":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Bronze","Silver","Gold","Diamond","Unknown/Other","Platinum","Mythical"]}},"optional":{"id":{"type":"string"},"caughtAt":{"type":"moment"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** What {@link CrabCollection} looks like. */
export const crabCollectionShape = /* @__PURE__ */ schemaOf<CrabCollection>({"type":"object","required":{"user":{"type":"string"},"crab":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"}},"optional":{"id":{"type":"string"},"caughtAt":{"type":"moment"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** What {@link Saved} looks like. */
export const savedShape = /* @__PURE__ */ schemaOf<Saved>({"type":"object","required":{"message":{"type":"string"},"id":{"type":"string"}},"optional":{}})
