// Generated from contract/schemas/service.ts by `npm run generate`; a test fails while it is not what that file says.
import type { Status, UserKey } from '../../contract/schemas/service.ts'
import { schemaOf } from './shape.ts'

/** Shape of {@link Status}, for checking responses. */
export const statusShape = /* @__PURE__ */ schemaOf<Status>({"type":"object","required":{"status":{"type":"enum","values":["ok"]},"timestamp":{"type":"moment"},"version":{"type":"string"}},"optional":{}})

/** Shape of {@link UserKey}, for checking responses. */
export const userKeyShape = /* @__PURE__ */ schemaOf<UserKey>({"type":"object","required":{"fernetKey":{"type":"string"}},"optional":{}})
