// Generated from contract/schemas/catches.ts by `npm run generate`; a test fails while it is not what that file says.
import type { CrabCollection, FishCollection, Saved } from '../../contract/schemas/catches.ts'
import { schemaOf } from './shape.ts'

/** Shape of {@link FishCollection}, for checking responses. */
export const fishCollectionShape = /* @__PURE__ */ schemaOf<FishCollection>({"type":"object","required":{"user":{"type":"string"},"fish":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"},"rarity":{"type":"enum","values":["Bronze","Silver","Gold","Diamond","Unknown/Other","Platinum","Mythical"]}},"optional":{"id":{"type":"string"},"caughtAt":{"type":"moment"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link CrabCollection}, for checking responses. */
export const crabCollectionShape = /* @__PURE__ */ schemaOf<CrabCollection>({"type":"object","required":{"user":{"type":"string"},"crab":{"type":"array","items":{"type":"object","required":{"name":{"type":"string"}},"optional":{"id":{"type":"string"},"caughtAt":{"type":"moment"}}}}},"optional":{"nextCursor":{"type":"string"}}})

/** Shape of {@link Saved}, for checking responses. */
export const savedShape = /* @__PURE__ */ schemaOf<Saved>({"type":"object","required":{"message":{"type":"string"},"id":{"type":"string"}},"optional":{}})
