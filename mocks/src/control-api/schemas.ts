import * as z from 'zod/mini'

/** How far to move a clock, or where to. */
export const clockMoveSchema = z.union(
  [
    z.strictObject({ advanceMs: z.int().check(z.minimum(0)) }),
    z.strictObject({ set: z.iso.datetime({ offset: true }) }),
  ],
  { error: 'Must be { "advanceMs": 300000 } or { "set": "2026-01-01T00:05:00Z" }' },
)

/** Which requests shall fail, and how. What faults and routes there are, the book of faults knows. */
export const faultOrderSchema = z.strictObject({
  fault: z.union(
    [
      z.string(),
      z.strictObject({ status: z.int(), code: z.optional(z.string()) }),
      z.strictObject({ latencyMs: z.number() }),
    ],
    { error: 'Must be the name of a fault, { "status": 503 } or { "latencyMs": 100 }' },
  ),
  times: z.optional(
    z.union([z.int(), z.literal('always')], { error: 'Must be a whole number from 1 on, or "always"' }),
  ),
  on: z.optional(z.union([z.string(), z.array(z.string())])),
  user: z.optional(z.string()),
  delayMs: z.optional(z.number()),
})
